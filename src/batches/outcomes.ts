/** What became of an item, in the words of the item ledger (S6). Pure. */
import { z } from 'zod';
import type { Operation } from '../inputs/backfill';
import { concernsAccount } from '../ledger/account-failures';
import { outcomeInWords } from '../runs/reason-words';

export const OUTCOMES = ['done', 'alreadyDone', 'skipped', 'failed', 'waiting', 'quarantined'] as const;
/** `alreadyDone`: by another run or somebody else. `waiting`: for a person, or for its own run, which goes on. */
export type OutcomeWord = (typeof OUTCOMES)[number];
/** For people, behind a number. */
export const OUTCOME_WORDS = Object.fromEntries(OUTCOMES.map((word) => [word, outcomeInWords(word)])) as Readonly<
  Record<OutcomeWord, string>
>;
export type Counts = Record<OutcomeWord, number>;
export const noCounts = (): Counts => ({ done: 0, alreadyDone: 0, skipped: 0, failed: 0, waiting: 0, quarantined: 0 });

/** How one item ended. */
export const Ended = z.object({
  outcome: z.enum(OUTCOMES),
  /** A stable code: why, or for whom it waits. */
  reason: z.string().optional(),
  /** Credits that it cost this backfill, as booked. */
  credits: z.number(),
  /** What came of it: the project's or the capture's ID. */
  ref: z.string().optional(),
});
/** `paidBefore`: a look has found the credits paid, with the same budget; an earlier try may have told them. */
export type Ended = z.output<typeof Ended> & { paidBefore?: true };

/**
 * What one try adds to its item, whose credits are the sum of its tries. What a try finds paid for may be told already; what
 * it has paid itself is not, also where the books remember only its payment.
 * @param spent credits that earlier tries have told
 */
export const thisTry = ({ paidBefore, ...ended }: Ended, spent = 0): z.output<typeof Ended> => ({
  ...ended,
  credits: paidBefore ? Math.max(0, ended.credits - spent) : ended.credits,
});

/** A line of the item ledger. */
export const LedgerLine = z.object({
  /** The item's place in the list; absent for a row that never became one. */
  n: z.int().optional(),
  /** Its line in the source file. */
  line: z.int().optional(),
  id: z.string().optional(),
  ...Ended.shape,
  /** The run that did it. */
  run: z.string().optional(),
  /** ISO 8601. */
  at: z.string().optional(),
});
export type LedgerLine = z.output<typeof LedgerLine>;

const ChildResult = z.looseObject({
  outcome: z.string(),
  reason: z.string().optional(),
  credits: z.number().default(0),
  paidBefore: z.literal(true).optional(),
  projectId: z.string().optional(),
  captureId: z.string().optional(),
  submitted: z.boolean().default(false),
  reprocesses: z.number().default(0),
  analysis: z.object({ how: z.string() }).optional(),
});

/** What a run's own result means for its item. */
export function endedBy(operation: Operation, result: unknown): Ended {
  const parsed = ChildResult.safeParse(result);
  if (!parsed.success) return { outcome: 'failed', reason: 'unreadableResult', credits: 0 };
  const { outcome, reason, credits, paidBefore, projectId, captureId, submitted, reprocesses, analysis } = parsed.data;
  const ref = operation === 'convertLead' || operation === 'auditProject' ? projectId : captureId;
  const ended = (word: OutcomeWord, why = reason): Ended => ({
    outcome: word,
    ...(why && { reason: why }),
    credits,
    ...(ref && { ref }),
    ...(paidBefore && { paidBefore }),
  });
  switch (outcome) {
    case 'converted':
      return ended('done');
    case 'alreadyConverted':
      return ended('alreadyDone');
    case 'audited':
      return ended(analysis?.how === 'existing' && credits === 0 ? 'alreadyDone' : 'done');
    case 'processed':
    case 'accepted':
      return ended(submitted || reprocesses > 0 ? 'done' : 'alreadyDone');
    case 'skipped':
      return ended('skipped');
    case 'unresolved':
      // Nobody could tell, so it may have happened: no failure (S6).
      return ended('waiting', `person: ${reason ?? 'unresolved'}`);
    default:
      return ended('failed', reason ?? outcome);
  }
}

/**
 * What a run that was there already means for its item, where it did it. The credits of another's run are that run's.
 * @param own whether this very batch has begun it
 * @returns undefined when it did not do it
 */
export function doneBefore(ended: Ended | undefined, own = false): Ended | undefined {
  if (ended?.outcome !== 'done' && ended?.outcome !== 'alreadyDone') return undefined;
  const { ref } = ended;
  return own ? ended : { outcome: 'alreadyDone', reason: 'inAnotherRun', credits: 0, ...(ref && { ref }) };
}

/** A refusal that every further item would meet too. */
export const stopsAll = ({ outcome, reason }: Ended): boolean =>
  outcome === 'failed' && reason !== undefined && concernsAccount(reason);
