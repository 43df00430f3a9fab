/**
 * Every guess about what agent-api.md calls "not shown", in one place. A guess is either a *setting* (a name that we send
 * or a field that we look for; each can be overridden in the configuration under `unshown`) or a *reader* that accepts
 * any sensible shape and, when it cannot, says which setting corrects it.
 */
import { z } from 'zod';

const name = (guess: string) => z.string().min(1).default(guess);
/** A part that a service may not take: null leaves it out. */
const optional = (guess: string) => z.string().min(1).nullable().default(guess);
/** A field that is found under one of the usual names unless this names it, as a path like `data.balance`. */
const field = z.string().min(1).optional();

/** Settings for the parts that the document does not show. Defaults are our guesses. */
export const Unshown = z.strictObject({
  /** Query parameter names of the lead list. */
  leadsList: z
    .strictObject({
      surveyLink: name('staticSlugId'),
      limit: name('limit'),
      offset: name('offset'),
      sort: name('sort'),
      direction: name('order'),
    })
    .prefault({}),
  /**
   * Query parameter names of the project list; `page` is sent where a reply names its page by a number. `none` sends no
   * paging parameters at all.
   */
  projectsList: z
    .strictObject({
      limit: name('limit'),
      offset: name('offset'),
      page: name('page'),
      paging: z.enum(['send', 'none']).default('send'),
    })
    .prefault({}),
  /** Query parameter name of the capture list's project filter. */
  capturesList: z.strictObject({ project: name('projectId') }).prefault({}),
  /** Query parameter name of the memory list's type filter. */
  memoriesList: z.strictObject({ type: name('type') }).prefault({}),
  /** Where the account records keep what we need. */
  account: z
    .strictObject({
      /** null where the service shows none: the account goes by its name, which must then be the same for all workers. */
      userId: field.nullable(),
      balance: field,
      tier: field,
      /** Tiers that may create projects and convert leads, and tiers that may not; of others it is not known. */
      auditTiers: z.array(z.string()).default(['team', 'enterprise']),
      lowTiers: z.array(z.string()).default(['free', 'read-only', 'lead-generation']),
    })
    .prefault({}),
  /** Where the job record, and the reply that starts a job, keep what we need. */
  job: z.strictObject({ id: field, status: field }).prefault({}),
  /**
   * The document upload: multipart form or JSON with base64, and the names of its fields. `fileName` and `fileType` are sent
   * beside the file, which in a form has both of its own; null leaves them out.
   */
  upload: z
    .strictObject({
      encoding: z.enum(['multipart', 'json']).default('multipart'),
      file: name('file'),
      fileName: optional('fileName'),
      fileType: optional('fileType'),
    })
    .prefault({}),
  /** Field names of the note submission, and where its reply keeps the ID of the capture. */
  note: z.strictObject({ content: name('content'), project: name('projectId'), id: field }).prefault({}),
});
export type Unshown = z.infer<typeof Unshown>;

/** A body that no guess fits. The message names the setting that corrects it and never quotes the body (S4). */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
}

/** Turns a response body into a typed value, or throws {@link UnreadableBody} or a zod error. */
export type Reader<T> = (body: unknown, unshown: Unshown) => T;

/** A documented shape: no guess. */
export const shown =
  <T>(schema: z.ZodType<T>): Reader<T> =>
  (body) =>
    schema.parse(body);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a dotted path, or undefined. */
export function at(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), body);
}

/** The body itself and what usual envelopes hold, outermost first: `{data}`, `{data: {lead}}`, `{lead}`, `{result}`. */
function* layers(body: unknown, wrappers: readonly string[], depth = 0): Generator<unknown> {
  yield body;
  if (!isObject(body) || depth > 2) return;
  for (const key of [...wrappers, 'data', 'result']) if (key in body) yield* layers(body[key], wrappers, depth + 1);
}

/**
 * One record, bare or in any usual envelope. Where the fields of a schema may all be missing, or an envelope has a `status`
 * of its own, the envelope would do for the record too: of the layers that fit, the one that shows most of the record's
 * fields is taken, and of two equals the inner one. A layer that shows none of them is not the record.
 */
export const record =
  <S extends z.ZodObject>(schema: S, ...wrappers: string[]): Reader<z.output<S>> =>
  (body) => {
    let best: { shows: number; value: z.output<S> } | undefined;
    for (const layer of layers(body, wrappers)) {
      const shows = isObject(layer) ? Object.keys(schema.shape).filter((key) => key in layer).length : 0;
      if (shows === 0 || shows < (best?.shows ?? 0)) continue;
      const parsed = schema.safeParse(layer);
      if (parsed.success) best = { shows, value: parsed.data };
    }
    if (best !== undefined) return best.value;
    throw new UnreadableBody(`the reply holds no ${wrappers[0] ?? 'record'} in a shape that audit-runner knows`);
  };

/** A list with what the server says of its paging, when it says anything. */
export interface Page<T> {
  items: T[];
  limit?: number;
  offset?: number;
  /** The number of this page, where the service counts pages. */
  page?: number;
  total?: number;
}

/** A list: a bare array, or an array under one of the names, with paging read when present. */
export const list =
  <T>(schema: z.ZodType<T>, ...wrappers: string[]): Reader<Page<T>> =>
  (body) => {
    for (const layer of layers(body, [...wrappers, 'items'])) {
      const parsed = z.array(schema).safeParse(layer);
      if (parsed.success) return { items: parsed.data, ...paging(body) };
    }
    throw new UnreadableBody(
      `the reply holds no list of ${wrappers[0] ?? 'records'} in a shape that audit-runner knows`,
    );
  };

const PAGING = {
  limit: ['limit', 'page_size', 'pageSize', 'per_page', 'perPage'],
  offset: ['offset', 'skip'],
  page: ['page', 'page_number', 'pageNumber', 'current_page', 'currentPage'],
  total: ['total', 'total_count', 'totalCount'],
} as const;

function paging(body: unknown): Partial<Page<never>> {
  const page: Partial<Page<never>> = {};
  for (const place of [body, at(body, 'pagination'), at(body, 'meta'), at(body, 'data.pagination')])
    for (const [key, names] of Object.entries(PAGING)) {
      const value = names.map((name) => at(place, name)).find((each) => typeof each === 'number');
      if (typeof value === 'number') page[key as keyof typeof PAGING] = value;
    }
  return page;
}

/** Finds a value under the configured path, or else under the first of the usual names in any usual envelope. */
function find<T>(
  body: unknown,
  path: string | undefined,
  names: readonly string[],
  as: (v: unknown) => T | undefined,
): T | undefined {
  if (path !== undefined) return as(at(body, path));
  for (const layer of layers(body, ['user', 'account', 'credits', 'tier', 'job', 'subscription', 'plan']))
    for (const name of names) {
      const value = as(fieldOf(layer, name));
      if (value !== undefined) return value;
    }
  return undefined;
}

/** A field by its name, also where the service writes names as `remaining_credits` or `RemainingCredits`. */
function fieldOf(layer: unknown, name: string): unknown {
  if (!isObject(layer)) return undefined;
  if (name in layer) return layer[name];
  const key = Object.keys(layer).find((one) => one.replace(/[_-]/g, '').toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : layer[key];
}

const isText = (v: unknown): v is string => typeof v === 'string' && v.length > 0;
const asText = (v: unknown): string | undefined => (isText(v) ? v : undefined);

/** A decimal number, or one whose thousands are set apart by a sign that cannot be a decimal one. */
const DECIMAL = /^-?\d+(\.\d+)?$/;
const THOUSANDS = [
  { form: /^-?\d{1,3}((,\d{3})+\.\d+|(,\d{3}){2,})$/, separator: /,/g },
  { form: /^-?\d{1,3}((\.\d{3})+,\d+|(\.\d{3}){2,})$/, separator: /\./g },
  { form: /^-?\d{1,3}([ '_\u00a0\u202f]\d{3})+([.,]\d+)?$/, separator: /[ '_\u00a0\u202f]/g },
];

/** A number, also as text. `25,000` may be either of two numbers and is none. */
function asNumber(v: unknown): number | undefined {
  if (typeof v === 'number') return Number.isFinite(v) ? v : undefined;
  if (typeof v !== 'string') return undefined;
  const text = v.trim();
  if (DECIMAL.test(text)) return Number(text);
  const thousands = THOUSANDS.find(({ form }) => form.test(text));
  return thousands && Number(text.replace(thousands.separator, '').replace(',', '.'));
}

/** GET /api/user/current → the ID of the user that the token belongs to. */
export const userId: Reader<{ userId: string }> = (body, { account }) => {
  const value = find(body, account.userId ?? undefined, ['id', 'userId', 'uid', 'sub'], asText);
  if (value === undefined)
    throw new UnreadableBody(
      "no user ID in the reply of GET /api/user/current: name its field with 'unshown.account.userId', or set that to null where there is none",
    );
  return { userId: value };
};

/** GET /api/user/tier → the tier's name. */
export const tier: Reader<{ tier: string }> = (body, { account }) => {
  const value = find(body, account.tier, ['tier', 'currentTier', 'name', 'plan', 'tierName', 'id'], asText);
  if (value === undefined)
    throw new UnreadableBody("no tier in the reply of GET /api/user/tier: name its field with 'unshown.account.tier'");
  return { tier: value };
};

const plainName = (name: string) => name.replace(/[^a-z0-9]/gi, '').toLowerCase();

/** Whether a tier may create projects and convert leads; undefined where its name says nothing. */
export function auditCapable(name: string, { account }: Unshown): boolean | undefined {
  const isIn = (tiers: readonly string[]) => tiers.some((one) => plainName(one) === plainName(name));
  return isIn(account.auditTiers) ? true : isIn(account.lowTiers) ? false : undefined;
}

/** Not `total`: it may be what a period allows, of which much is used. */
const BALANCE = [
  'balance',
  'credits',
  'remaining',
  'available',
  'creditsRemaining',
  'creditBalance',
  'currentBalance',
  'remainingCredits',
  'availableCredits',
  'creditsAvailable',
  'creditsBalance',
];

/** GET /api/user/credits → the balance. */
export const balance: Reader<{ balance: number }> = (body, { account }) => {
  const value = asNumber(body) ?? find(body, account.balance, BALANCE, asNumber);
  if (value === undefined)
    throw new UnreadableBody(
      "no balance in the reply of GET /api/user/credits: name its field with 'unshown.account.balance'",
    );
  return { balance: value };
};

/** What a job says of itself. */
export interface JobState {
  state: 'running' | 'complete' | 'failed';
}
const JOB_DONE = /^(complete[d]?|succeeded|success|done|finished)$/i;
const JOB_FAILED = /^(fail(ed|ure)?|error(ed)?|cancel+ed|timed[_-]?out|aborted)$/i;

/** GET /api/agent/jobs/{id} → running, complete or failed. A status word that we do not know counts as running. */
export const jobState: Reader<JobState> = (body, { job }) => {
  const value = find(body, job.status, ['status', 'state', 'jobStatus'], asText);
  if (value === undefined)
    throw new UnreadableBody(
      "no status in the reply of GET /api/agent/jobs/{id}: name its field with 'unshown.job.status'",
    );
  return { state: JOB_DONE.test(value) ? 'complete' : JOB_FAILED.test(value) ? 'failed' : 'running' };
};

/** POST …/audit-analysis/async → the job's ID, when one can be found; without one the analysis itself is polled. */
export const jobStarted: Reader<{ jobId?: string }> = (body, { job }) => {
  const value = find(body, job.id, ['jobId', 'id'], asText);
  return value === undefined ? {} : { jobId: value };
};

/**
 * POST /api/nucleus/capture/note → the capture's ID, when one can be found; without one the capture is looked for in the
 * list. An `id` of the innermost record is meant before one of its envelope.
 */
export const noteTaken: Reader<{ captureId?: string }> = (body, { note }) => {
  const places = [...layers(body, ['capture', 'note'])];
  const named = places.flatMap((place) => [at(place, 'captureId'), at(place, 'capture_id')]).find(isText);
  const guessed = named ?? places.map((place) => at(place, 'id')).findLast(isText);
  const captureId = note.id === undefined ? guessed : at(body, note.id);
  return isText(captureId) ? { captureId } : {};
};

/** A shape that the document does not show and that we hand on as it is. */
export const anything: Reader<unknown> = (body) => body;
