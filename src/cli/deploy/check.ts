/** `audit-runner deploy check`: which open runs this version could not go on with. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { createLogger } from '../../log';
import { WORKFLOW_TYPES } from '../../runs/workflow-types';
import { workflowBundle } from '../../temporal/bundle';
import { fleetRequirement, workersConverter } from '../../temporal/fleet-keys';
import { packageVersion } from '../../temporal/package-root';
import { isBegun, type Recorded, recordOf, replay } from '../../temporal/replaying';
import { installSdkRuntime } from '../../temporal/sdk-runtime';
import { counted } from '../../text/numbers';
import { EXIT } from '../exit';
import { number, print, printJson, table, tell } from '../output';
import { withServer } from '../server';

export interface DeployCheckOptions {
  sample?: number;
  json?: boolean;
}

/** A run that this version could not go on with. */
interface Broken {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly why: string;
}

interface Checked {
  readonly version: string;
  /** Open runs, and of these: replayed; begun by no worker yet; of none of our types. */
  readonly open: number;
  readonly replayed: number;
  readonly notBegun: number;
  readonly others: number;
  readonly broken: readonly Broken[];
}

type Open = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'type'>;

/** All of these are replayed in any sample: what stands still with one of them stands still for many. */
const ALWAYS: ReadonlySet<string> = new Set(['accountLedger', 'backfill']);
/** Those that people start, and those that workers start themselves. */
const OURS: ReadonlySet<string> = new Set([...Object.keys(WORKFLOW_TYPES), 'accountLedger', 'startHere']);
const TELL_EVERY = 500;

export async function deployCheckCommand({ sample, json }: DeployCheckOptions): Promise<number> {
  // What fails is in the table; the SDK would tell it with the text, which may have data of the run (S4).
  installSdkRuntime(createLogger({ level: 'silent' }));
  return withServer('reads', async ({ client }) => {
    const all = await openRuns(client);
    const ours = all.filter(({ type }) => OURS.has(type));
    const chosen = sample === undefined ? ours : sampleOf(ours, sample);
    const checked = { version: packageVersion(), open: all.length, others: all.length - ours.length };
    const result: Checked = { ...checked, ...(await replayAll(client, chosen)) };
    if (json) printJson(result);
    else show(result, ours.length - chosen.length);
    return result.broken.length > 0 ? EXIT.failed : EXIT.done;
  });
}

async function openRuns({ workflow }: Client): Promise<Open[]> {
  const found: Open[] = [];
  for await (const { workflowId, runId, type } of workflow.list({ query: "ExecutionStatus = 'Running'" }))
    found.push({ workflowId, runId, type });
  return found;
}

/** So many at most: all that many wait for, and of the others each type in its turn. */
function sampleOf(runs: readonly Open[], most: number): Open[] {
  const chosen = runs.filter(({ type }) => ALWAYS.has(type));
  const types = [...new Set(runs.map(({ type }) => type))].filter((type) => !ALWAYS.has(type));
  const rest = types.map((type) => runs.filter((run) => run.type === type));
  for (let nth = 0; chosen.length < most && rest.some((some) => some.length > nth); nth++)
    for (const some of rest) {
      const next = some[nth];
      if (next && chosen.length < most) chosen.push(next);
    }
  return chosen;
}

async function replayAll(client: Client, runs: readonly Open[]) {
  const types = new Map(runs.map(({ workflowId, runId, type }) => [`${workflowId}/${runId}`, type]));
  const broken: Broken[] = [];
  let [replayed, notBegun] = [0, 0];
  async function* histories(): AsyncGenerator<Recorded> {
    for (const { workflowId, runId } of runs) {
      const recorded = await recordOf(client, workflowId, runId);
      if (isBegun(recorded.history)) yield recorded;
      else notBegun++;
    }
  }
  const required = await fleetRequirement(client);
  const { namespace } = client.options;
  const dataConverter = workersConverter(client, namespace, required !== undefined);
  const bundle = await workflowBundle({ required });
  for await (const { workflowId, runId, failure } of replay(bundle, histories(), { namespace, dataConverter })) {
    replayed++;
    if (replayed % TELL_EVERY === 0) tell(`${number(replayed)} of ${number(runs.length)} are replayed`);
    const type = types.get(`${workflowId}/${runId}`) ?? '';
    if (failure !== undefined)
      broken.push({ workflowId, runId, type, why: WHY[failure] ?? `replaying it fails (${failure})` });
  }
  return { replayed, notBegun, broken };
}

const WHY: Readonly<Record<string, string>> = {
  DeterminismViolationError: 'its history was made by other workflow code, so that its tasks would fail',
};

function show({ version, open, replayed, notBegun, others, broken }: Checked, left: number): void {
  const parts = [
    `${number(replayed)} of ${counted(open, 'open run')} replayed with version ${version}`,
    ...(notBegun > 0 ? [`${number(notBegun)} that no worker has begun yet`] : []),
    ...(others > 0 ? [`${number(others)} of other programs`] : []),
    ...(left > 0 ? [`${number(left)} left out of the sample`] : []),
  ];
  print(`${parts.join(', ')}.`);
  if (broken.length === 0) print('This version can go on with each of them.');
  else
    print(
      `It could not go on with ${counted(broken.length, 'run')}:\n${table(
        ['type', 'run', 'why'],
        broken.map(({ type, workflowId, why }) => [type, workflowId, why]),
      )}\nLet workers of the version that began them end them first, or keep some of these beside the new ones; see docs/administrators.md, Upgrade.`,
    );
}
