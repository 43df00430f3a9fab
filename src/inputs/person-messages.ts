/** What people say to runs by their updates. Strict: a field that is not known is refused with the nearest right name. */
import { z } from 'zod';
import { MOST_CREDITS } from '../agent-api/credits';
import { Credits, RecordId, TimeZone } from './fields';

const by = z.string().max(200).describe("Who says it; kept. Default 'somebody'.").optional();
const reason = z.string().max(1000).describe('Why; kept.');
const run = z
  .string()
  .max(1000)
  .describe(
    'The workflow ID of the run that it is for; any other run refuses it. Required of what a form encrypts where `encryption.require` is set: a codec server does not know which run it is for.',
  )
  .optional();

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
export const PersonNote = z.strictObject({ by, reason: reason.optional(), run });
export type PersonNote = z.output<typeof PersonNote>;

/** The answer to the question whether something happened. */
export const DecideSaid = PersonNote.extend({
  decision: z
    .enum(['itHappened', 'sendAgain', 'giveUp'])
    .describe(
      'Whether it happened, or did not and is to be sent again, or is left as it is. Look into the web app first. Required.',
    ),
});
export type DecideSaid = z.output<typeof DecideSaid>;

/** Which project a lead became. */
export const ProjectSaid = PersonNote.extend({ projectId: RecordId.describe('The project. Required.') });
export type ProjectSaid = z.output<typeof ProjectSaid>;

/** Which capture a note became. */
export const CaptureSaid = PersonNote.extend({ captureId: RecordId.describe('The capture. Required.') });
export type CaptureSaid = z.output<typeof CaptureSaid>;

/** How a pipeline or a backfill is stopped. */
export const StopSaid = PersonNote.extend({
  now: z.boolean().optional().describe('Do not wait for calls in flight. Default false.'),
});
export type StopSaid = z.output<typeof StopSaid>;

/** Changes of an account's books need a reason. */
export const Reasoned = z.strictObject({
  by,
  reason: reason.regex(/\S/).meta({ allowed: "why, for example 'month end'" }),
  run,
});
export type Reasoned = z.output<typeof Reasoned>;

/** Which holds are lifted. */
export const ReleaseSaid = Reasoned.extend({
  parks: z
    .boolean()
    .optional()
    .describe(
      'Also what the service asked to wait for with a 429, which it may answer with another one. Default false.',
    ),
});
export type ReleaseSaid = z.output<typeof ReleaseSaid>;

/** An open send that is over and did not happen. */
export const ClearSaid = Reasoned.extend({
  subject: z
    .string()
    .min(1)
    .max(1_000)
    .meta({ allowed: "a subject as the ledger's status lists it under 'open'" })
    .describe('What the call was about. Required.'),
});
export type ClearSaid = z.output<typeof ClearSaid>;

/** A correction of today's sum. */
export const AdjustSaid = Reasoned.extend({
  credits: z
    .int()
    .min(-MOST_CREDITS)
    .max(MOST_CREDITS)
    .describe('Credits to add to what was spent today; negative ones are taken off. Required.'),
});
export type AdjustSaid = z.output<typeof AdjustSaid>;

/** What may be spent from now on; what is left out stays as it is. */
export const BudgetSaid = Reasoned.extend({
  perDay: Credits.nullable()
    .optional()
    .describe(
      'Most credits of a day, at most as many as configured; null: no limit, where none is configured. Default: as it is.',
    ),
  balanceFloor: Credits.optional().describe(
    'Credits that must remain of the balance, at least as many as configured. Default: as it is.',
  ),
  timeZone: TimeZone.optional().describe('In which a day begins. Default: as it is.'),
}).refine(...someOf('perDay', 'balanceFloor', 'timeZone'));
export type BudgetSaid = z.output<typeof BudgetSaid>;
