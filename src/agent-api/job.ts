/** Readers of jobs and of the replies that start work: which ID is whose, and what a status means. */
import { RecordId } from './id';
import {
  asText,
  at,
  describeKeys,
  type Fields,
  fieldOf,
  flat,
  isWithin,
  type Layer,
  layers,
  plainKey,
  plainWord,
} from './shape';
import { type Reader, requireNotFailed, UnreadableBody } from './undocumented';

/** What a job says of itself. */
export interface JobState {
  state: 'running' | 'complete' | 'failed';
  /** Its word, where nobody knows what that means: it counts as running. */
  unclear?: string;
}

const JOB_DONE =
  /^(complete|completed|succe(ss|eded|ssful)|done|finished|ready|processed|ended|fulfilled|available|ok)(_|$)/;
const JOB_FAILED =
  /(^|_)(fail(ed|ure)?|error(ed)?|cancel+ed|timed_out|timeout|aborted|rejected|killed|terminated|dead|expired|crashed|unsuccessful|faulted|abandoned)$/;
const JOB_OPEN =
  /^(pending|queued|enqueued|scheduled|created|accepted|submitted|waiting|starting|started|running|processing|in_progress|in_queue|active|working|retrying)(_|$)/;
/** A job that ends with warnings or with partial errors has ended. */
const WITH = /_with(_\w+)?$|_partially$/;
const SAFE_WORD = /^[A-Za-z][\w -]{0,39}$/;

const asId = (value: unknown): string | undefined => RecordId.safeParse(value).data;

const STATUS = ['status', 'state', 'jobStatus'];
const OF_JOBS = [
  ...['id', 'jobId', 'type', 'kind', 'progress', 'error', 'projectId', 'result', 'message'],
  ...['createdAt', 'startedAt', 'updatedAt', 'finishedAt', 'completedAt', 'done', ...STATUS],
];
const shows = (layer: Fields, names: readonly string[]) =>
  names.filter((name) => fieldOf(layer, name) !== undefined).length;

/** GET /api/agent/jobs/{id} → running, complete or failed. An envelope may have a status of its own. */
export const jobState: Reader<JobState> = (body, { job }, about = {}) => {
  let value = job.status === undefined ? undefined : asText(at(body, job.status));
  if (job.status === undefined) {
    const found = [...layers(body)]
      .map(({ value: layer, path }) => ({ value: flat(layer), path }))
      .filter(({ value: layer }) => statusOf(layer) !== undefined)
      .sort(
        (one, other) =>
          Number(hasId(other.value, about.id)) - Number(hasId(one.value, about.id)) ||
          shows(other.value, OF_JOBS) - shows(one.value, OF_JOBS) ||
          (isWithin(one.path, other.path) ? -1 : 1),
      );
    value = found[0] && statusOf(found[0].value);
  }
  if (value === undefined)
    throw new UnreadableBody(
      `no status in the reply of GET /api/agent/jobs/{id} (${describeKeys(body)}): name its field with 'undocumented.job.status'`,
    );
  const word = plainWord(value);
  const isOf = (words: readonly string[]) => words.some((one) => plainWord(one) === word);
  if (isOf(job.complete)) return { state: 'complete' };
  if (isOf(job.failed)) return { state: 'failed' };
  if (JOB_DONE.test(word) && (WITH.test(word) || !JOB_FAILED.test(word))) return { state: 'complete' };
  if (JOB_FAILED.test(word)) return { state: 'failed' };
  if (JOB_OPEN.test(word)) return { state: 'running' };
  return { state: 'running', unclear: SAFE_WORD.test(value) ? value : 'another word' };
};

const statusOf = (layer: Fields): string | undefined => {
  const word = STATUS.map((name) => asText(fieldOf(layer, name))).find((text) => text !== undefined);
  if (word !== undefined) return word;
  const done = fieldOf(layer, 'done') ?? fieldOf(layer, 'completed');
  if (typeof done !== 'boolean') return undefined;
  return done ? ((fieldOf(layer, 'error') ?? null) === null ? 'done' : 'failed') : 'running';
};
const hasId = (layer: Fields, id: string | undefined) =>
  id !== undefined && [fieldOf(layer, 'id'), fieldOf(layer, 'jobId')].some((one) => asId(one) === id);

/** Names under which a job stands: what is said there is said of the job, and its ID is the job's own. */
const JOBS = ['job', 'task', 'auditjob', 'analysisjob'];
const isUnder = ({ path }: Layer, names: readonly string[]): boolean =>
  names.includes(plainKey(path.findLast((key) => !/^\d+$/.test(key)) ?? ''));

/**
 * An ID that the reply names by its kind (`jobId`), else that of a record which stands under the name of a kind, else that
 * of one which says that it is of such a kind.
 * @param kinds the surest first: once a record stands under the name of one, what else there is is something else
 */
function namedId(all: readonly Layer[], fields: readonly string[], kinds: readonly string[]): string | undefined {
  for (const { value } of all)
    for (const field of fields) {
      const id = asId(fieldOf(value, field));
      if (id !== undefined) return id;
    }
  for (const kind of kinds) {
    const named = all.filter((layer) => isUnder(layer, [kind]));
    if (named.length > 0) return named.map(({ value }) => asId(value.id)).find((id) => id !== undefined);
  }
  const typed = all.find(({ value }) => kinds.includes(plainKey(asText(value.type) ?? '').replace(/s$/, '')));
  return typed && asId(typed.value.id);
}

/**
 * POST …/audit-analysis/async → the job's ID, when one can be found; without one the analysis itself is polled. An `id`
 * beside fields of an analysis is that one's.
 */
export const jobStarted: Reader<{ jobId?: string }> = (body, { job }) => {
  if (job.id !== undefined) return given('jobId', asId(at(body, job.id)), body);
  const all = [...layers(body)];
  const named = namedId(all, ['jobId', 'taskId'], JOBS);
  if (named !== undefined) return { jobId: named };
  const others = all.filter(({ value }) => shows(value, ['executiveSummary', 'opportunityCount', 'clientName']) === 0);
  const id = others.map(({ value }) => asId(value.id)).findLast((one) => one !== undefined);
  return given('jobId', id, body);
};

/**
 * POST /api/nucleus/capture/note → the capture's ID, where it is certain that it is one: else the capture is looked for in
 * the list, since the ID may be that of a job.
 */
export const noteTaken: Reader<{ captureId?: string }> = (body, { note }) => {
  if (note.id !== undefined) return given('captureId', asId(at(body, note.id)), body);
  // A job says of what kind its work is; but what it names as a capture is one.
  const everywhere = [...layers(body)];
  const all = everywhere.filter((layer) => !isUnder(layer, [...JOBS, 'jobs', 'tasks']));
  const named = namedId(everywhere, ['captureId'], []) ?? namedId(all, [], ['capture', 'note']);
  if (named !== undefined) return { captureId: named };
  const record = all.find(
    ({ value }) => shows(flat(value), ['rawContent', 'channel', 'capturedAt', 'contentType', 'processedContent']) > 0,
  );
  return given('captureId', record && asId(record.value.id), body);
};

/** Work may have been begun without an ID. @throws {FailedReply} where the reply says that it was not */
function given<K extends string>(key: K, id: string | undefined, body: unknown): { [P in K]?: string } {
  if (id === undefined) requireNotFailed(body);
  return (id === undefined ? {} : { [key]: id }) as { [P in K]?: string };
}
