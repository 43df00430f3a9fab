/** The input of the workflow `auditProject`. */
import { z } from 'zod';
import { DESCRIPTION_MAX } from '../audits/reference';
import { Account, Credits, Duration, RecordId, Reference } from './fields';
import { BudgetOf, runFields } from './run-fields';

const text = (max: number) => z.string().trim().min(1).max(max);

/** A new project: agent-api.md, "POST /api/projects". */
const NewProject = z.strictObject({
  clientName: text(200).describe('Name of the client. Required.'),
  industry: text(100).optional().describe('Industry, free text. Default: not sent.'),
  companySize: text(50).optional().describe('Size band, free text. Default: not sent.'),
  description: z
    .string()
    .trim()
    .max(DESCRIPTION_MAX)
    .optional()
    .describe(
      'What the audit is about. One that leaves no room for the reference is shortened at first and written in full once the project is known. Default: the reference alone.',
    ),
  currency: z
    .string()
    // No list of them is complete: codes come and go, and the service knows which it takes.
    .regex(/^[A-Z]{3}$/)
    .meta({ allowed: "an ISO 4217 code such as 'EUR'" })
    .optional()
    .describe('Currency. Default: not sent.'),
});

const Document = z.strictObject({
  ref: z
    .string()
    .min(1)
    .max(1024)
    .describe('Reference into the storage: of a document of the account or of one that all accounts share. Required.'),
  fileName: z.string().trim().min(1).optional().describe('Name in the project. Default: the last part of ref.'),
  fileType: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/)
    .meta({ allowed: "a media type such as 'application/pdf'" })
    .optional()
    .describe('Media type. Default: by the ending of the name.'),
});

/** How an audit is run: what `auditProject` and a pipeline that goes on to it have in common. */
export const auditFields = {
  documents: z
    .array(
      z
        .union([z.string().min(1).max(1024), Document])
        .meta({ allowed: 'a reference into the storage or an object with the fields ref, fileName, fileType' })
        .transform((d) => (typeof d === 'string' ? { ref: d } : d)),
    )
    .max(1000)
    .default([])
    .describe('Documents of the storage to upload: references, or objects with ref, fileName, fileType. Default none.'),
  prerequisites: z
    .enum(['wait', 'fail'])
    .default('wait')
    .describe("What to do while the project's document or interview analysis is missing. Default 'wait'."),
  prerequisitesDeadline: Duration.prefault('14d').describe('How long to wait for them. Default 14d.'),
  mode: z
    .enum(['async', 'sync'])
    .default('async')
    .describe("How the audit is run; 'sync' goes on as 'async' when it takes too long. Default 'async'."),
  auditDeadline: Duration.prefault('2d').describe('How long one audit may run. Default 2d.'),
  maxStarts: z.int().min(1).max(10).default(3).describe('How often an audit that failed is started. Default 3.'),
};

/** What `auditProject` takes: one of `project`, `projectId` or `leadId`. Durations are milliseconds once parsed. */
export const AuditProjectInput = z
  .strictObject({
    account: Account,
    project: NewProject.optional().describe('The fields of a new project, which costs credits.'),
    projectId: RecordId.optional().describe('An existing project.'),
    leadId: RecordId.optional().describe('A lead: it is converted first, if it is not yet.'),
    reference: Reference.optional().describe(
      'What makes a new project one and the same however often it is started; written into its description. Default: made ' +
        'from the fields of project, so that the same fields give one project.',
    ),
    keepReference: z
      .boolean()
      .default(true)
      .describe('Leave the reference in the description; false removes it once the project is known. Default true.'),
    ...auditFields,
    again: z
      .boolean()
      .default(false)
      .describe('Run an audit also where a complete one is there and no document was added. Default false.'),
    maxCredits: Credits.default(2000).describe('Most credits that this run spends. Default 2000.'),
    fresh: z
      .boolean()
      .default(false)
      .describe(
        'The projectId or leadId was received from the service just now, which may not show it yet: a 404 is waited out ' +
          "for the account's settling time instead of ending the run. Default false.",
      ),
    run: BudgetOf.describe('The pipeline against whose budget the credits count as well. Default: none.'),
    ...runFields,
  })
  .describe('Exactly one of `project`, `projectId` and `leadId` says which project.')
  .superRefine((input, context) => {
    const given = (['project', 'projectId', 'leadId'] as const).filter((field) => input[field] !== undefined);
    if (given.length === 1) return;
    const message =
      given.length === 0
        ? 'exactly one of project, projectId or leadId: none of them was given'
        : `exactly one of project, projectId or leadId: ${given.join(' and ')} were given`;
    context.addIssue({ code: 'custom', message, path: [] });
  });
/** The input once parsed. */
export type AuditProjectInput = z.output<typeof AuditProjectInput>;
/** The input as it is written. */
export type AuditProjectJson = z.input<typeof AuditProjectInput>;

/** The documents of an input that may be wrong elsewhere, so that all that is wrong can be told at once. */
export function documentsIn(raw: unknown): AuditProjectInput['documents'] {
  const parsed = z.looseObject({ documents: AuditProjectInput.shape.documents }).safeParse(raw);
  return parsed.success ? parsed.data.documents : [];
}
