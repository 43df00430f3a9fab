/** `audit-runner schedules plan` and `apply`: the schedules on the server become what the configuration file says. */
import type { Client } from '@temporalio/client';
import type { Config } from '../../config';
import { openStorage } from '../../storage';
import type { Connected } from '../../temporal/connect';
import { isLost, serverWords } from '../../temporal/grpc-status';
import { createSchedule, ownedPipelines, readSchedule, scheduleHandle, updateSchedule } from '../../temporal/schedules';
import { announce, forAccounts } from '../announce';
import { EXIT, Exit } from '../exit';
import { print, printJson, tell } from '../output';
import { configHere } from '../server';
import { withServer } from './connect';
import { type Wanted, wantedSchedule } from './definition';
import { type Change, changes, type Stored } from './diff';
import { fileWarnings } from './files';
import { showChanges } from './show';

export interface ApplyOptions {
  config?: string;
  prune?: boolean;
  json?: boolean;
}

const isDue = ({ action }: Change) => action === 'create' || action === 'change' || action === 'remove';
const isRefused = ({ action }: Change) => action === 'refused';

export async function planCommand({ config, prune = false, json }: ApplyOptions): Promise<number> {
  const wanted = await wantedSchedules(await configHere(config, { tokens: false }));
  const found = await withServer('reads', ({ client }) => look(client, wanted, prune));
  if (json) printJson({ changes: found });
  else print(showChanges(found, wanted));
  if (found.some(isRefused)) return EXIT.badInput;
  return found.some(isDue) ? EXIT.notAllDone : EXIT.done;
}

export async function applyCommand({ config, prune = false, json }: ApplyOptions): Promise<number> {
  const here = await configHere(config, { tokens: false });
  const { accounts, pipelines } = here;
  const wanted = await wantedSchedules(here);
  return withServer('writes', async (connected) => {
    const found = await look(connected.client, wanted, prune);
    if (!json) print(showChanges(found, wanted));
    const refused = found.some(isRefused);
    const names = [...new Set(Object.values(pipelines).map(({ account }) => account))];
    if (!refused && found.some(isDue))
      announce(`Applying schedules of runs${forAccounts(names, accounts)}`, connected.server.config);
    const outcomes = refused ? [] : await applyAll(connected, wanted, found.filter(isDue), json);
    if (json) printJson({ changes: found, outcomes });
    if (refused) {
      tell('Nothing was applied.');
      return EXIT.badInput;
    }
    return outcomes.some(({ problem }) => problem !== undefined) ? EXIT.failed : EXIT.done;
  });
}

/** @throws ConfigError, Exit */
async function wantedSchedules(config: Config): Promise<Wanted[]> {
  // Nothing at all would be all pipelines gone, and with --prune their schedules.
  if (config.file === undefined)
    throw new Exit(
      EXIT.badInput,
      'pipelines are in a configuration file, and here is no audit-runner.yaml; name it with --config',
    );
  const storage = openStorage(config.storageUrl);
  return Promise.all(
    Object.values(config.pipelines).map(async (pipeline) => {
      const wanted = wantedSchedule(pipeline);
      return { ...wanted, warnings: [...wanted.warnings, ...(await fileWarnings(pipeline, storage))] };
    }),
  );
}

async function look(client: Client, wanted: readonly Wanted[], prune: boolean): Promise<Change[]> {
  const names = new Set([...wanted.map(({ pipeline }) => pipeline), ...(await ownedPipelines(client))]);
  const stored = await Promise.all([...names].map(async (name) => [name, await readSchedule(client, name)] as const));
  const there: Stored = new Map(stored.flatMap(([name, schedule]) => (schedule ? [[name, schedule]] : [])));
  return changes(wanted, there, prune);
}

interface Outcome {
  pipeline: string;
  /** Why it was not done, in the server's words. */
  problem?: string;
}

/** One after the other; what the server refuses does not keep back the rest. */
async function applyAll(
  { client }: Connected,
  wanted: readonly Wanted[],
  due: readonly Change[],
  json: boolean | undefined,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { pipeline, action } of due) {
    const one = wanted.find((candidate) => candidate.pipeline === pipeline);
    try {
      if (!one) await scheduleHandle(client, pipeline).delete();
      else if (action === 'create') await createSchedule(client, pipeline, one.definition, one.paused);
      else await updateSchedule(client, pipeline, one.definition, one.paused);
      outcomes.push({ pipeline });
      if (!json) print(`${DONE[action]} ${pipeline}`);
    } catch (error) {
      if (isLost(error)) throw error;
      const problem = serverWords(error);
      outcomes.push({ pipeline, problem });
      tell(`pipelines.${pipeline}: the Temporal server refuses it: ${problem}`);
    }
  }
  return outcomes;
}

const DONE: Readonly<Record<Change['action'], string>> = {
  ...{ create: 'created', change: 'changed', remove: 'removed' },
  ...{ unchanged: 'unchanged', leftOver: 'left', refused: 'refused' },
};
