/** What people say to runs by their updates. Strict: a field that is not known is refused with the nearest right name. */
import { z } from 'zod';
import { MOST_CREDITS } from '../agent-api/credits';
import { Credits, RecordId, TimeZone } from './fields';

const by = z.string().max(200).describe('Who says it; kept in the result.').optional();
const reason = z.string().max(1000).describe('Why; kept in the result.');

/** The arguments of a refinement: a change of nothing is a mistake. */
export const someOf = (...fields: readonly string[]) =>
  [
    (said: object) => fields.some((field) => Reflect.get(said, field) !== undefined),
    {
      error: `at least one of ${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}`,
      when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
    },
  ] as const;

/** With any update; all of it may be left out. */
export const PersonNote = z.strictObject({ by, reason: reason.optional() });
export type PersonNote = z.output<typeof PersonNote>;

/** The answer to the question whether something happened. */
export const DecideSaid = PersonNote.extend({ decision: z.enum(['itHappened', 'sendAgain', 'giveUp']) });
export type DecideSaid = z.output<typeof DecideSaid>;

/** Which project a lead became. */
export const ProjectSaid = PersonNote.extend({ projectId: RecordId });
export type ProjectSaid = z.output<typeof ProjectSaid>;

/** Which capture a note became. */
export const CaptureSaid = PersonNote.extend({ captureId: RecordId });
export type CaptureSaid = z.output<typeof CaptureSaid>;

/** `now`: without waiting for what is under way. */
export const StopSaid = PersonNote.extend({ now: z.boolean().optional() });
export type StopSaid = z.output<typeof StopSaid>;

/** Changes of an account's books need a reason. */
export const Reasoned = z.strictObject({
  by,
  reason: reason.regex(/\S/).meta({ allowed: "why, for example 'month end'" }),
});
export type Reasoned = z.output<typeof Reasoned>;

/** `parks`: also what the service asked to wait for with a 429, which it may answer with another one (S5). */
export const ReleaseSaid = Reasoned.extend({ parks: z.boolean().optional() });
export type ReleaseSaid = z.output<typeof ReleaseSaid>;

/** An open send that is over and did not happen. */
export const ClearSaid = Reasoned.extend({
  subject: z.string().min(1).max(1_000).meta({ allowed: "a subject as the ledger's status lists it under 'open'" }),
});
export type ClearSaid = z.output<typeof ClearSaid>;

/** Credits to add to today's sum; negative ones are taken off. */
export const AdjustSaid = Reasoned.extend({ credits: z.int().min(-MOST_CREDITS).max(MOST_CREDITS) });
export type AdjustSaid = z.output<typeof AdjustSaid>;

/** What may be spent from now on; `perDay` null: no limit. */
export const BudgetSaid = Reasoned.extend({
  perDay: Credits.nullable().optional(),
  balanceFloor: Credits.optional(),
  timeZone: TimeZone.optional(),
}).refine(...someOf('perDay', 'balanceFloor', 'timeZone'));
export type BudgetSaid = z.output<typeof BudgetSaid>;
