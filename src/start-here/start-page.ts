/**
 * The page from which people start runs: Markdown for the frame 'Current Details' of the Web UI. Its text travels in the
 * address of a GET, so it stays short; a relative link in it opens a new tab (seen on UI 2.42.1).
 */

import { FAILED_OUTCOMES } from '../runs/failed-outcomes';
import { WORKFLOW_QUEUE } from '../temporal/queues';
import { withRoom } from '../text/details';
import { inline } from '../text/markdown';

/** Where the Web UI shows a namespace. */
export interface Place {
  namespace: string;
  /** Path under which the Web UI is served; empty at the root. */
  uiPath: string;
}

/** One workflow type on the page. */
export interface PageEntry {
  type: string;
  /** What it does, going on from its name, without a full stop. */
  about: string;
  input: Readonly<Record<string, unknown>>;
  /** The example run whose input the form copies; without it the newest run of the example's ID. */
  runId?: string | undefined;
}

export interface Page extends Place {
  accounts: readonly string[];
  version: string;
  entries: readonly PageEntry[];
}

/** Most characters of the page as part of an address: proxies commonly take 8 KiB of it. */
export const MAX_ENCODED = 7_000;

/**
 * Runs that ended without their work done. Most of them are Completed, with the reason in their result; Failed are those
 * whose input was wrong, or that met a defect.
 */
export const NOT_DONE = `Stage IN (${[...FAILED_OUTCOMES, 'skipped', 'cancelled', 'rejected'].map((word) => `"${word}"`).join(', ')}) OR ExecutionStatus = "Failed"`;

/** Lists of runs that people ask for, as filters of the Web UI's list. */
const LISTS = {
  'What waits for a person': 'NeedsPerson = true AND ExecutionStatus = "Running"',
  'what is under way': 'ExecutionStatus = "Running"',
  'what ended without being done': NOT_DONE,
};

/** The ID of the runs that hold a type's example input. */
export const exampleId = (type: string): string => `example.${type}`;

/** Path of the start form, filled in; `runId` counts from UI 2.43 on, before it the ID alone does. */
export function formPath({ namespace, uiPath }: Place, { type, runId }: Pick<PageEntry, 'type' | 'runId'>): string {
  const fields = {
    workflowType: type,
    taskQueue: WORKFLOW_QUEUE,
    workflowId: exampleId(type),
    ...(runId && { runId }),
  };
  return `${workflowsPath({ namespace, uiPath })}/start-workflow?${new URLSearchParams(fields)}`;
}

const workflowsPath = ({ namespace, uiPath }: Place) =>
  `${uiPath}/namespaces/${encodeURIComponent(namespace)}/workflows`;

/** The page, in full as long as that fits; else without what the form shows as well, and in the end the names alone. */
export function startPage(page: Page): string {
  const shown = [
    (entry: PageEntry) => `${heading(page, entry)}\n\n${code(entry.input)}`,
    (entry: PageEntry) => heading(page, entry),
    ({ type }: PageEntry) => `- ${inline(type)}`,
  ].map((show) => withRoom([...introduction(page), ...page.entries.map(show), footer(page)].join('\n\n')));
  return shown.find((text) => encodeURIComponent(text).length <= MAX_ENCODED) ?? shown.at(-1) ?? '';
}

const introduction = (page: Page): string[] => [
  '## Start a run',
  'Each name opens the start form in a new tab, with an example filled in. There: press **Random UUID**, change the input, ' +
    'press **Start Workflow**. What is left out has a default. A wrong input is refused at once with a sentence, before ' +
    'anything is called or spent. If a link does not open, copy its address.',
  `${Object.entries(LISTS)
    .map(([name, query]) => `[${name}](${workflowsPath(page)}?${new URLSearchParams({ query })})`)
    .join(', ')}`,
];

const heading = (page: Page, entry: PageEntry): string =>
  `**[${inline(entry.type)}](${formPath(page, entry)})** ${inline(entry.about)}.`;

/** JSON as people write it on one line. Not a block of code: the frame would cut off what is wider than itself. */
const code = (input: object): string =>
  `\`${JSON.stringify(input, null, 1).replace(/\n */g, ' ').replaceAll('`', '\\u0060')}\``;

const footer = ({ accounts, version }: Page): string =>
  `Accounts: ${accounts.map(inline).join(', ') || 'none'}. Page of version ${inline(version)}.`;
