/**
 * The settings of what docs/agent-api.md calls "not shown": names that we send, and places that we look into. Each can be
 * overridden in the configuration under `undocumented`. The readers (`record.ts`, `account-replies.ts`, `job.ts`) accept any sensible
 * shape and, where they cannot, say which of these settings corrects it.
 */
import { z } from 'zod';
import type { Headers } from './paging';

const name = (guess: string) => z.string().min(1).default(guess);
/** A part that a service may not take: null leaves it out. */
const optional = (guess: string) => z.string().min(1).nullable().default(guess);
/** A field that is found under one of the usual names unless this names it, as a path like `data.balance`. */
const field = z.string().min(1).optional();

/**
 * Query parameter names of a list's pages: how many records, from where, or the number of the page; `cursor` takes what the
 * reply calls its next page.
 * @default cursor: by the name of the reply's own field, such as `nextCursor`
 */
const pages = { limit: name('limit'), offset: name('offset'), page: name('page'), cursor: field };

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
  /** Where a reply keeps its one record, as a path such as `data.item`. @default found by the fields that it shows */
  records: paths(RECORDS),
  /** Where a reply keeps its list, as a path such as `data.results`. @default found by the fields of its records */
  lists: paths(LISTS),
  /** Query parameter names of the lead list. */
  leadsList: z
    .strictObject({
      surveyLink: name('staticSlugId'),
      ...pages,
      sort: name('sort'),
      direction: name('order'),
    })
    .prefault({}),
  /**
   * Query parameter names of the project list. `paging: none` says that the list is whole: no paging parameters are sent.
   */
  projectsList: z
    .strictObject({
      ...pages,
      paging: z.enum(['send', 'none']).default('send'),
    })
    .prefault({}),
  /** Query parameter names of the capture list: of its project filter, and of its pages. */
  capturesList: z.strictObject({ project: name('projectId'), ...pages }).prefault({}),
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
  /**
   * Where the job record, and the reply that starts a job, keep what we need; and words of its status beside the usual ones
   * that mean an end.
   */
  job: z
    .strictObject({
      id: field,
      status: field,
      complete: z.array(z.string().min(1)).default([]),
      failed: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  /**
   * The document upload: JSON with base64 or a multipart form (`auto`: JSON, and a form where that is refused), and the
   * names of its fields. `fileName` and `fileType` are sent
   * beside the file, which in a form has both of its own; null leaves them out.
   */
  upload: z
    .strictObject({
      encoding: z.enum(['auto', 'multipart', 'json']).default('auto'),
      file: name('file'),
      fileName: optional('fileName'),
      fileType: optional('fileType'),
    })
    .prefault({}),
  /**
   * Field names of the note submission, and where its reply keeps the ID of the capture. `title` is sent only where a note
   * without one is refused: the beginning of the text. null: never.
   */
  note: z
    .strictObject({ content: name('content'), project: name('projectId'), title: optional('title'), id: field })
    .prefault({}),
});
export type Undocumented = z.infer<typeof Undocumented>;

/** A body that no guess fits. The message names the setting that corrects it and never quotes the body (S4). */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
}

/** What else is known of a reply. */
export interface About {
  /** The identifier in the path of the request. */
  readonly id?: string | undefined;
  /** What its headers say of the pages of a list. */
  readonly headers?: Headers;
}

/** Turns a response body into a typed value, or throws {@link UnreadableBody} or a zod error. */
export type Reader<T> = (body: unknown, undocumented: Undocumented, about?: About) => T;

/** A shape that the document does not show and that we hand on as it is. */
export const anything: Reader<unknown> = (body) => body;
