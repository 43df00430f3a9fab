/** The input of the workflow `leadPipeline`. */
import { z } from 'zod';
import { auditFields } from './audit-project';
import { Account, Credits, Duration, Since, Uuid } from './fields';
import { PersonNote, someOf } from './person-messages';

const percent = z.number().min(0).max(100);
const weight = z.number().min(0).max(100);
const bonus = z.number().min(0).max(50);

const Weights = z
  .strictObject({
    readiness: weight.default(1).describe('Weight of the AI readiness score in the score. Default 1.'),
    composite: weight.default(1).describe('Weight of the composite score, where a lead has one. Default 1.'),
    hasEmail: bonus.default(0).describe('Points added when the lead left an e-mail address. Default 0.'),
    hasPhone: bonus.default(0).describe('Points added when the lead left a phone number. Default 0.'),
  })
  .refine((w) => w.readiness !== 0 || w.composite !== 0, 'weights of which readiness or composite is above 0');

const Exclude = z.strictObject({
  names: z
    .array(
      z
        .string()
        .max(200)
        .regex(/[^*\s]/)
        .meta({ allowed: "a name of 1 to 200 characters, with * for any text, such as 'Test*'" }),
    )
    .max(1000)
    .default([])
    .describe(
      'Client or business names to leave out: the whole name, upper or lower case, * for any text. Default none.',
    ),
  emailDomains: z
    .array(
      z
        .string()
        .max(254)
        .regex(/^@?[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u)
        .meta({ allowed: "an e-mail domain such as 'example.com'" }),
    )
    .max(1000)
    .default([])
    .describe('E-mail domains to leave out, their subdomains included. Default none.'),
});

const Scoring = z.strictObject({
  minReadiness: percent
    .default(60)
    .describe('Least AI readiness score (0 to 100). 0 also takes leads that have no readiness score. Default 60.'),
  minComposite: percent
    .optional()
    .describe('Least composite score (0 to 100), asked only of leads that have one. Default: not asked.'),
  weights: Weights.prefault({}).describe(
    'How the score is made: the weighted mean of the scores a lead has, plus the points of hasEmail and hasPhone.',
  ),
  minScore: z.number().min(0).max(200).optional().describe('Least score (0 to 200). Default: not asked.'),
  require: z
    .array(z.enum(['email', 'phone', 'businessName', 'clientName']))
    .default([])
    .describe('What a lead must have filled in. Default nothing.'),
  exclude: Exclude.prefault({}).describe('Leads to leave out. Default none.'),
});

const approval = z
  .union([
    z.enum(['none', 'all']),
    z.strictObject({ above: Credits.describe('Credits above which a person approves.') }),
  ])
  .meta({ allowed: "'none', 'all' or {\"above\": credits}" });

/**
 * What `leadPipeline` takes: one JSON object in which everything has a default. Durations are milliseconds and
 * `createdSince` is a moment once parsed; `approval` is settled by {@link resolveApproval}.
 */
export const LeadPipelineInput = z.strictObject({
  account: Account,
  view: z
    .enum(['active', 'archived', 'all'])
    .default('active')
    .describe("Which view of the lead list is read; separate from surveyStatus. Default 'active'."),
  surveyLink: Uuid.optional().describe('Only leads of this survey link (its UUID). Default: of all links.'),
  surveyStatus: z
    .array(z.enum(['pending', 'completed', 'archived']))
    .min(1)
    .default(['completed'])
    .describe("Which survey statuses are wanted; a converted lead is never converted again. Default ['completed']."),
  createdSince: Since.optional().describe(
    "Only leads created since this moment, or within this duration, such as '7d'. Default: all.",
  ),
  scoring: Scoring.prefault({}).describe('The rules by which leads are chosen.'),
  order: z
    .enum(['score', 'oldest', 'newest'])
    .default('score')
    .describe("Which leads come first when not all can be converted. Default 'score', the highest first."),
  maxConversions: z.int().min(0).max(400).default(10).describe('Most leads that this run converts. Default 10.'),
  maxCredits: Credits.default(10_000).describe('Most credits that this run spends. Default 10000.'),
  approval: approval
    .optional()
    .describe(
      "Whether a person approves before anything is spent: 'all' always, 'none' never, {above} only when more credits are " +
        "planned. Default: 'none' when the input names maxCredits or maxConversions, else 'all'.",
    ),
  approvalDeadline: Duration.prefault('24h').describe('How long the run waits for the approval. Default 24h.'),
  then: z
    .enum(['nothing', 'audit'])
    .default('nothing')
    .describe("What follows for each converted lead: 'audit' starts an auditProject of its own. Default 'nothing'."),
  audit: z
    .strictObject(auditFields)
    .optional()
    .describe("How those audits are run, with then: 'audit'. Default: as auditProject does."),
  dryRun: z.boolean().default(false).describe('Only plan: read and decide, and write nothing. Default false.'),
  concurrency: z
    .int()
    .min(1)
    .max(50)
    .default(10)
    .describe('Most conversions under way at once, those not counted that only wait. Default 10.'),
});
/** The input once parsed. */
export type LeadPipelineInput = z.output<typeof LeadPipelineInput>;
/** The input as a person or a schedule writes it. */
export type LeadPipelineJson = z.input<typeof LeadPipelineInput>;

/** What the update `changeLimits` takes: what is left out stays as it is. */
export const LimitChanges = z
  .strictObject({
    maxConversions: z
      .int()
      .min(0)
      .max(400)
      .optional()
      .describe('Most leads that this run converts. Default: as it is.'),
    maxCredits: Credits.optional().describe('Most credits that this run spends. Default: as it is.'),
    concurrency: z.int().min(1).max(50).optional().describe('Most conversions under way at once. Default: as it is.'),
    ...PersonNote.shape,
  })
  .refine(...someOf('maxConversions', 'maxCredits', 'concurrency'));
export type LimitChanges = z.output<typeof LimitChanges>;

/** When a person must approve what a run is about to spend. */
export type Approval = z.output<typeof approval>;

/** The fields of an input, before their defaults, that say who approved what. */
const Named = z.object({ approval, maxCredits: z.unknown(), maxConversions: z.unknown() }).partial();

/**
 * Whoever names a budget has approved it: without `approval` only a run on default budgets asks.
 * @param raw the input as it was written, since only before the defaults can it be seen what a person named
 */
export function resolveApproval(raw: unknown): Approval {
  const { data } = Named.safeParse(raw ?? {});
  if (data?.approval !== undefined) return data.approval;
  return data?.maxCredits !== undefined || data?.maxConversions !== undefined ? 'none' : 'all';
}

/** Whether a person is asked before so many credits are spent. */
export function needsApproval(approval: Approval, credits: number): boolean {
  if (credits === 0 || approval === 'none') return false;
  return approval === 'all' || credits > approval.above;
}
