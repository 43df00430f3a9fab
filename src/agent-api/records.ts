/**
 * The records that agent-api.md shows, as tolerant schemas: an unknown field passes through, a field that the document
 * lists may be missing or null unless audit-runner cannot work without it. Data from the API is parsed here and nowhere else.
 */
import { z } from 'zod';
import { MOST_CREDITS } from './credits';
import { RecordId } from './id';
import type { Kind } from './record';
import { flat, isObject, namesOf, plainWord, withNames } from './shape';

// A field that only informs and has an unexpected type counts as missing: one odd record must not stop a whole list.
const text = z.string().nullish().catch(undefined);

/** Seconds since 1970 have ten digits, milliseconds thirteen. */
const EPOCH = /^\d{9,10}(\.\d+)?$|^\d{12,13}$/;
const fromEpoch = (digits: string): string =>
  new Date(Number(digits) * (/^\d{12}/.test(digits) ? 1 : 1_000)).toISOString();
/** A moment as ISO 8601; others may be told as seconds or milliseconds since 1970. */
const time = z
  .union([z.string(), z.number().transform(String)])
  .transform((value) => (EPOCH.test(value.trim()) ? fromEpoch(value.trim()) : value))
  .nullish()
  .catch(undefined);

/** An identifier of which nothing is made but a comparison. */
const otherId = z
  .union([z.string().min(1), z.number().transform(String)])
  .nullish()
  .catch(undefined);
/** A word of the document, however it is spelt. */
const status = z.string().transform(plainWord);
/** A record within another one: its fields in whatever spelling. */
const inner = <S extends z.ZodObject>(schema: S) => {
  const names = namesOf(Object.keys(schema.shape));
  return z.preprocess((value) => (isObject(value) ? withNames(flat(value), names) : value), schema);
};
const flag = z
  .union([z.boolean(), z.stringbool(), z.literal([0, 1]).transform(Boolean)])
  .nullish()
  .catch(undefined);
const count = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+(\.\d+)?$/)
      .transform(Number),
  ])
  .nullish()
  .catch(undefined);

/** agent-api.md, "Project". */
export const Project = z.looseObject({
  id: RecordId,
  clientName: text,
  industry: text,
  companySize: text,
  description: text,
  currency: text,
  status: status.nullish().catch(undefined),
  createdAt: time,
  updatedAt: time,
});
export type Project = z.infer<typeof Project>;

/** agent-api.md, "Project detail": one entry of `documents`. */
export const ProjectDocument = z.looseObject({
  id: otherId,
  fileName: text,
  fileType: text,
  fileSize: count,
  uploadStatus: text,
  createdAt: time,
});
export type ProjectDocument = z.infer<typeof ProjectDocument>;

/** agent-api.md, "Project detail". */
export const ProjectDetail = Project.extend({
  documentsCount: count,
  analysisProgress: count,
  hasAnalysis: flag,
  hasInterviewAnalysis: flag,
  hasAuditAnalysis: flag,
  hasQuestionnaires: flag,
  hasDeliverables: flag,
  statusLabel: text,
  statusDescription: text,
  documents: z.array(inner(ProjectDocument)).nullish(),
});
export type ProjectDetail = z.infer<typeof ProjectDetail>;

/** agent-api.md, "Opportunity". */
export const Opportunity = z.looseObject({
  id: z.union([z.string().min(1), z.number().transform(String)]),
  title: text,
  description: text,
  impactScore: count,
  effortScore: count,
});
export type Opportunity = z.infer<typeof Opportunity>;

/** agent-api.md, "Audit analysis". */
export const AuditAnalysis = z.looseObject({
  id: otherId,
  projectId: otherId,
  status,
  createdAt: time,
  updatedAt: time,
  executiveSummary: text,
  opportunityCount: count,
  riskCount: count,
  synthesis: z.unknown().optional(),
});
export type AuditAnalysis = z.infer<typeof AuditAnalysis>;

/** agent-api.md, "Deliverables dashboard": what `data` holds. */
export const Deliverables = z.looseObject({
  projectId: otherId,
  isComplete: flag,
  executiveSummary: text,
  opportunities: z.array(inner(Opportunity)).nullish(),
  risks: z.array(inner(z.looseObject({ id: otherId, title: text, description: text }))).nullish(),
  stakeholderMemos: z
    .array(inner(z.looseObject({ stakeholderName: text, stakeholderRole: text, memo: text })))
    .nullish(),
  generatedAt: time,
});
export type Deliverables = z.infer<typeof Deliverables>;

/**
 * agent-api.md, "Lead". `surveyStatus` stays an open string: a status added later must not stop a pipeline. It decides over
 * paying, so spelling does not; where it is missing, nobody pays.
 */
export const Lead = z.looseObject({
  id: RecordId,
  surveyStatus: status.nullish().catch(undefined),
  createdAt: time,
  updatedAt: time,
  clientName: text,
  businessName: text,
  clientEmail: text,
  clientPhone: text,
  aiReadinessScore: count,
  compositeScore: count,
  webResearchStatus: text,
  staticSlugId: otherId,
  archived: flag,
  archivedAt: time,
});
export type Lead = z.infer<typeof Lead>;

/**
 * S3: credits that a reply says were used; of a part the whole counts. What cannot be a number of credits counts as missing,
 * and the configured price is booked; so does 0, with which a service may fill what it does not know: no cap would hold.
 */
const creditsUsed = count.transform((value) => {
  const credits = Math.ceil(value ?? -1);
  return credits > 0 && credits <= MOST_CREDITS ? credits : undefined;
});

/** agent-api.md, "POST …/convert": the documented success. */
export const Conversion = z.looseObject({
  auditId: RecordId,
  creditsUsed,
  pdfAttached: flag,
});
export type Conversion = z.infer<typeof Conversion>;

/** agent-api.md, "Assessment config". */
export const AssessmentConfig = z.looseObject({
  id: z.union([z.string().min(1), z.number().transform(String)]),
  name: text,
  questionCount: count,
});

/** agent-api.md, "Capture". In a list one without a status must not hide the others. */
export const Capture = z.looseObject({
  id: RecordId,
  channel: text,
  rawContent: text,
  status: status.nullish().catch(undefined),
  capturedAt: time,
  createdAt: time,
  updatedAt: time,
  projectId: otherId,
});
export type Capture = z.infer<typeof Capture>;

/** agent-api.md, "Capture item". */
export const CaptureItem = z.looseObject({
  id: z.union([z.string().min(1), z.number().transform(String)]),
  itemType: text,
  content: text,
});
export type CaptureItem = z.infer<typeof CaptureItem>;

/** agent-api.md, "Memory". */
export const Memory = z.looseObject({
  id: z.union([z.string().min(1), z.number().transform(String)]),
  subject: text,
  content: text,
});

/** agent-api.md, "Contact". */
export const Contact = z.looseObject({ id: z.union([z.string().min(1), z.number().transform(String)]), name: text });

/** agent-api.md, "Access token record". */
export const AccessToken = z.looseObject({
  id: z.union([z.string().min(1), z.number().transform(String)]),
  label: text,
  tokenPrefix: text,
  scopes: z.array(z.string()).nullish(),
  plaintext: text,
});

const OF_PROJECTS = [
  'clientName',
  'industry',
  'companySize',
  'currency',
  'description',
  'documentsCount',
  'hasAnalysis',
];

/** How each of them is told from other records, by the fields that only it has. */
export const kinds = {
  project: { schema: Project, own: OF_PROJECTS },
  /** Of one that was just paid for an ID alone is not believed: it may be a job's. */
  newProject: { schema: Project, own: OF_PROJECTS, strict: true },
  projectDetail: { schema: ProjectDetail, own: OF_PROJECTS },
  opportunity: { schema: Opportunity, own: ['title', 'impactScore', 'effortScore', 'description', 'roiPotential'] },
  analysis: { schema: AuditAnalysis, own: ['status', 'executiveSummary', 'opportunityCount'], asked: 'projectId' },
  deliverables: {
    schema: Deliverables,
    own: ['isComplete', 'executiveSummary', 'opportunities', 'risks', 'stakeholderMemos', 'generatedAt'],
    asked: 'projectId',
  },
  lead: {
    schema: Lead,
    own: [
      ...['surveyStatus', 'clientName', 'businessName', 'clientEmail', 'clientPhone'],
      ...['aiReadinessScore', 'compositeScore', 'webResearchStatus', 'staticSlugId'],
    ],
  },
  conversion: { schema: Conversion, own: ['auditId'], asked: 'none' },
  assessmentConfig: { schema: AssessmentConfig, own: ['questionCount', 'name', 'questionOrder'] },
  capture: { schema: Capture, own: ['channel', 'rawContent', 'status', 'capturedAt', 'contentType'] },
  captureItem: { schema: CaptureItem, own: ['itemType', 'content', 'captureId'] },
  memory: { schema: Memory, own: ['subject', 'content', 'confidence'] },
  contact: { schema: Contact, own: ['name', 'email', 'company', 'relationshipType'] },
  accessToken: { schema: AccessToken, own: ['label', 'tokenPrefix', 'scopes', 'plaintext'] },
} as const satisfies Record<string, Kind<z.ZodObject>>;
