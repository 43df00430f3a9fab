/**
 * The records that agent-api.md shows, as tolerant schemas: an unknown field passes through, a field that the document
 * lists may be missing or null unless audit-runner cannot work without it. Data from the API is parsed here and nowhere else.
 */
import { z } from 'zod';
import { MOST_CREDITS } from '../policy/credits';

// A field that only informs and has an unexpected type counts as missing: one odd record must not stop a whole list.
const text = z.string().nullish().catch(undefined);
const time = text;
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
  id: z.string().min(1),
  clientName: text,
  industry: text,
  companySize: text,
  description: text,
  currency: text,
  status: text,
  createdAt: time,
  updatedAt: time,
});
export type Project = z.infer<typeof Project>;

/** agent-api.md, "Project detail": one entry of `documents`. */
export const ProjectDocument = z.looseObject({
  id: z.string().nullish(),
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
  hasAnalysis: z.boolean().nullish(),
  hasInterviewAnalysis: z.boolean().nullish(),
  hasAuditAnalysis: z.boolean().nullish(),
  hasQuestionnaires: z.boolean().nullish(),
  hasDeliverables: z.boolean().nullish(),
  statusLabel: text,
  statusDescription: text,
  documents: z.array(ProjectDocument).nullish(),
});
export type ProjectDetail = z.infer<typeof ProjectDetail>;

/** agent-api.md, "Opportunity". */
export const Opportunity = z.looseObject({
  id: z.string().min(1),
  title: text,
  description: text,
  impactScore: count,
  effortScore: count,
});
export type Opportunity = z.infer<typeof Opportunity>;

/** agent-api.md, "Audit analysis". */
export const AuditAnalysis = z.looseObject({
  id: text,
  status: z.string(),
  createdAt: time,
  executiveSummary: text,
  opportunityCount: count,
  riskCount: count,
});
export type AuditAnalysis = z.infer<typeof AuditAnalysis>;

/** agent-api.md, "Deliverables dashboard": what `data` holds. */
export const Deliverables = z.looseObject({
  projectId: text,
  isComplete: z.boolean().nullish(),
  executiveSummary: text,
  opportunities: z.array(Opportunity).nullish(),
  risks: z.array(z.looseObject({ id: text, title: text, description: text })).nullish(),
  stakeholderMemos: z.array(z.looseObject({ stakeholderName: text, stakeholderRole: text, memo: text })).nullish(),
  generatedAt: time,
});
export type Deliverables = z.infer<typeof Deliverables>;

/**
 * agent-api.md, "Lead". `surveyStatus` stays an open string: a status added later must not stop a pipeline. It decides over
 * paying, so spelling does not: lower case, trimmed.
 */
export const Lead = z.looseObject({
  id: z.string().min(1),
  surveyStatus: z.string().transform((status) => status.trim().toLowerCase()),
  createdAt: time,
  updatedAt: time,
  clientName: text,
  businessName: text,
  clientEmail: text,
  clientPhone: text,
  aiReadinessScore: count,
  compositeScore: count,
  webResearchStatus: text,
  staticSlugId: text,
});
export type Lead = z.infer<typeof Lead>;

/** agent-api.md, "GET /api/lead-generation/leads": the documented page. */
export const LeadPage = z.looseObject({
  data: z.array(Lead),
  pagination: z.looseObject({ limit: z.number(), offset: z.number(), total: z.number() }),
});
export type LeadPage = z.infer<typeof LeadPage>;

/**
 * S3: credits that a reply says were used; of a part the whole counts. What cannot be a number of credits counts as missing,
 * and the configured price is booked.
 */
const creditsUsed = count.transform((value) => {
  const credits = Math.ceil(value ?? -1);
  return credits >= 0 && credits <= MOST_CREDITS ? credits : undefined;
});

/** agent-api.md, "POST …/convert": the documented success. */
export const Conversion = z.looseObject({
  auditId: z.string().min(1),
  creditsUsed,
  pdfAttached: z.boolean().nullish(),
});
export type Conversion = z.infer<typeof Conversion>;

/** agent-api.md, "Assessment config". */
export const AssessmentConfig = z.looseObject({ id: z.string().min(1), name: text, questionCount: count });

/** agent-api.md, "Capture". */
export const Capture = z.looseObject({
  id: z.string().min(1),
  channel: text,
  rawContent: text,
  status: z.string(),
  capturedAt: time,
  createdAt: time,
  updatedAt: time,
  projectId: text,
});
export type Capture = z.infer<typeof Capture>;

/** agent-api.md, "Capture item". */
export const CaptureItem = z.looseObject({ id: z.string().min(1), itemType: text, content: text });
export type CaptureItem = z.infer<typeof CaptureItem>;

/** agent-api.md, "Memory". */
export const Memory = z.looseObject({ id: z.string().min(1), subject: text, content: text });

/** agent-api.md, "Contact". */
export const Contact = z.looseObject({ id: z.string().min(1), name: text });

/** agent-api.md, "Access token record". */
export const AccessToken = z.looseObject({
  id: z.string().min(1),
  label: text,
  tokenPrefix: text,
  scopes: z.array(z.string()).nullish(),
  plaintext: text,
});
