/**
 * THE table of the Agent API: every endpoint of docs/agent-api.md. The client, the sandbox, the limits and the documentation
 * derive from it; nothing else in the project knows a path.
 */
import { z } from 'zod';
import { balance, tier, userId } from './account';
import { jobStarted, jobState, noteTaken } from './job';
import { perClass, RATE_CLASSES, type RateClass } from './rate-class';
import { list, record } from './record';
import { type Capture, type CaptureItem, kinds, type Lead } from './records';
import { describeKeys } from './shape';
import { anything, type Reader, UnreadableBody } from './unshown';

/**
 * What to do when it is unknown whether a call had its effect: `resend` where a repetition changes nothing, `look` where
 * the API can be asked first (S2), `ask` where only a person can tell.
 */
export type AfterUnknown = 'resend' | 'look' | 'ask';

/** One endpoint. */
export interface Route<B = unknown, R = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the base address, with `{id}` for an identifier. */
  readonly path: string;
  /** Scope a token needs: agent-api.md, "Authentication" 7. */
  readonly scope: 'none' | 'write';
  readonly rateClass: RateClass;
  /** Credits that one success costs by the document; overridable per account (`credits` in the configuration). */
  readonly credits: number;
  /** The plan it needs: agent-api.md names an audit-capable one where it shows any. */
  readonly plan: 'any' | 'audit';
  /** On the token's allowlist (v1)? `unclear` where the document contradicts itself; `session` needs a browser session. */
  readonly allowlist: 'yes' | 'no' | 'unclear' | 'session';
  readonly afterUnknown: AfterUnknown;
  /** Names of query parameters by their meaning; names that are not shown come from {@link Unshown}. */
  readonly query?: readonly string[];
  /** It has further ones, which the document does not show: they go out as they are given. */
  readonly otherQuery?: true;
  /** The body that the document shows, checked before sending; absent where there is none. */
  readonly body?: z.ZodType<B>;
  readonly read: Reader<R>;
  /** Client-side time limit of one attempt, milliseconds. Paid calls: at least 200 s (S2). */
  readonly timeoutMs: number;
  /** One sentence for a person. */
  readonly about: string;
}

type Input<B, R> = Partial<Omit<Route<B, R>, 'method' | 'path' | 'read' | 'about'>> & {
  read: Reader<R>;
  about: string;
};

const READ_MS = 30_000;
const WRITE_MS = 60_000;
const PAID_MS = 210_000;

/** A read: no scope, 100 a minute, repeatable. */
const get = <R>(path: string, rest: Input<never, R>): Route<never, R> => ({
  method: 'GET',
  path,
  scope: 'none',
  rateClass: 'reads',
  credits: 0,
  plan: 'any',
  allowlist: 'yes',
  afterUnknown: 'resend',
  timeoutMs: READ_MS,
  ...rest,
});

/** A write: scope `write`, 20 a minute; what an unknown outcome means must be said by each. */
const write = <B, R>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  rest: Input<B, R> & { afterUnknown: AfterUnknown },
): Route<B, R> => ({
  method,
  path,
  scope: 'write',
  rateClass: 'writes',
  credits: 0,
  plan: 'any',
  allowlist: 'yes',
  timeoutMs: WRITE_MS,
  ...rest,
});

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
const AnyBody = z.record(z.string(), z.unknown());

const oneCapture = record('capture', kinds.capture);
const itemsOf = list('items', kinds.captureItem);
/** agent-api.md, "GET /api/nucleus/captures/{id}": two records side by side; without a list there are no items. */
const captureAndItems: Reader<{ capture: Capture & { status: string }; items: CaptureItem[] }> = (
  body,
  unshown,
  about,
) => {
  const shown = oneCapture(body, unshown, about);
  const { status } = shown;
  if (!status) throw new UnreadableBody(`it shows no status of the capture (${describeKeys(body)})`);
  const capture = { ...shown, status };
  try {
    return { capture, items: itemsOf(body, unshown).items };
  } catch (error) {
    if (error instanceof UnreadableBody && unshown.lists.items === undefined) return { capture, items: [] };
    throw error;
  }
};

const anyLead = record('lead', kinds.lead);
/** agent-api.md, "GET /api/lead-generation/leads/{id}". S2: without its status nobody knows whether it is converted. */
const leadWithStatus: Reader<Lead & { surveyStatus: string }> = (body, unshown, about) => {
  const lead = anyLead(body, unshown, about);
  const { surveyStatus } = lead;
  if (surveyStatus) return { ...lead, surveyStatus };
  throw new UnreadableBody(
    `it shows no surveyStatus, so nobody knows whether the lead is converted (${describeKeys(body)})`,
  );
};

const LEADS = '/api/lead-generation/leads';
const PROJECTS = '/api/projects';
const LINKS = '/api/agent/readylinks';
const CONFIGS = '/api/agent/assessment-configs';
const NUCLEUS = '/api/nucleus';

export const routes = {
  'account.user': get('/api/user/current', { read: userId, about: 'Who the token belongs to' }),
  'account.tier': get('/api/user/tier', { read: tier, about: "The account's tier" }),
  'account.credits': get('/api/user/credits', { read: balance, about: 'The credit balance' }),

  'projects.list': get(PROJECTS, {
    query: ['limit', 'offset', 'page'],
    read: list('projects', kinds.project),
    about: 'List projects',
  }),
  'projects.create': write('POST', PROJECTS, {
    credits: 1000,
    plan: 'audit',
    afterUnknown: 'look',
    timeoutMs: PAID_MS,
    body: ProjectCreate,
    read: record('project', kinds.newProject),
    about: 'Create a project',
  }),
  'projects.get': get(`${PROJECTS}/{id}`, {
    read: record('project', kinds.projectDetail),
    about: 'One project in detail',
  }),
  'projects.update': write('PATCH', `${PROJECTS}/{id}`, {
    afterUnknown: 'resend',
    body: ProjectUpdate,
    read: anything,
    about: 'Change a project',
  }),
  'projects.uploadDocument': write('POST', '/api/agent/projects/{id}/documents', {
    allowlist: 'no',
    afterUnknown: 'look',
    timeoutMs: 300_000,
    read: anything,
    about: 'Add a document to a project',
  }),
  'projects.audit': write('POST', `${PROJECTS}/{id}/audit-analysis`, {
    rateClass: 'audits',
    afterUnknown: 'look',
    timeoutMs: 240_000,
    read: anything,
    about: 'Run the audit and wait for it',
  }),
  'projects.analysis': get(`${PROJECTS}/{id}/audit-analysis`, {
    read: record('analysis', kinds.analysis),
    about: 'The latest audit analysis',
  }),
  'projects.auditAsync': write('POST', '/api/agent/projects/{id}/audit-analysis/async', {
    rateClass: 'audits',
    afterUnknown: 'look',
    read: jobStarted,
    about: 'Start the audit as a job',
  }),
  'projects.opportunities': get(`${PROJECTS}/{id}/opportunities`, {
    query: ['category'],
    read: list('opportunities', kinds.opportunity),
    about: "A project's opportunities",
  }),
  'projects.deliverables': get(`${PROJECTS}/{id}/deliverables`, {
    read: record('deliverables', kinds.deliverables),
    about: "A project's deliverables",
  }),
  'jobs.get': get('/api/agent/jobs/{id}', { rateClass: 'polls', read: jobState, about: 'The state of a job' }),

  'leads.list': get(LEADS, {
    query: ['status', 'surveyLink', 'limit', 'offset', 'page', 'sort', 'direction'],
    timeoutMs: 60_000,
    read: list('leads', kinds.lead),
    about: 'List leads',
  }),
  'leads.get': get(`${LEADS}/{id}`, { read: leadWithStatus, about: 'One lead' }),
  'leads.convert': write('POST', `${LEADS}/{id}/convert`, {
    credits: 1000,
    plan: 'audit',
    afterUnknown: 'look',
    timeoutMs: PAID_MS,
    read: record('conversion', kinds.conversion),
    about: 'Convert a lead into a project',
  }),

  'readylinks.list': get(LINKS, { read: anything, about: 'List survey links' }),
  'readylinks.get': get(`${LINKS}/{id}`, { read: anything, about: 'One survey link' }),
  'readylinks.create': write('POST', LINKS, {
    afterUnknown: 'ask',
    body: AnyBody,
    read: anything,
    about: 'Create a survey link',
  }),
  'readylinks.update': write('PATCH', `${LINKS}/{id}`, {
    afterUnknown: 'resend',
    body: AnyBody,
    read: anything,
    about: 'Change a survey link',
  }),
  'readylinks.delete': write('DELETE', `${LINKS}/{id}`, {
    afterUnknown: 'resend',
    read: anything,
    about: 'Delete a survey link',
  }),

  'assessmentConfigs.list': get(CONFIGS, { read: anything, about: 'List assessment configs' }),
  'assessmentConfigs.get': get(`${CONFIGS}/{id}`, { read: anything, about: 'One assessment config' }),
  'assessmentConfigs.create': write('POST', CONFIGS, {
    afterUnknown: 'ask',
    body: AnyBody,
    read: anything,
    about: 'Create an assessment config',
  }),
  'assessmentConfigs.update': write('PATCH', `${CONFIGS}/{id}`, {
    afterUnknown: 'resend',
    body: AssessmentConfigUpdate,
    read: record('assessmentConfig', kinds.assessmentConfig),
    about: 'Change an assessment config',
  }),
  'assessmentConfigs.delete': write('DELETE', `${CONFIGS}/{id}`, {
    afterUnknown: 'resend',
    read: anything,
    about: 'Delete an assessment config',
  }),

  'captures.list': get(`${NUCLEUS}/captures`, {
    query: ['channel', 'status', 'project', 'limit', 'offset', 'page'],
    read: list('captures', kinds.capture),
    about: 'List captures',
  }),
  'captures.get': get(`${NUCLEUS}/captures/{id}`, {
    read: captureAndItems,
    about: 'One capture and its items',
  }),
  'captures.create': write('POST', `${NUCLEUS}/captures`, {
    afterUnknown: 'ask',
    body: AnyBody,
    read: anything,
    about: 'Create a capture',
  }),
  'captures.update': write('PATCH', `${NUCLEUS}/captures/{id}`, {
    afterUnknown: 'resend',
    body: AnyBody,
    read: anything,
    about: 'Change a capture',
  }),
  'captures.delete': write('DELETE', `${NUCLEUS}/captures/{id}`, {
    afterUnknown: 'resend',
    read: anything,
    about: 'Delete a capture',
  }),
  'captures.reprocess': write('POST', `${NUCLEUS}/captures/{id}`, {
    afterUnknown: 'look',
    read: anything,
    about: "Run a capture's extraction again",
  }),
  'captures.submitNote': write('POST', `${NUCLEUS}/capture/note`, {
    rateClass: 'notes',
    allowlist: 'unclear',
    afterUnknown: 'look',
    body: AnyBody,
    read: noteTaken,
    about: 'Submit a note',
  }),

  'memories.list': get(`${NUCLEUS}/memories`, {
    query: ['type'],
    otherQuery: true,
    read: list('memories', kinds.memory),
    about: 'List memories',
  }),
  'memories.get': get(`${NUCLEUS}/memories/{id}`, { read: anything, about: 'One memory' }),
  'memories.create': write('POST', `${NUCLEUS}/memories`, {
    afterUnknown: 'ask',
    body: AnyBody,
    read: anything,
    about: 'Create a memory',
  }),
  'memories.update': write('PATCH', `${NUCLEUS}/memories/{id}`, {
    afterUnknown: 'resend',
    body: AnyBody,
    read: anything,
    about: 'Change a memory',
  }),
  'memories.delete': write('DELETE', `${NUCLEUS}/memories/{id}`, {
    afterUnknown: 'resend',
    read: anything,
    about: 'Delete a memory',
  }),

  'contacts.list': get(`${NUCLEUS}/contacts`, { read: anything, about: 'List contacts' }),
  'contacts.get': get(`${NUCLEUS}/contacts/{id}`, { read: anything, about: 'One contact' }),
  'contacts.create': write('POST', `${NUCLEUS}/contacts`, {
    afterUnknown: 'ask',
    body: ContactCreate,
    read: record('contact', kinds.contact),
    about: 'Create a contact',
  }),
  'contacts.update': write('PATCH', `${NUCLEUS}/contacts/{id}`, {
    afterUnknown: 'resend',
    body: AnyBody,
    read: anything,
    about: 'Change a contact',
  }),
  'contacts.delete': write('DELETE', `${NUCLEUS}/contacts/{id}`, {
    afterUnknown: 'resend',
    read: anything,
    about: 'Delete a contact',
  }),

  'insights.list': get(`${NUCLEUS}/insights`, { read: anything, about: 'List insights' }),
  'insights.get': get(`${NUCLEUS}/insights/{id}`, { read: anything, about: 'One insight' }),
  'insights.create': write('POST', `${NUCLEUS}/insights`, {
    afterUnknown: 'ask',
    body: AnyBody,
    read: anything,
    about: 'Create an insight',
  }),
  'insights.update': write('PATCH', `${NUCLEUS}/insights/{id}`, {
    afterUnknown: 'resend',
    body: AnyBody,
    read: anything,
    about: 'Change an insight',
  }),
  'insights.delete': write('DELETE', `${NUCLEUS}/insights/{id}`, {
    afterUnknown: 'resend',
    read: anything,
    about: 'Delete an insight',
  }),
  'suggestions.list': get(`${NUCLEUS}/suggestions`, { read: anything, about: 'List suggestions' }),
  'suggestions.get': get(`${NUCLEUS}/suggestions/{id}`, { read: anything, about: 'One suggestion' }),
  'suggestions.create': write('POST', `${NUCLEUS}/suggestions`, {
    afterUnknown: 'ask',
    body: AnyBody,
    read: anything,
    about: 'Create a suggestion',
  }),
  'suggestions.update': write('PATCH', `${NUCLEUS}/suggestions/{id}`, {
    afterUnknown: 'resend',
    body: AnyBody,
    read: anything,
    about: 'Change a suggestion',
  }),
  'suggestions.delete': write('DELETE', `${NUCLEUS}/suggestions/{id}`, {
    afterUnknown: 'resend',
    read: anything,
    about: 'Delete a suggestion',
  }),

  'apiKeys.create': write('POST', '/api/user/api-keys', {
    allowlist: 'session',
    afterUnknown: 'ask',
    body: AccessTokenCreate,
    read: record('apiKey', kinds.accessToken),
    about: 'Create an access token',
  }),
} as const;

export type RouteName = keyof typeof routes;
/** What a call of this route returns on success. */
export type Reply<N extends RouteName> =
  (typeof routes)[N] extends Route<never, infer R>
    ? R
    : (typeof routes)[N] extends Route<infer _B, infer R>
      ? R
      : never;

/** The least time limit of a call that is paid for or must not happen twice: audits run up to 180 s, and a commit may come late (S2). */
export const PAID_MS_MIN = 200_000;

/** agent-api.md, "Limits": requests in any window, per token. */
export const LIMITS: Record<RateClass, { max: number; windowMs: number }> = perClass(
  (rateClass) => RATE_CLASSES[rateClass].limit,
);
