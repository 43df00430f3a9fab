/**
 * The page from which people start runs: Markdown for the frame 'Current Details' of the Web UI. Its text travels in the
 * address of a GET, so it stays short.
 */

import {
  convertedSince,
  ledgersOf,
  NOT_DONE,
  spentSince,
  UNDER_WAY,
  WAITS_FOR_CREDITS,
  WAITS_FOR_PERSON,
} from '../runs/lists';
import { WORKFLOW_QUEUE } from '../temporal/queues';
import { PROGRAM } from '../text/command';
import { withRoom } from '../text/details';
import { type FormFields, formPath, linkToForm, linkToList } from '../text/links';
import { code, inRow, type Markdown, md, paragraphs } from '../text/md';

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

/** Accounts whose ledgers have a link each, if there is room. */
const MOST_ACCOUNTS = 5;

/** The ID of the runs that hold a type's example input. */
export const exampleId = (type: string): string => `example.${type}`;

type Example = Pick<PageEntry, 'type' | 'runId'>;

/** What the start form is filled in with: a type's example. */
const formOf = ({ type, runId }: Example): FormFields => ({
  ...{ workflowType: type, taskQueue: WORKFLOW_QUEUE, workflowId: exampleId(type), runId },
});

/** Where that form is. */
export const exampleForm = (namespace: string, example: Example): string => formPath(namespace, formOf(example));

/**
 * The page, in full as long as that fits. Otherwise it leaves out the accounts' own links first, which the list of all ledgers
 * shows as well, then the examples, which the form shows as well, and in the end all but the names.
 */
export function startPage(page: Page): string {
  const inFull = (entry: PageEntry) => paragraphs([heading(page, entry), example(entry.input)]);
  const shown: readonly [accounts: number, show: (entry: PageEntry) => Markdown][] = [
    [MOST_ACCOUNTS, inFull],
    [0, inFull],
    [0, (entry) => heading(page, entry)],
    [0, ({ type }) => md`- ${type}`],
  ];
  const texts = shown.map(([accounts, show]) =>
    withRoom(paragraphs([...introduction(page, accounts), ...page.entries.map(show), footer(page)])),
  );
  return texts.find((text) => encodeURIComponent(text).length <= MAX_ENCODED) ?? texts.at(-1) ?? '';
}

const introduction = ({ namespace, accounts, today }: Page, most: number): Markdown[] => {
  const list = (words: string, query: string) => linkToList(namespace, query, words);
  const named = accounts.slice(0, most).map((account) => list(account, ledgersOf(account)));
  const more = accounts.length > named.length ? [list('all accounts', ledgersOf())] : [];
  const month = `${today.slice(0, 7)}-01`;
  return [
    md`## Start a run`,
    md`Each name opens the start form in a new tab, with an example filled in. There: press **Random UUID**, change the input, and press **Start Workflow** at the end of the form. What is left out has a default. A wrong input is refused at once with a sentence, before anything is called or spent. If a link does not open, copy its address.`,
    md`Then click the message *Workflow started successfully*, or the newest run of what is under way. Its tab *User Metadata* says what it does and why it waits; press **R** there for news.`,
    md`Lists: ${inRow([
      list('what waits for a person', WAITS_FOR_PERSON),
      list('what waits for credits', WAITS_FOR_CREDITS),
      list('what is under way', UNDER_WAY),
      list('what ended without being done', NOT_DONE),
      list(`conversions since ${today}`, convertedSince(`${today}T00:00:00Z`)),
      list(`what has cost credits since ${month}`, spentSince(`${month}T00:00:00Z`)),
    ])}.`,
    accounts.length === 0
      ? md`No account is configured.`
      : md`Ledger of an account, with its balance, what was spent today, its limits and holds: ${inRow([...named, ...more])}.`,
    md`A report on what was spent and what came of it, as one page, is made by ${code(`${PROGRAM} report --since 30d`)}: ask your administrator.`,
  ];
};

const heading = (page: Page, entry: PageEntry): Markdown =>
  md`**${linkToForm(page.namespace, formOf(entry), entry.type)}** ${entry.about}.`;

/** JSON as people write it on one line. Not a block of code: the frame would cut off what is wider than itself. */
const example = (input: object): Markdown =>
  code(JSON.stringify(input, null, 1).replace(/\n */g, ' ').replaceAll('`', '\\u0060'));

const footer = ({ version }: Page): Markdown => md`Page of version ${version}.`;
