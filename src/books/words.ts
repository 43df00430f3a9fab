/**
 * On whose word was paid, by what the books keep: what people said to runs, and who or what began these. It is the last word
 * before the payment that let its run spend. A run whose child pays is known by the key that the child was given.
 */
import { z } from 'zod';
import type { Booking } from '../paying/open-sends';
import { parseStored } from '../storage/stored-json';
import type { Act, Entry } from './entry';

/** Who gave the word, and what tells it. */
export interface Word {
  /**
   * `principal`: the server says who. `client`: the client that sent it calls itself so. `message`: it says so itself. `schedule`:
   * the run says that this schedule began it. `nobody`: the books do not tell.
   */
  readonly by: 'principal' | 'client' | 'message' | 'schedule' | 'nobody';
  readonly name: string;
  /** It is a budget in the input with which a run was started. */
  readonly isBudget?: boolean;
}

/** What was booked, and on whose word. */
export interface AllowedPayment {
  readonly booked: Booking;
  readonly word: Word;
}

export const NOBODY: Word = { by: 'nobody', name: '' };

/** What is said stands in the books a while after a run has heard it, and may have paid by it; milliseconds. */
const WRITTEN_LATE_MS = 120_000;
/** So many runs are remembered, of each so many words, and so many payments that are under way or wait for their words. */
const MOST_RUNS = 20_000;
const MOST_WORDS = 50;
const MOST_PENDING = 10_000;

const Most = z.number().nullish().catch(undefined);
/** What is read of what was said. */
const Said = z.object({
  schedule: z.string().optional().catch(undefined),
  approval: z.unknown().optional(),
  decision: z.unknown().optional(),
  maxCredits: Most,
  maxConversions: Most,
  maxItems: Most,
});
type Said = z.infer<typeof Said>;
const LIMITS = ['maxCredits', 'maxConversions', 'maxItems'] as const;

type Heard = Pick<Act, 'update' | 'when'> & { readonly said: Said; readonly word: Word };
/** A payment as it was about to leave. */
type Sent = Pick<Extract<Entry, { kind: 'sending' }>, 'attempt' | 'run' | 'at'>;

export class Words {
  /** By workflow ID: what was said to it, also to runs that had the ID before. The last used comes last. */
  readonly #runs = new Map<string, readonly Heard[]>();
  /** What was about to leave, by subject. */
  readonly #sent = new Map<string, Sent>();
  readonly #pending: { booked: Booking; sent: Sent }[] = [];

  /** The next entry, with what it books. @returns the payments whose words are known by now */
  hear(entry: Entry, booked: Booking | undefined): AllowedPayment[] {
    if (entry.kind === 'begun')
      for (const [subject, { attempt, run, grantedAt }] of Object.entries(entry.open))
        this.#send(subject, { attempt, run, at: grantedAt });
    if (entry.kind === 'act') this.#keep(entry);
    if (entry.kind === 'sending') this.#send(entry.subject, entry);
    if (entry.kind === 'became') {
      const { subject, attempt, run, at, settlement } = entry;
      const known = this.#sent.get(subject);
      const isIt = known !== undefined && (known.attempt === attempt || settlement.kind === 'foundPaid');
      if (booked) this.#pending.push({ booked, sent: isIt ? known : { attempt, run, at } });
      if (isIt) this.#sent.delete(subject);
    }
    const overdue = this.#pending.length - MOST_PENDING;
    return this.#allowed(({ sent }, i) => entry.at > sent.at + WRITTEN_LATE_MS || i < overdue);
  }

  /** The payments whose words were still waited for. */
  end(): AllowedPayment[] {
    return this.#allowed(() => true);
  }

  /** The first ones, up to one that is not due. */
  #allowed(isDue: (pending: { sent: Sent }, i: number) => boolean): AllowedPayment[] {
    const end = this.#pending.findIndex((one, i) => !isDue(one, i));
    const due = this.#pending.splice(0, end < 0 ? this.#pending.length : end);
    return due.map(({ booked, sent }) => ({ booked, word: this.#wordOn(sent) }));
  }

  #send(subject: string, { attempt, run, at }: Sent): void {
    put(this.#sent, subject, { attempt, run, at }, MOST_PENDING);
  }

  #keep(act: Act): void {
    const { update, when, workflowId } = act;
    const said: Said = parseStored(act.said, Said) ?? {};
    const known = this.#runs.get(workflowId) ?? [];
    put(
      this.#runs,
      workflowId,
      [...known, { update, when, said, word: wordOf(act, said) }].slice(-MOST_WORDS),
      MOST_RUNS,
    );
  }

  #wordOn({ attempt, run, at }: Sent): Word {
    const sender = /^(.*)#[^#/]+\/[^#/]+\/[^#/]+$/s.exec(attempt)?.[1] ?? '';
    const ofSender = this.#before(sender, at);
    // Any key can be given to a run that somebody starts: its own beginning tells more.
    const isRoot = ofSender.some(({ update }) => update === 'start');
    const ofRoot = isRoot ? ofSender : this.#before(run.replace(/\/[^/]*$/, ''), at);
    const again = ofSender.filter(({ update }) => update === 'decide');
    return lastAllowing([...ofRoot.filter(({ update }) => update !== 'decide'), ...again])?.word ?? NOBODY;
  }

  /** What was said to the run that had this ID at a moment, by then. */
  #before(workflowId: string, at: number): readonly Heard[] {
    const all = this.#runs.get(workflowId);
    if (!all) return [];
    put(this.#runs, workflowId, all, MOST_RUNS);
    const heard = all.filter(({ when }) => when <= at);
    const began = Math.max(...heard.map(({ update, when }) => (update === 'start' ? when : 0)));
    return heard.filter(({ when }) => when >= began);
  }
}

/** The last word by which the run may spend. */
function lastAllowing(heard: readonly Heard[]): Heard | undefined {
  let last: Heard | undefined;
  const most: Partial<Record<(typeof LIMITS)[number], number>> = {};
  // At the same moment the beginning comes first.
  const rank = ({ update }: Heard) => (update === 'start' ? 0 : 1);
  for (const one of [...heard].sort((a, b) => a.when - b.when || rank(a) - rank(b))) {
    const { update, said } = one;
    const isMore = LIMITS.filter((limit) => {
      const { [limit]: now } = said;
      if (now === undefined) return false;
      const before = most[limit] ?? 0;
      most[limit] = now ?? Number.POSITIVE_INFINITY;
      return most[limit] > before;
    });
    const isAllowed =
      update === 'approve' ||
      update === 'retryFailed' ||
      (update === 'start' && said.approval !== 'all') ||
      (update === 'changeLimits' && isMore.length > 0) ||
      (update === 'decide' && said.decision === 'sendAgain');
    if (isAllowed) last = one;
  }
  return last;
}

function wordOf({ update, by, identity, principal }: Act, said: Said): Word {
  const isStart = update === 'start';
  if (isStart && said.schedule !== undefined) return { by: 'schedule', name: said.schedule };
  const isBudget = isStart && LIMITS.some((limit) => said[limit] !== undefined);
  const found: Word = principal
    ? { by: 'principal', name: principal }
    : identity
      ? { by: 'client', name: identity }
      : by
        ? { by: 'message', name: by }
        : NOBODY;
  return isBudget ? { ...found, isBudget } : found;
}

/** As the last; without the first where there are too many. */
function put<T>(all: Map<string, T>, key: string, value: T, most: number): void {
  all.delete(key);
  all.set(key, value);
  const [first] = all.keys();
  if (all.size > most && first !== undefined) all.delete(first);
}
