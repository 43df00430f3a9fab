/** What single runs ended with, read one by one. */
import { type Client, type WorkflowExecutionInfo, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { Failures, RunCounts } from '../../report/spending';
import { typeText } from '../../report/spending/words';
import { FAILED_OUTCOMES } from '../../runs/failed-outcomes';
import { quoted } from '../../text/list-filter';
import { endedIn, STATUS_WORDS, type Visibility } from './visibility';

/** Runs that did not end well whose reason is read: the newest that ended with one word, and over all words. */
const MOST_OF_A_WORD = 40;
const MOST_REASONS = 300;
/** Statuses that tell their reason themselves; who cancels a run wants that. */
const TOLD: Readonly<Record<string, string>> = {
  [STATUS_WORDS.Terminated]: 'ended by hand',
  [STATUS_WORDS.TimedOut]: 'took too long',
};

/** @returns undefined for a run without a result, and where the server no longer has it */
export async function resultOf(client: Client, { workflowId, runId }: WorkflowExecutionInfo): Promise<unknown> {
  return client.workflow
    .getHandle(workflowId, runId, { followRuns: false })
    .result()
    .catch(() => undefined);
}

const Ended = z.looseObject({
  outcome: z.string().optional(),
  ended: z.string().optional(),
  reason: z.string().optional(),
});

/** Why a run did not end well, in a stable word. */
async function reasonOf(client: Client, { workflowId, runId }: WorkflowExecutionInfo): Promise<string> {
  try {
    const result: unknown = await client.workflow.getHandle(workflowId, runId, { followRuns: false }).result();
    const { outcome, ended, reason } = Ended.parse(result);
    return reason ?? outcome ?? ended ?? 'no reason given';
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) return 'cannot be read';
    let cause: unknown = error.cause;
    // The failure of a call is inside the one that says which call it was.
    while (cause instanceof Error && cause.cause instanceof ApplicationFailure) cause = cause.cause;
    return cause instanceof ApplicationFailure ? (cause.type ?? 'Failed') : 'no reason given';
  }
}

const isUnwell = (word: string): boolean =>
  word === STATUS_WORDS.Failed || word in TOLD || FAILED_OUTCOMES.includes(word);

/** @param rows of batches that could not become an item */
export async function failuresOf(
  client: Client,
  visibility: Visibility,
  runs: readonly RunCounts[],
  [since, until]: readonly [number, number],
  rows: number,
): Promise<Failures> {
  const counts = new Map<string, { what: string; reason: string; count: number }>();
  const add = (what: string, reason: string, count = 1) => {
    const key = JSON.stringify([what, reason]);
    counts.set(key, { what, reason, count: (counts.get(key)?.count ?? 0) + count });
  };
  let [read, of, looked] = [rows, rows, 0];
  if (rows > 0) add('Rows of batches', 'quarantined', rows);
  for (const { type, ended } of runs) {
    const unwell = Object.entries(ended).filter(([word]) => isUnwell(word));
    for (const [word, count] of unwell) {
      const what = `${typeText(type)}: ${word}`;
      of += count;
      const told = TOLD[word];
      if (told !== undefined) {
        read += count;
        add(what, told, count);
        continue;
      }
      const which =
        word === STATUS_WORDS.Failed
          ? "ExecutionStatus = 'Failed'"
          : `ExecutionStatus = 'Completed' AND Stage = ${quoted(word)}`;
      const most = Math.max(0, Math.min(MOST_REASONS - looked, MOST_OF_A_WORD, count));
      const some = await visibility.list(type, `${endedIn(since, until)} AND ${which}`, most);
      for (const run of some) add(what, await reasonOf(client, run));
      looked += some.length;
      read += some.length;
      if (some.length < count) add(what, 'not read', count - some.length);
    }
  }
  return { reasons: [...counts.values()].sort((a, b) => b.count - a.count), read, of };
}
