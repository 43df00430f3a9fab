/**
 * THE table of the Agent API: every endpoint of docs/agent-api.md. Client, sandbox, configuration and CLI derive from it. Only
 * the web app's are elsewhere (the sandbox's `router.ts`); limits are in `rate-class.ts`.
 */
import { balance, tier, userId } from './account-replies';
import {
  AccessTokenCreate,
  AnyBody,
  AssessmentConfigUpdate,
  ContactCreate,
  ProjectCreate,
  ProjectUpdate,
} from './bodies';
import { jobStarted, jobState, noteTaken } from './job';
import { perClass, RATE_CLASSES, type RateClass } from './rate-class';
import { list, record } from './record';
import { kinds } from './records';
import { captureAndItems, leadWithStatus } from './replies';
import { type After, get, type Paid, paid, type Route, write } from './route';
import { anything } from './undocumented';

export type { AfterUnknown, Route } from './route';

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
  'projects.create': paid('POST', PROJECTS, 1_000, {
    plan: 'audit',
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
  'leads.convert': paid('POST', `${LEADS}/{id}/convert`, 1_000, {
    plan: 'audit',
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
type RoutesThat<T> = { [N in RouteName]: (typeof routes)[N] extends T ? N : never }[RouteName];
/** A call that may be repeated. All others leave by `sendOnce` alone, after a grant of the ledger. */
export type RepeatableRoute = RoutesThat<After<'resend'>>;
/** A call whose effect can be looked up: it is in the table of `src/paying/once-only.ts`. */
export type RouteToLookUp = RoutesThat<After<'look'>>;
export type PaidRoute = RoutesThat<Paid>;

export const isRepeatable = (name: RouteName): name is RepeatableRoute => routes[name].afterUnknown === 'resend';
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
