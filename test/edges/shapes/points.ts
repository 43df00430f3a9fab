/** What agent-api.md leaves open, where it is met, and by which workflows. */
import type { Json, JsonObject } from './wire';

export const WORKFLOWS = [
  'convertLead',
  'leadPipeline',
  'auditProject',
  'ingestCapture',
  'captureSweep',
  'backfill',
  'callApi',
] as const;
export type WorkflowName = (typeof WORKFLOWS)[number];

/** An open point. */
export interface Point {
  /** Absent for what concerns every route. */
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly path?: RegExp;
  /** The record or the whole list in a reply of the sandbox. */
  plain?(body: Json): Json;
  /** A list, which the sandbox is asked for as a whole: the form pages it. The sandbox's largest page. */
  readonly list?: number;
  readonly workflows: readonly WorkflowName[];
  /** Met only where the first reply was lost. */
  readonly lostOnly?: readonly WorkflowName[];
  /** Where a lost reply leaves it to a person, as it should: met only clean. */
  readonly cleanOnly?: boolean;
  /** The route that `callApi` calls. */
  readonly call?: string;
}

const ID = '[^/]+';
const at = (path: string) => new RegExp(`^${path}/?$`);
const under = (key: string) => (body: Json) => (body as JsonObject)[key] ?? null;
const PAYING = ['convertLead', 'leadPipeline', 'backfill'] as const;

export const points: Readonly<Record<string, Point>> = {
  'account.user': { method: 'GET', path: at('/api/user/current'), workflows: WORKFLOWS, call: 'contacts.list' },
  'account.tier': { method: 'GET', path: at('/api/user/tier'), workflows: ['callApi'], call: 'account.tier' },
  'account.credits': {
    ...{ method: 'GET', path: at('/api/user/credits') },
    ...{ workflows: [...PAYING, 'auditProject', 'callApi'], call: 'account.credits' },
  },
  'leads.list': {
    ...{ method: 'GET', path: at('/api/lead-generation/leads'), plain: under('data'), list: 500 },
    ...{ workflows: ['leadPipeline', 'backfill'] },
  },
  'lead.get': {
    ...{ method: 'GET', path: at(`/api/lead-generation/leads/${ID}`) },
    ...{ workflows: [...PAYING, 'callApi'], call: 'leads.get' },
  },
  'lead.convert': {
    ...{ method: 'POST', path: at(`/api/lead-generation/leads/${ID}/convert`), plain: under('data') },
    ...{ workflows: PAYING },
  },
  'projects.list': {
    ...{ method: 'GET', path: at('/api/projects'), plain: under('projects'), list: 100 },
    ...{ workflows: ['auditProject', 'convertLead', 'callApi'], lostOnly: ['convertLead'], call: 'projects.list' },
  },
  'project.get': {
    ...{ method: 'GET', path: at(`/api/projects/${ID}`) },
    ...{ workflows: ['auditProject', 'callApi'], call: 'projects.get' },
  },
  'project.create': { method: 'POST', path: at('/api/projects'), workflows: ['auditProject'] },
  'document.upload': {
    ...{ method: 'POST', path: at(`/api/agent/projects/${ID}/documents`), plain: under('document') },
    ...{ workflows: ['auditProject'] },
  },
  'audit.start': {
    ...{ method: 'POST', path: at(`/api/agent/projects/${ID}/audit-analysis/async`), workflows: ['auditProject'] },
  },
  'audit.run': { method: 'POST', path: at(`/api/projects/${ID}/audit-analysis`), workflows: ['auditProject'] },
  'job.get': { method: 'GET', path: at(`/api/agent/jobs/${ID}`), workflows: ['auditProject'] },
  'analysis.get': {
    ...{ method: 'GET', path: at(`/api/projects/${ID}/audit-analysis`), workflows: ['auditProject'] },
  },
  opportunities: {
    ...{ method: 'GET', path: at(`/api/projects/${ID}/opportunities`), plain: under('opportunities') },
    ...{ workflows: ['auditProject'] },
  },
  deliverables: {
    ...{ method: 'GET', path: at(`/api/projects/${ID}/deliverables`), plain: under('data') },
    ...{ workflows: ['auditProject'] },
  },
  'captures.list': {
    ...{ method: 'GET', path: at('/api/nucleus/captures'), plain: under('captures'), list: 100 },
    ...{ workflows: ['ingestCapture', 'captureSweep', 'backfill', 'callApi'], call: 'captures.list' },
  },
  'capture.get': {
    ...{ method: 'GET', path: at(`/api/nucleus/captures/${ID}`) },
    ...{ workflows: ['ingestCapture', 'backfill'] },
  },
  'capture.reprocess': {
    ...{ method: 'POST', path: at(`/api/nucleus/captures/${ID}`), workflows: ['captureSweep', 'backfill'] },
  },
  'note.submit': {
    ...{ method: 'POST', path: at('/api/nucleus/capture/note'), plain: under('capture'), workflows: ['ingestCapture'] },
  },
  'contacts.list': {
    ...{ method: 'GET', path: at('/api/nucleus/contacts'), plain: under('contacts') },
    ...{ workflows: ['callApi'], call: 'contacts.list' },
  },
  'link.create': {
    ...{ method: 'POST', path: at('/api/agent/readylinks'), workflows: ['callApi'], call: 'readylinks.create' },
  },
  'contact.create': {
    ...{ method: 'POST', path: at('/api/nucleus/contacts'), workflows: ['callApi'], call: 'contacts.create' },
  },
  'project.update': {
    ...{ method: 'PATCH', path: at(`/api/projects/${ID}`), workflows: ['callApi'], call: 'projects.update' },
  },
  'links.list': {
    ...{ method: 'GET', path: at('/api/agent/readylinks'), plain: under('readylinks') },
    ...{ workflows: ['callApi'], call: 'readylinks.list' },
  },
  'configs.list': {
    ...{ method: 'GET', path: at('/api/agent/assessment-configs'), plain: under('assessmentConfigs') },
    ...{ workflows: ['callApi'], call: 'assessmentConfigs.list' },
  },
  'config.create': {
    ...{ method: 'POST', path: at('/api/agent/assessment-configs'), workflows: ['callApi'] },
    call: 'assessmentConfigs.create',
  },
  'insights.list': {
    ...{ method: 'GET', path: at('/api/nucleus/insights'), plain: under('insights') },
    ...{ workflows: ['callApi'], call: 'insights.list' },
  },
  'suggestions.list': {
    ...{ method: 'GET', path: at('/api/nucleus/suggestions'), plain: under('suggestions') },
    ...{ workflows: ['callApi'], call: 'suggestions.list' },
  },
  'memories.list': {
    ...{ method: 'GET', path: at('/api/nucleus/memories'), plain: under('memories') },
    ...{ workflows: ['callApi'], call: 'memories.list' },
  },
  /** Refusals of what is paid or must not happen twice. */
  refusal: {
    workflows: ['convertLead', 'leadPipeline', 'auditProject', 'ingestCapture', 'callApi'],
    call: 'readylinks.create',
    cleanOnly: true,
  },
  everywhere: { workflows: WORKFLOWS, call: 'contacts.list' },
};
