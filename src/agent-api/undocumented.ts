/**
 * The settings of what docs/agent-api.md calls "not shown": names that we send, and places that we look into. Each can be
 * overridden in the configuration under `undocumented`. The readers (`record.ts`, `account-replies.ts`, `job.ts`) accept any sensible
 * shape and, where they cannot, say which of these settings corrects it.
 */
import { z } from 'zod';
import type { Headers } from './paging';
import { saysFailed } from './shape';

const name = (guess: string) => z.string().min(1).default(guess);
/** A part that a service may not take: null leaves it out. */
const optional = (guess: string) => z.string().min(1).nullable().default(guess);
/** A field that is found under one of the usual names unless this names it, as a path like `data.balance`. */
const field = z.string().min(1).optional();

/** Query parameter names of a list's pages. */
const pages = {
  limit: name('limit').describe('Parameter: how many records a page has.'),
  offset: name('offset').describe('Parameter: how many records come before the page.'),
  page: name('page').describe('Parameter: the number of the page, for services that count pages.'),
  cursor: field.describe(
    "Parameter: what the reply calls its next page. Default: by the name of the reply's own field, such as nextCursor.",
  ),
};

/** The records that the document shows without the wrapping of their replies. */
export const RECORDS = [
  'lead',
  'conversion',
  'project',
  'analysis',
  'deliverables',
  'capture',
  'contact',
  'assessmentConfig',
  'apiKey',
] as const;
export type RecordNoun = (typeof RECORDS)[number];
export const LISTS = ['leads', 'projects', 'captures', 'items', 'opportunities', 'memories'] as const;
export type ListNoun = (typeof LISTS)[number];
const paths = <N extends string>(nouns: readonly [N, ...N[]]) =>
  z.partialRecord(z.enum(nouns), field.unwrap()).default({});

/** Settings for the parts that the document does not show. Defaults are our guesses. */
export const Undocumented = z.strictObject({
  records: paths(RECORDS).describe(
    'Where a reply keeps its one record, by the kind of record: a path such as `data.item`. Default: found by the fields that it shows.',
  ),
  lists: paths(LISTS).describe(
    'Where a reply keeps its list, by the kind of list: a path such as `data.results`. Default: found by the fields of its records, an empty list by its name.',
  ),
  leadsList: z
    .strictObject({
      surveyLink: name('staticSlugId').describe('Parameter: only leads of this survey link.'),
      ...pages,
      sort: name('sort').describe('Parameter: by which field the list is sorted.'),
      direction: name('order').describe('Parameter: upwards or downwards.'),
    })
    .prefault({})
    .describe('Names of the query parameters of the lead list.'),
  projectsList: z
    .strictObject({
      ...pages,
      paging: z
        .enum(['send', 'none'])
        .default('send')
        .describe("Whether parameters for pages are sent; 'none' says that the reply is the whole list."),
    })
    .prefault({})
    .describe('Names of the query parameters of the project list.'),
  capturesList: z
    .strictObject({ project: name('projectId').describe('Parameter: only captures of this project.'), ...pages })
    .prefault({})
    .describe('Names of the query parameters of the capture list.'),
  memoriesList: z
    .strictObject({ type: name('type').describe('Parameter: only memories of this type.') })
    .prefault({})
    .describe('Names of the query parameters of the memory list.'),
  account: z
    .strictObject({
      userId: field
        .nullable()
        .describe(
          "Path of the user's ID. null where the service shows none: the account then goes by its name, which must be the same for all workers. Default: found under one of the usual names.",
        ),
      balance: field.describe('Path of the balance of credits. Default: found under one of the usual names.'),
      tier: field.describe("Path of the plan's name. Default: found under one of the usual names."),
      auditTiers: z
        .array(z.string())
        .default(['team', 'enterprise'])
        .describe('Plans that may create projects and convert leads.'),
      lowTiers: z
        .array(z.string())
        .default(['free', 'read-only', 'lead-generation'])
        .describe('Plans that may not. Of plans in neither list it is not known.'),
    })
    .prefault({})
    .describe('Where the replies about the account keep what is needed of them.'),
  job: z
    .strictObject({
      id: field.describe('Path of the job ID. Default: found under one of the usual names.'),
      status: field.describe("Path of the job's status. Default: found under one of the usual names."),
      complete: z
        .array(z.string().min(1))
        .default([])
        .describe('Words of the status, beside the usual ones, which mean that the job has succeeded.'),
      failed: z
        .array(z.string().min(1))
        .default([])
        .describe('Words of the status, beside the usual ones, which mean that the job has failed.'),
    })
    .prefault({})
    .describe('Where the job record, and the reply that starts a job, keep what is needed of them.'),
  upload: z
    .strictObject({
      encoding: z
        .enum(['auto', 'multipart', 'json'])
        .default('auto')
        .describe("JSON with base64 or a multipart form; 'auto' tries JSON, and a form where that is refused."),
      file: name('file').describe('Field: the content.'),
      fileName: optional('fileName').describe(
        'Field: the name, beside the one that a form sends anyway; null leaves it out.',
      ),
      fileType: optional('fileType').describe(
        'Field: the media type, beside the one that a form sends anyway; null leaves it out.',
      ),
    })
    .prefault({})
    .describe('How documents are uploaded.'),
  note: z
    .strictObject({
      content: name('content').describe('Field: the text.'),
      project: name('projectId').describe('Field: the project that the note belongs to.'),
      title: optional('title').describe(
        'Field: the beginning of the text, sent only where a note without one is refused; null: never.',
      ),
      id: field.describe("In the reply: path of the capture's ID. Default: found under one of the usual names."),
    })
    .prefault({})
    .describe('Names of the fields with which a note is submitted.'),
});
export type Undocumented = z.infer<typeof Undocumented>;

/** A body that no guess fits. The message names the setting that corrects it and never quotes the body (S4). */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
}

/** S2: it shows nothing, and its words say that the call failed: not even that there is nothing to show. */
export class FailedReply extends UnreadableBody {}

/** What else is known of a reply. */
export interface About {
  /** The identifier in the path of the request. */
  readonly id?: string | undefined;
  /** What its headers say of the pages of a list. */
  readonly headers?: Headers;
}

/** Turns a response body into a typed value, or throws {@link UnreadableBody} or a zod error. */
export type Reader<T> = (body: unknown, undocumented: Undocumented, about?: About) => T;

/** A shape that the document does not show and that we hand on as it is. @throws {FailedReply} */
export const anything: Reader<unknown> = (body) => {
  requireNotFailed(body);
  return body;
};

/** @throws {FailedReply} where a reply in which nothing else was found says that the call failed */
export function requireNotFailed(body: unknown): void {
  if (saysFailed(body)) throw new FailedReply('the reply says that the call failed');
}
