/**
 * What people say to a run, and it takes, is kept in the books of its account (S8), with what Temporal knows of who said it.
 * What lets more be spent counts when it is written; everything else counts at once, and a run that comes to its end well waits
 * until it is written and told, or each was tried for ten minutes.
 */
import type { ActivityOptions, UpdateInput, WorkflowInboundCallsInterceptor } from '@temporalio/workflow';
import { ApplicationFailure, allHandlersFinished, CancellationScope, condition, patched } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes';
import type { Activities } from '../../activities';
import type { ActKept } from '../../activities/acts';
import { INTERNAL_UPDATES } from '../../src/ledger/messages';
import { FailureType } from '../../src/runs/failure-types';
import { accountOfRun, onControlQueue } from './control-queue';
import { failureSentence } from './failures';
import { hear as hearInOrder, whyOvertaken } from './overtaken';
import { lastNoted } from './said';
import { ownStatus } from './status';
import { tell } from './tell';

const options: Omit<ActivityOptions, 'taskQueue'> = {
  startToCloseTimeout: '20 seconds',
  scheduleToCloseTimeout: '10 minutes',
  retry: { initialInterval: '500 ms', maximumInterval: '10 seconds' },
  allowEagerDispatch: false,
  summary: 'What a person said, for the books',
};
const books = onControlQueue<Activities>(options);
/** A person waits for the answer. */
const booksSoon = onControlQueue<Activities>({ ...options, scheduleToCloseTimeout: '15 seconds' });

/** How long somebody is told of an act; a run that has ended its work waits for that. */
const TELL_WITHIN_MS = 60_000;

/** Of this run: acts that are to be written. It has its modules for itself. */
let begun = 0;
/** Those of them that are written, or were tried for long enough. */
let ended = 0;
/** Acts of which somebody was told. */
let told = 0;

export const hasUnwritten = (): boolean => begun > ended;

/** Every message is answered and written down: the condition for continuing as new, or for ending. */
export const allHandled = (): boolean => allHandlersFinished() && !hasUnwritten();

/** The last wait before a result: who said something is answered, and a cancellation now takes no result away (S6). */
export const allAnswered = (): Promise<void> =>
  CancellationScope.nonCancellable(async () => {
    if (allHandled()) return;
    const status = ownStatus();
    status?.waits(
      "What people said to this run is written into the account's books; the run ends when it is, or when that was tried for ten minutes.",
    );
    await condition(allHandled);
    status?.goesOn();
  });

/**
 * Waits until every message is answered and written down: as long as the next one is written within `eachMs`, and `atMostMs` at
 * most, milliseconds.
 */
export async function handledWhileWritten(eachMs: number, atMostMs: number): Promise<void> {
  const until = Date.now() + atMostMs;
  while (!allHandled() && Date.now() < until) {
    const before = ended;
    if (!(await condition(() => allHandled() || ended > before, eachMs))) return;
  }
}

const loosening = new Map<string, (said: never) => boolean>();

/**
 * What an update says lets more be spent than before, so it counts when it is written (S8).
 * @param when whether it does; called where it was found valid
 */
export function loosens<T>(update: string, when: (said: T) => boolean = () => true): void {
  loosening.set(update, when);
}

export const keepsActs: WorkflowInboundCallsInterceptor = {
  handleUpdate(input, next) {
    if (INTERNAL_UPDATES.has(input.name)) return next(input);
    const over = hearInOrder(input);
    const answer = handle(input, next);
    answer.then(over, over);
    return answer;
  },
};

type Handle = (input: UpdateInput) => Promise<unknown>;

function handle(input: UpdateInput, next: Handle): Promise<unknown> {
  const account = accountOfRun();
  const isLoosening = loosening.get(input.name)?.(input.args[0] as never) === true;
  if (account !== undefined && isLoosening && patched('loosensWhenWritten')) return handleWritten(account, input, next);
  const before = lastNoted();
  const answer = next(input);
  const noted = lastNoted();
  if (patched('keepsActs'))
    answer.then(
      () => keep(input, noted === before ? undefined : noted),
      () => undefined,
    );
  return answer;
}

/** Takes an update once it is written. @throws ApplicationFailure where it cannot be, or is too late by then: nothing is changed */
async function handleWritten(account: string, input: UpdateInput, next: Handle): Promise<unknown> {
  const { name } = input;
  const kept = await CancellationScope.nonCancellable(() => write(booksSoon, account, input)).catch(
    (error: unknown) => {
      throw ApplicationFailure.nonRetryable(
        `${name}: nothing was changed, since it cannot be written into the account's books, and only what is written lets anything be spent: ${failureSentence(error)} Send it again when that is mended.`,
        FailureType.storage,
      );
    },
  );
  const before = lastNoted();
  const refusal = refusalOf(input);
  if (refusal !== undefined) {
    const refused = { ...input, name: `${name}, refused`, updateId: `${input.updateId}/refused` };
    inBackground(() => write(books, account, refused));
    throw ApplicationFailure.nonRetryable(refusal, FailureType.badInput);
  }
  const answer = await next(input);
  const noted = lastNoted();
  inBackground(() => hear(account, name, kept, noted === before ? undefined : noted));
  return answer;
}

/** Why what waited to be written is too late by now, if so. */
function refusalOf(input: UpdateInput): string | undefined {
  try {
    getActivator()
      .updateHandlers.get(input.name)
      ?.validator?.(...input.args);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return whyOvertaken(input);
}

/** @param noted puts who it was onto the run's page, and into its result */
function keep(input: UpdateInput, noted: ReturnType<typeof lastNoted>): void {
  const account = accountOfRun();
  if (account === undefined) return;
  inBackground(async () => {
    const kept = await write(books, account, input).catch((error) => {
      // Where it cannot be written down, people are told of it all the same.
      if (!patched('tellsUnkept')) throw error;
      return undefined;
    });
    await hear(account, input.name, kept, noted);
  });
}

const write = (to: typeof books, account: string, { name, updateId, args: [said] }: UpdateInput) =>
  to.keepAct({ account, update: name, id: updateId, said, when: Date.now() });

/** Who it was is shown, and people are told. */
async function hear(account: string, what: string, kept: ActKept | undefined, noted: ReturnType<typeof lastNoted>) {
  const { notice, ...who } = kept ?? { notice: {} };
  if (kept) noted?.({ identity: '', ...who });
  ownStatus()?.heardWho();
  if (notice && (kept === undefined || patched('tellsActs')))
    await tell({ kind: 'personActed', account, what, ...notice, ...who, nth: ++told }, TELL_WITHIN_MS);
}

/** Work that a run which comes to its end waits for. */
function inBackground(work: () => Promise<unknown>): void {
  begun++;
  const over = () => {
    ended++;
  };
  CancellationScope.nonCancellable(work).then(over, over);
}
