/**
 * The page from which people start runs: Markdown for the frame 'Current Details' of the Web UI. Its text travels in the
 * address of a GET, so it stays short.
 */

import { convertedSince, ledgersOf, NOT_DONE, UNDER_WAY, WAITS_FOR_CREDITS, WAITS_FOR_PERSON } from '../runs/lists';
import { WORKFLOW_QUEUE } from '../temporal/queues';
import { withRoom } from '../text/details';
import { formPath, linkToList } from '../text/links';
import { inline } from '../text/markdown';

/** One workflow type on the page. */
export interface PageEntry {
  type: string;
  /** What it does, going on from its name, without a full stop. */
  about: string;
  input: Readonly<Record<string, unknown>>;
  /** The example run whose input the form copies; without it the newest run of the example's ID. */
  runId?: string | undefined;
}

export interface Page {
  namespace: string;
  accounts: readonly string[];
  version: string;
  /** In UTC, such as 2026-01-31. */
  today: string;
  entries: readonly PageEntry[];
}

/** Most characters of the page as part of an address: proxies commonly take 8 KiB of it. */
export const MAX_ENCODED = 7_000;

/** Accounts whose ledgers have a link each. */
const MOST_ACCOUNTS = 5;

/** The ID of the runs that hold a type's example input. */
export const exampleId = (type: string): string => `example.${type}`;

/** Where the start form is, filled in with a type's example. */
export const exampleForm = (namespace: string, { type, runId }: Pick<PageEntry, 'type' | 'runId'>): string =>
  formPath(namespace, { workflowType: type, taskQueue: WORKFLOW_QUEUE, workflowId: exampleId(type), runId });

/** The page, in full as long as that fits; else without what the form shows as well, and in the end the names alone. */
export function startPage(page: Page): string {
  const shown = [
    (entry: PageEntry) => `${heading(page, entry)}\n\n${code(entry.input)}`,
    (entry: PageEntry) => heading(page, entry),
    ({ type }: PageEntry) => `- ${inline(type)}`,
  ].map((show) => withRoom([...introduction(page), ...page.entries.map(show), footer(page)].join('\n\n')));
  return shown.find((text) => encodeURIComponent(text).length <= MAX_ENCODED) ?? shown.at(-1) ?? '';
}

const introduction = ({ namespace, accounts, today }: Page): string[] => {
  const list = (words: string, query: string) => linkToList(namespace, query, words);
  const named = accounts.slice(0, MOST_ACCOUNTS).map((account) => list(account, ledgersOf(account)));
  const more = accounts.length > named.length ? [list('all accounts', ledgersOf())] : [];
  return [
    '## Start a run',
    'Each name opens the start form in a new tab, with an example filled in. There: press **Random UUID**, change the input, ' +
      'press **Start Workflow**. What is left out has a default. A wrong input is refused at once with a sentence, before ' +
      'anything is called or spent. If a link does not open, copy its address.',
    'Then click the message *Workflow started successfully*, or the newest run of what is under way. Its tab *User Metadata* says ' +
      'what it does and why it waits; press **R** there for news.',
    `Lists: ${[
      list('what waits for a person', WAITS_FOR_PERSON),
      list('what waits for credits', WAITS_FOR_CREDITS),
      list('what is under way', UNDER_WAY),
      list('what ended without being done', NOT_DONE),
      list(`conversions since ${today}`, convertedSince(`${today}T00:00:00Z`)),
    ].join(', ')}.`,
    accounts.length === 0
      ? 'No account is configured.'
      : `Ledger of an account, with its balance, what was spent today, its limits and holds: ${[...named, ...more].join(', ')}.`,
  ];
};

const heading = (page: Page, entry: PageEntry): string =>
  `**[${inline(entry.type)}](${exampleForm(page.namespace, entry)})** ${inline(entry.about)}.`;

/** JSON as people write it on one line. Not a block of code: the frame would cut off what is wider than itself. */
const code = (input: object): string =>
  `\`${JSON.stringify(input, null, 1).replace(/\n */g, ' ').replaceAll('`', '\\u0060')}\``;

const footer = ({ version }: Page): string => `Page of version ${inline(version)}.`;
