/** Replays open runs, and tells what became of each. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { describeKey } from '../../temporal/encryption';
import { GRPC, grpcStatus } from '../../temporal/grpc-status';
import { keyIdsIn } from '../../temporal/keys-in-use';
import { isBegun, type Recorded, type Replayed } from '../../temporal/replaying';

export type Open = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'type'>;

/** A run that this version could not go on with. */
export interface Broken {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly why: string;
}

export interface ReplayedRuns {
  readonly replayed: number;
  /** Begun by no worker yet. */
  readonly notBegun: number;
  /** Listed, and not there any more: a server that was restored from a backup may list such a one for good. */
  readonly gone: number;
  readonly broken: readonly Broken[];
  /** IDs of the keys that broken ones were encrypted with and that are missing here: of these nothing is known. */
  readonly missingKeys: readonly string[];
}

interface Means {
  /** @throws what the server answers, NOT_FOUND where the run is gone */
  record(run: Open): Promise<Recorded>;
  replay(recorded: AsyncIterable<Recorded>): AsyncIterable<Replayed>;
  /** The IDs of the keys that are here. */
  readonly keys: readonly string[];
  replayedOne?(replayed: number): void;
}

const WHY: Readonly<Record<string, string>> = {
  DeterminismViolationError: 'its history was made by other workflow code, so that its tasks would fail',
};

export async function replayOpen(runs: readonly Open[], means: Means): Promise<ReplayedRuns> {
  /**
   * What is replayed, in this order: of a run that was reset the replay tells the ID of the run that it was at first, and two may
   * be listed with one workflow ID, one of which has ended or is gone.
   */
  const asked: { readonly run: Open; readonly lacking: readonly string[] }[] = [];
  const broken: Broken[] = [];
  const missing = new Set<string>();
  let [replayed, notBegun, gone] = [0, 0, 0];
  async function* histories(): AsyncGenerator<Recorded> {
    for (const run of runs) {
      const recorded = await means.record(run).catch(undefinedIfGone);
      if (recorded === undefined) gone++;
      else if (isBegun(recorded.history)) {
        asked.push({ run, lacking: [...keyIdsIn(recorded.history)].filter((key) => !means.keys.includes(key)) });
        yield recorded;
      } else notBegun++;
    }
  }
  for await (const { workflowId, runId, failure } of means.replay(histories())) {
    replayed++;
    means.replayedOne?.(replayed);
    const { run, lacking } = asked.shift() ?? { run: { workflowId, runId, type: '' }, lacking: [] };
    if (failure === undefined) continue;
    for (const key of lacking) missing.add(key);
    const why =
      lacking.length > 0
        ? `it was encrypted with ${lacking.map(describeKey).join(' and ')}, which is missing here`
        : (WHY[failure] ?? `replaying it fails (${failure})`);
    broken.push({ workflowId, runId: run.runId, type: run.type, why });
  }
  return { replayed, notBegun, gone, broken, missingKeys: [...missing] };
}

function undefinedIfGone(error: unknown): undefined {
  if (grpcStatus(error) !== GRPC.NOT_FOUND) throw error;
}
