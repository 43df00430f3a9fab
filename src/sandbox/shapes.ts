import type { Undocumented } from '../agent-api/undocumented';
import type { LeadOrder } from './lead-table';
import { ok, Refusal, type Reply } from './refusal';
import type { Capture, Document, Job, Lead, User } from './rows';
import { wireNames } from './wire-names';

/** Where a page starts, how long it may be, and how many rows there are. */
export interface Paging {
  limit: number;
  offset: number;
  total: number;
}

/** Everything that agent-api.md calls "not shown". Each variant is one answer to all of it. */
export interface Shapes {
  /** Names of query parameters, of the upload's and of the note's fields. */
  readonly names: Undocumented;
  /** Whether an unknown query parameter is answered with 400. */
  readonly strictQuery: boolean;
  readonly leads: Pick<LeadOrder, 'view' | 'sort' | 'direction'> & { limit: number };
  /** Default and largest page; more is cut down to the largest, without an error. */
  readonly projects: { limit: number; max: number };
  readonly captures: { limit: number };
  readonly createdProjectStatus: number;
  /** What a synchronous audit that takes too long is answered with. */
  readonly auditTimeout: 408 | 504;
  user(user: User): object;
  tier(user: User): object;
  credits(balance: number, allocation: number): object;
  /** One record whose wrapping is not shown. */
  one(kind: string, record: object): object;
  /** A list whose wrapping is not shown. */
  many(kind: string, records: readonly object[], paging?: Paging): object;
  jobStarted(job: Job): Reply;
  job(job: Job): object;
  uploaded(document: Document): Reply;
  /** `fileSize` of so many bytes: the document gives no unit. */
  fileSize(bytes: number): number;
  noteTaken(capture: object & { id: string }): Reply;
  /** What is stored of a note's text. */
  noteText(text: string): string;
  deleted(): Reply;
  missingPrerequisites(missing: readonly string[]): Refusal;
  /** Before the first completed analysis. */
  noDeliverables(projectId: string): Reply;
  /** `clientName` of the project that a lead becomes. */
  clientNameOf(lead: Lead): string;
  /** Under which name a memory's type and source are shown. */
  memory(fields: Record<string, unknown>): Record<string, unknown>;
}

const data = (value: object) => ({ success: true, data: value });

/** As audit-runner guesses by default: bare records, lists under their plural, plain names. */
const variantA: Shapes = {
  names: wireNames('a'),
  strictQuery: false,
  leads: { view: 'active', sort: 'created_at', direction: 'desc', limit: 50 },
  projects: { limit: 50, max: 100 },
  captures: { limit: 50 },
  createdProjectStatus: 201,
  auditTimeout: 408,
  user: ({ id, name, email }) => ({ id, name, email }),
  tier: ({ tier }) => ({ tier }),
  credits: (credits, allocation) => ({ balance: credits, allocation }),
  one: (_, record) => record,
  many: (kind, records, paging) => ({ [kind]: records, ...(paging && { pagination: paging }) }),
  jobStarted: (job) => ok({ jobId: job.id, status: 'queued' }, 202),
  job: ({ id, projectId, analysis, createdAt }) => ({
    id,
    type: 'audit_analysis',
    status: analysis.status,
    projectId,
    createdAt,
    finishedAt: analysis.finishedAt,
  }),
  uploaded: (document) => ok({ document }, 201),
  fileSize: (bytes) => bytes,
  noteTaken: (capture) => ok({ capture }, 201),
  noteText: (text) => text,
  deleted: () => ok({ success: true }),
  missingPrerequisites: (missing) => new Refusal(409, `Missing prerequisites: ${missing.join(', ')}`),
  noDeliverables: () => new Refusal(404, 'No deliverables yet').reply(),
  clientNameOf: ({ businessName, clientName }) => businessName ?? clientName,
  memory: (fields) => fields,
};

const JOB_STATES = { running: 'IN_PROGRESS', complete: 'SUCCEEDED', failed: 'FAILED' } as const;

/** Otherwise in every respect: envelopes, other names, other defaults, other status codes. */
const variantB: Shapes = {
  names: wireNames('b'),
  strictQuery: true,
  leads: { view: 'all', sort: 'updated_at', direction: 'desc', limit: 20 },
  projects: { limit: 10, max: 25 },
  captures: { limit: 20 },
  createdProjectStatus: 200,
  auditTimeout: 504,
  user: ({ id, name, email }) => data({ profile: { accountId: id, displayName: name, contact: email } }),
  tier: ({ tier }) => data({ membership: { level: tier } }),
  credits: (credits, allocation) => data({ wallet: { amount: credits, perPeriod: allocation } }),
  one: (kind, record) => data({ [kind]: record }),
  many: (kind, records, paging) => ({ ...data({ [kind]: records }), ...(paging && { meta: paging }) }),
  jobStarted: (job) => ok(data({ job: { jobId: job.id, state: 'PENDING' } })),
  job: ({ id, analysis }) => data({ job: { jobId: id, state: JOB_STATES[analysis.status] } }),
  uploaded: (document) => ok(data({ document })),
  fileSize: (bytes) => Math.ceil(bytes / 1024),
  noteTaken: ({ id }) => ok(data({ captureId: id }), 202),
  noteText: (text) => text.replaceAll('\r\n', '\n').trim(),
  deleted: () => ({ status: 204 }),
  missingPrerequisites: (missing) =>
    new Refusal(422, `Not ready: ${missing.join(', ')}`, { code: 'PREREQUISITES_MISSING' }),
  noDeliverables: (projectId) =>
    ok(data({ projectId, isComplete: false, opportunities: [], risks: [], stakeholderMemos: [] })),
  clientNameOf: ({ businessName, clientName }) => clientName || (businessName ?? ''),
  memory: ({ type, sourceType, ...fields }) => ({ memoryType: type, source: sourceType, ...fields }),
};

export const shapesOf = (variant: 'a' | 'b'): Shapes => (variant === 'a' ? variantA : variantB);

/** A row as it is shown: without what the stand-in keeps for itself. */
export const shownLead = ({ userId: _, ...lead }: Lead) => lead;
export const shownCapture = ({ attempts: _, items: __, ...capture }: Capture) => capture;
