/**
 * Links of Temporal's Web UI in its frame *Current Details*. They are relative to that frame (`…/render`), so they lead to the
 * same Web UI wherever it is served, and open a new tab (seen on UI 2.42.1). Pure: workflows write them.
 */
import { linkText } from './markdown';
import { code, Markdown, md } from './md';

/** Runs, lists and the start form are below this. */
const workflowsOf = (namespace: string): string => `namespaces/${segment(namespace)}/workflows`;

const link = (text: string, address: string): Markdown => new Markdown(`[${linkText(text)}](${address})`);

/** A run's page, of the newest run of this ID. An ID of which a browser makes another path is shown without a link. */
export const linkToRun = (namespace: string, workflowId: string, text = workflowId): Markdown =>
  isDots(workflowId) ? md`${text}` : link(text, `${workflowsOf(namespace)}/${segment(workflowId)}`);

/** A list of runs. @param query a filter of the list */
export const linkToList = (namespace: string, query: string, text: string): Markdown =>
  link(text, `${workflowsOf(namespace)}?${fieldsOf({ query })}`);

/** The start form, filled in. */
export const linkToForm = (namespace: string, fields: FormFields, text: string): Markdown =>
  link(text, formPath(namespace, fields));

/** A document that a browser may open from the page; of any other address only its text is shown. */
export function linkToDocument(address: string, text: string): Markdown {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return code(address);
  const { origin, pathname, search, hash } = url;
  return link(text, `${origin}${`${pathname}${search}${hash}`.replace(MARKS, percent)}`);
}

/** What the start form is filled in with. */
export interface FormFields {
  readonly workflowType: string;
  readonly taskQueue: string;
  /** Of the run whose input is copied. */
  readonly workflowId: string;
  /** Counts from UI 2.43 on, before it the ID alone does. */
  readonly runId?: string | undefined;
}

/** Where the start form is, filled in. */
export const formPath = (namespace: string, { runId, ...fields }: FormFields): string =>
  `${workflowsOf(namespace)}/start-workflow?${fieldsOf({ ...fields, ...(runId && { runId }) })}`;

/** Browsers resolve these, encoded or not. */
const isDots = (id: string): boolean => /^\.\.?$/.test(id);

/** What addresses may hold as it is, and Markdown or the Web UI's own placeholders read as theirs. */
const MARKS = /[!'()*_~{}[\]<>`\\]/g;
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Lone surrogates have no encoding. */
const segment = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD')).replace(MARKS, percent);

const fieldsOf = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${segment(value).replaceAll('%20', '+')}`)
    .join('&');
