/** The input of the workflow `backfill`. */
import { z } from 'zod';
import { AuditProjectInput } from './audit-project';
import { ConvertLeadInput } from './convert-lead';
import { Account, Credits, RecordId } from './fields';
import { IngestCaptureInput } from './ingest-capture';
import { LeadPipelineInput, resolveApproval as resolvePipelineApproval } from './lead-pipeline';
import { PersonNote, someOf } from './person-messages';
import { runFields } from './run-fields';

/** What can be done to each item. `reprocessCapture` is an `ingestCapture` that extracts again what is processed already. */
export const OPERATIONS = ['convertLead', 'auditProject', 'ingestCapture', 'reprocessCapture'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What the input of one item may be, by operation. */
export const itemSchemas = {
  convertLead: ConvertLeadInput,
  auditProject: AuditProjectInput,
  ingestCapture: IngestCaptureInput,
  reprocessCapture: IngestCaptureInput,
} as const satisfies Record<Operation, z.ZodType>;

/** Fields of an item's input that the backfill itself fills in. */
export const OWN_FIELDS = ['account', 'run', 'priority'] as const;

/** The fields that a row of a file, or `defaults`, may have. */
export const itemFields = (operation: Operation): string[] =>
  Object.keys(itemSchemas[operation].shape).filter((field) => !OWN_FIELDS.some((own) => own === field));

const { view, surveyLink, surveyStatus, createdSince, scoring, approval, approvalDeadline } = LeadPipelineInput.shape;

const Leads = z.strictObject({
  ...{ view, surveyLink, surveyStatus, createdSince },
  scoring: scoring.describe('The rules by which leads are chosen, as in leadPipeline.'),
});

const Captures = z.strictObject({
  status: z
    .enum(['pending', 'processing', 'processed', 'needs_review', 'failed'])
    .optional()
    .describe('Only captures in this status. Default: in any.'),
  channel: z
    .enum(['transcript', 'voice_note', 'text_note', 'email', 'calendar', 'zoom', 'crm_sync', 'file_drop'])
    .optional()
    .describe('Only captures of this channel. Default: of all.'),
  projectId: RecordId.optional().describe('Only captures of this project. Default: of all.'),
});

const FORMATS = ['csv', 'jsonl'] as const;
export type FileFormat = (typeof FORMATS)[number];

/** The format that a name's ending stands for. */
export const formatOf = (ref: string): FileFormat | undefined =>
  /\.(csv|tsv)$/i.test(ref) ? 'csv' : /\.(jsonl|ndjson)$/i.test(ref) ? 'jsonl' : undefined;

const File = z
  .strictObject({
    ref: z.string().min(1).max(1024).describe('Reference of the file in the storage. Required.'),
    format: z
      .enum(FORMATS)
      .optional()
      .describe('How it is written; UTF-8 only. Default: by the ending, .csv and .tsv or .jsonl and .ndjson.'),
    delimiter: z
      .string()
      .length(1)
      .optional()
      .describe("What separates the columns of a CSV file. Default ',', and a tab for .tsv."),
    columns: z
      .record(z.string().min(1).max(200), z.string().min(1).max(200))
      .optional()
      .describe(
        'Which column is which field, such as {"Lead ID": "leadId", "Client": "project.clientName"}; other columns are not ' +
          'read. Default: columns that are called as the fields are.',
      ),
  })
  .refine(({ ref, format }) => format !== undefined || formatOf(ref) !== undefined, {
    error: "'csv' or 'jsonl', for the ending of ref does not tell",
    path: ['format'],
  });

const SOURCES = ['leads', 'captures', 'file', 'redriveOf'] as const;

/**
 * What `backfill` takes: an operation and one source of items. `createdSince` is a moment once parsed; `approval` is
 * settled by {@link resolveApproval}.
 */
export const BackfillInput = z
  .strictObject({
    account: Account,
    operation: z
      .enum(OPERATIONS)
      .optional()
      .describe('What is done to each item. Required, but with redriveOf, where it is that of the earlier run.'),
    leads: Leads.optional().describe('Source: the leads that match, oldest first. `{}` takes what leadPipeline would.'),
    captures: Captures.optional().describe('Source: the captures that match. `{}` takes all.'),
    file: File.optional().describe('Source: a CSV or JSON Lines file of the storage, a row for each item.'),
    redriveOf: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('Source: what an earlier backfill that has ended has not done: its workflow ID.'),
    redrive: z
      .array(z.enum(['failed', 'waiting', 'skipped']))
      .min(1)
      .default(['failed', 'waiting', 'skipped'])
      .describe(
        "Which of them are taken, by what became of them; what was never begun is 'skipped'. Default: all that is not done.",
      ),
    defaults: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("Fields of the operation's own input that all items share; a row's own value wins. Default none."),
    maxItems: z.int().min(0).optional().describe('Most items that are begun. Default: all.'),
    maxCredits: Credits.default(10_000).describe('Most credits that all items together spend. Default 10000.'),
    window: z
      .int()
      .min(1)
      .max(500)
      .default(50)
      .describe('Most items under way at once, those not counted that only wait. Default 50.'),
    itemsPerMinute: z
      .number()
      .min(0.01)
      .max(100_000)
      .optional()
      .describe("Most items begun in a minute. Default: as fast as the API's limits allow."),
    priority: runFields.priority
      .default(5)
      .describe("Place in the account's queue, 1 first and 5 last. Default 5, behind people (2) and pipelines (3)."),
    approval: approval.describe(
      "Whether a person approves before anything is spent: 'all' always, 'none' never, {above} only when more credits are " +
        "planned. Default: 'none' when the input names maxCredits or maxItems, else 'all'.",
    ),
    approvalDeadline,
    dryRun: z.boolean().default(false).describe('Only plan: read and count, and write nothing. Default false.'),
  })
  .describe('Exactly one of `leads`, `captures`, `file` and `redriveOf` says which items.')
  .superRefine((input, context) => {
    const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path });
    const given = SOURCES.filter((source) => input[source] !== undefined);
    if (given.length !== 1)
      refuse(
        `exactly one source of leads, captures, file or redriveOf: ${given.length === 0 ? 'none of them was' : `${given.join(' and ')} were`} given`,
      );
    const { operation } = input;
    if (operation === undefined) {
      if (input.redriveOf === undefined)
        refuse("one of 'convertLead', 'auditProject', 'ingestCapture', 'reprocessCapture'", ['operation']);
      return;
    }
    const ofLeads = operation === 'convertLead' || operation === 'auditProject';
    if (input.leads && !ofLeads) refuse("'convertLead' or 'auditProject' where the source is leads", ['operation']);
    if (input.captures && ofLeads)
      refuse("'ingestCapture' or 'reprocessCapture' where the source is captures", ['operation']);
    const fields = itemFields(operation);
    for (const field of Object.keys(input.defaults))
      if (!fields.includes(field))
        refuse(`a field of ${operation}, and not the backfill's own: ${fields.join(', ')}`, ['defaults', field]);
  });
/** The input once parsed. */
export type BackfillInput = z.output<typeof BackfillInput>;
/** The input as it is written. */
export type BackfillJson = z.input<typeof BackfillInput>;

const Named = z.object({ approval: z.unknown(), maxCredits: z.unknown(), maxItems: z.unknown() }).partial();

/** Whoever names a budget has approved it: without `approval` only a run on default budgets asks. */
export function resolveApproval(raw: unknown): ReturnType<typeof resolvePipelineApproval> {
  const { data } = Named.safeParse(raw ?? {});
  return resolvePipelineApproval({
    ...(data?.approval !== undefined && { approval: data.approval }),
    ...(data?.maxCredits !== undefined && { maxCredits: data.maxCredits }),
    ...(data?.maxItems !== undefined && { maxConversions: data.maxItems }),
  });
}

/** What a person may change while it runs. */
export const LimitChanges = z
  .strictObject({
    window: BackfillInput.shape.window.unwrap().optional().describe('Most items under way at once. Default: as it is.'),
    itemsPerMinute: BackfillInput.shape.itemsPerMinute
      .unwrap()
      .nullable()
      .optional()
      .describe("Most items begun in a minute; null: as fast as the API's limits allow. Default: as it is."),
    maxItems: z.int().min(0).nullable().optional().describe('Most items that are begun; null: all. Default: as it is.'),
    maxCredits: Credits.optional().describe('Most credits that all items together spend. Default: as it is.'),
    ...PersonNote.shape,
  })
  .refine(...someOf('window', 'itemsPerMinute', 'maxItems', 'maxCredits'));
export type LimitChanges = z.output<typeof LimitChanges>;
