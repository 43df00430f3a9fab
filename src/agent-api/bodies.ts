/** The bodies that the document shows, checked before anything is sent. */
import { z } from 'zod';

const short = (max: number) => z.string().trim().min(1).max(max);
const currency = z.string().regex(/^[A-Z]{3}$/, 'an ISO 4217 code of three capital letters, for example EUR');

/** agent-api.md, "POST /api/projects". Which fields are required is not shown; `clientName` identifies the project. */
export const ProjectCreate = z.strictObject({
  clientName: short(200),
  industry: short(100).optional(),
  companySize: short(50).optional(),
  description: z.string().max(2000).optional(),
  currency: currency.optional(),
});
/** agent-api.md, "PATCH /api/projects/{id}"; the full list of fields is not shown, so others pass. */
export const ProjectUpdate = z
  .looseObject({ description: z.string().max(5000).optional() })
  .refine((b) => Object.keys(b).length > 0, 'at least one field');
const questionId = z.union([z.string().regex(/^q\d+$/), z.uuid()]);
const tenKilobytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length <= 10 * 1024;
/** agent-api.md, "PATCH /api/agent/assessment-configs/{id}". */
export const AssessmentConfigUpdate = z
  .strictObject({
    name: short(100).optional(),
    questionOrder: z.array(questionId).optional(),
    hiddenQuestions: z.array(questionId).optional(),
    scoringWeights: z.record(z.string(), z.number().min(0).max(10)).optional(),
    defaultQuestionOverrides: z
      .record(z.string(), z.unknown())
      .refine(tenKilobytes, 'at most 10 KB of JSON in UTF-8')
      .optional(),
  })
  .refine((b) => Object.keys(b).length > 0, 'at least one field');
/** agent-api.md, "POST /api/nucleus/contacts". */
export const ContactCreate = z.strictObject({
  name: z.string().trim().min(1),
  email: z.email().optional(),
  phone: z.string().optional(),
  company: z.string().optional(),
  role: z.string().optional(),
  notes: z.string().optional(),
  relationshipType: z.enum(['client', 'prospect', 'partner', 'referral']).nullish(),
});
/** agent-api.md, "POST /api/user/api-keys". */
export const AccessTokenCreate = z.strictObject({
  label: short(100),
  scopes: z.array(z.enum(['read', 'write'])).optional(),
  expiresAt: z.iso.datetime().optional(),
});
/** A body whose fields are not shown: any JSON object. */
export const AnyBody = z.record(z.string(), z.unknown());
