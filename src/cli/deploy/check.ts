/** `audit-runner deploy check`: which open runs this version could not go on with. */
import type { Client } from '@temporalio/client';
import { createLogger } from '../../log';
import { WORKFLOW_TYPES } from '../../runs/workflow-types';
import { workflowBundle } from '../../temporal/bundle';
import { describeKey, encryptionKeyIds } from '../../temporal/encryption';
import { KEYS_ARE_IN } from '../../temporal/encryption-keys';
import { fleetRequirement, workersConverter } from '../../temporal/fleet-keys';
import { packageVersion } from '../../temporal/package-root';
import { WORKFLOW_QUEUE } from '../../temporal/queues';
import { recordOf, replay } from '../../temporal/replaying';
import { installSdkRuntime } from '../../temporal/sdk-runtime';
import { counted } from '../../text/numbers';
import { EXIT } from '../exit';
import { number, print, printJson, table, tell } from '../output';
import { withServer } from '../server';
import { type Open, type ReplayedRuns, replayOpen } from './replay-open';

export interface DeployCheckOptions {
  sample?: number;
  json?: boolean;
}

interface Checked extends ReplayedRuns {
  readonly version: string;
  /** Where the runs are. */
  readonly address: string;
  readonly namespace: string;
  /** Open runs, and of these those of none of our types. */
  readonly open: number;
  readonly others: number;
}

type Listed = Open & { readonly taskQueue: string };

/** All of these are replayed in any sample: what stands still with one of them stands still for many. */
const ALWAYS: ReadonlySet<string> = new Set(['accountLedger', 'backfill']);
/** Those that people start, and those that workers start themselves. */
const OURS: ReadonlySet<string> = new Set([...Object.keys(WORKFLOW_TYPES), 'accountLedger', 'startHere']);
const TELL_EVERY = 500;

export async function deployCheckCommand({ sample, json }: DeployCheckOptions): Promise<number> {
  // What fails is in the table; the SDK would tell it with the text, which may have data of the run (S4).
  installSdkRuntime(createLogger({ level: 'silent' }));
  return withServer('reads', async ({ client, namespace, server }) => {
    const all = await openRuns(client);
    const ours = all.filter(({ type, taskQueue }) => OURS.has(type) && taskQueue === WORKFLOW_QUEUE);
    const chosen = sample === undefined ? ours : sampleOf(ours, sample);
    const { address } = server.config;
    const checked = { version: packageVersion(), address, namespace, open: all.length };
    const result: Checked = { ...checked, others: all.length - ours.length, ...(await replayAll(client, chosen)) };
    if (json) printJson(result);
    else show(result, ours.length - chosen.length);
    const hint = hintOn(result, ours.length);
    if (hint !== undefined) tell(hint);
    return result.broken.length > 0 ? EXIT.failed : EXIT.done;
  });
}

async function openRuns({ workflow }: Client): Promise<Listed[]> {
  const found: Listed[] = [];
  for await (const { workflowId, runId, type, taskQueue } of workflow.list({ query: "ExecutionStatus = 'Running'" }))
    found.push({ workflowId, runId, type, taskQueue });
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

async function replayAll(client: Client, runs: readonly Open[]): Promise<ReplayedRuns> {
  const { namespace } = client.options;
  const required = await fleetRequirement(client);
  const dataConverter = workersConverter(client, namespace, required !== undefined);
  const bundle = await workflowBundle({ required });
  return replayOpen(runs, {
    record: ({ workflowId, runId }) => recordOf(client, workflowId, runId),
    replay: (recorded) => replay(bundle, recorded, { namespace, dataConverter }),
    keys: encryptionKeyIds(process.env),
    replayedOne(replayed) {
      if (replayed % TELL_EVERY === 0) tell(`${number(replayed)} of ${number(runs.length)} are replayed`);
    },
  });
}

function show({ version, address, namespace, open, replayed, notBegun, gone, others, broken }: Checked, left: number) {
  const parts = [
    `${number(replayed)} of ${counted(open, 'open run')} replayed with version ${version}`,
    ...(notBegun > 0 ? [`${number(notBegun)} that no worker has begun yet`] : []),
    ...(gone > 0 ? [`${number(gone)} that are listed and gone`] : []),
    ...(others > 0 ? [`${number(others)} of other programs`] : []),
    ...(left > 0 ? [`${number(left)} left out of the sample`] : []),
  ];
  print(`Temporal ${address}, namespace ${namespace}: ${parts.join(', ')}.`);
  if (broken.length === 0) print('This version can go on with each of them.');
  else
    print(
      `It could not go on with ${counted(broken.length, 'run')}:\n${table(
        ['type', 'run', 'why'],
        broken.map(({ type, workflowId, why }) => [type, workflowId, why]),
      )}\nLet workers of the version that began them end them first; see docs/administrators.md, When the check names runs.`,
    );
}

/** What makes the result say less than it seems to. */
export function hintOn(
  { missingKeys, address, namespace }: Pick<Checked, 'missingKeys' | 'address' | 'namespace'>,
  ours: number,
): string | undefined {
  if (missingKeys.length > 0)
    return `Of runs that were encrypted with ${missingKeys.map(describeKey).join(' and ')} nothing is known yet: set ${KEYS_ARE_IN} as the workers have it, and check again.`;
  if (ours === 0)
    return `No run of audit-runner is open in the namespace ${namespace} of ${address}. Where audit-runner has worked, the ledger of its account is always open: unless it never has, this is another server or namespace than the workers' (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE).`;
  return undefined;
}
