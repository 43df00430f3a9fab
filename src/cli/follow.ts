/** Follows a run to its end and shows meanwhile what it does and why it waits (S7). */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { failingTasks } from '../temporal/failing-tasks';
import { explained } from '../temporal/unreachable';
import { PROGRAM } from '../text/command';
import { EXIT, Exit } from './exit';
import { number } from './output';
import { progressView, RunProgress } from './progress';
import { tellsQuestions } from './question';
import type { Followed } from './server';

/** How a run ended, as seen from here. */
export type RunEnd =
  | { kind: 'result'; result: unknown }
  /** `type` as the failure names it: `BadInput`, or what happened to the run. */
  | { kind: 'failed'; type: string; message: string }
  | { kind: 'interrupted' };

/** No failure: a person wanted it. */
const CANCELLED = 'Cancelled';

/** How a run ended that has no result, for a person. */
export const failureSentence = ({ type, message }: Extract<RunEnd, { kind: 'failed' }>): string =>
  type === CANCELLED ? `The run was cancelled: ${message}` : `The run failed (${type}): ${message}`;

const EVERY_MS = 500;
const QUERY_MS = 3_000;
/** After so long without an answer to the query it is said why, as far as it can be seen. */
const SILENT_MS = 10_000;

const NO_ANSWER = `No worker answers yet. Is one running (\`${PROGRAM} worker\`) with this account?`;

/**
 * @param interrupted ends the following; the run goes on
 * @throws TemporalUnreachable when the server does not come back soon
 */
export async function follow(followed: Followed, handle: WorkflowHandle, interrupted: AbortSignal): Promise<RunEnd> {
  const { config } = followed.server;
  const view = progressView();
  let seen: RunProgress | undefined;
  const over = new AbortController();
  const ended = endOf(handle)
    .catch(async (error: unknown) => {
      throw await explained(config, error);
    })
    .finally(() => over.abort());
  const stopped = new Promise<RunEnd>((resolve) => {
    interrupted.addEventListener('abort', () => resolve({ kind: 'interrupted' }), { once: true });
    if (interrupted.aborted) resolve({ kind: 'interrupted' });
  });
  // Not awaited: a query that hangs must not delay the end, and what it answers after the end is not shown.
  void watch(followed, handle, view, AbortSignal.any([over.signal, interrupted]), (progress) => {
    seen = progress;
  });
  try {
    const end = await Promise.race([ended, stopped]);
    return end.kind === 'failed' && end.type === CANCELLED ? { ...end, message: farBy(end.message, seen) } : end;
  } finally {
    over.abort();
    view.end();
    // Not awaited after an interruption: the connection is closed then.
    ended.catch(() => undefined);
  }
}

export const noSuchRun = (workflowId: string): Exit =>
  new Exit(EXIT.badInput, `there is no run with the ID ${workflowId}`);

async function endOf(handle: WorkflowHandle): Promise<RunEnd> {
  try {
    return { kind: 'result', result: await handle.result() };
  } catch (error) {
    if (error instanceof WorkflowFailedError) return { kind: 'failed', ...failureOf(error) };
    if (error instanceof WorkflowNotFoundError) throw noSuchRun(handle.workflowId);
    throw error;
  }
}

function failureOf({ cause, message }: WorkflowFailedError): { type: string; message: string } {
  if (cause instanceof ApplicationFailure) return { type: cause.type ?? 'Failed', message: cause.message };
  if (cause instanceof TerminatedFailure) return { type: 'Terminated', message: 'somebody terminated the run' };
  if (cause instanceof CancelledFailure) return { type: CANCELLED, message: 'somebody cancelled the run' };
  if (cause instanceof TimeoutFailure) return { type: 'TimedOut', message: 'the run ran into its time limit' };
  const inner = cause?.cause instanceof Error ? cause.cause : cause;
  return { type: 'Failed', message: inner?.message ?? message };
}

/** How far it was when it was last asked: nobody but it could tell more, and it has ended without a result. */
function farBy(message: string, seen: RunProgress | undefined): string {
  if (!seen) return message;
  const { doing, done, total, credits } = seen;
  const figures = [
    ...(done === undefined ? [] : [`${number(done)} of ${number(total ?? 0)} done`]),
    ...(credits === undefined ? [] : [`${number(credits)} credits spent`]),
  ];
  return `${message}. It was at this: ${[doing, ...figures].join('; ')}`;
}

async function watch(
  followed: Followed,
  handle: WorkflowHandle,
  view: ReturnType<typeof progressView>,
  end: AbortSignal,
  sees: (progress: RunProgress) => void,
): Promise<void> {
  const { client } = followed;
  const tellQuestion = tellsQuestions(followed, handle, view.note);
  let answeredAt = performance.now();
  let lookedAt = 0;
  let told = '';
  while (!end.aborted) {
    const answer = await client
      .withDeadline(Date.now() + QUERY_MS, () => handle.query('progress'))
      .catch(() => undefined);
    const { data } = RunProgress.safeParse(answer);
    if (end.aborted) return;
    if (data) {
      answeredAt = performance.now();
      told = '';
      sees(data);
      // Above what shows how far it is.
      await tellQuestion(data).catch(() => undefined);
      view.show(data);
    } else if (performance.now() - Math.max(answeredAt, lookedAt) > SILENT_MS) {
      const failing = await failingTasks(client, handle.workflowId).catch(() => undefined);
      lookedAt = performance.now();
      const why = failing ? `It does not go on: ${failing.cause}. To mend it, ${failing.mend}.` : NO_ANSWER;
      if (why !== told) view.note(why);
      told = why;
    }
    await sleep(EVERY_MS, undefined, { signal: end }).catch(() => undefined);
  }
}
