/** Where to look next from the page of a run, and how to start it again: links of the Web UI. */
import { workflowInfo } from '@temporalio/workflow';
import { ledgersOf } from '../../src/runs/lists';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { linkToForm, linkToList, linkToRun } from '../../src/text/links';
import { inRow, type Markdown, md } from '../../src/text/md';

/** A run as a link, by its ID. */
export const linkTo = (workflowId: string, text?: string): Markdown =>
  linkToRun(workflowInfo().namespace, workflowId, text);

/** All runs about a project, as a link. */
export const linkToProject = (projectId: string, text = `project ${projectId}`): Markdown =>
  linkToRecord('ProjectId', projectId, text);

/** @param name of a search attribute that holds IDs */
function linkToRecord(name: string, id: string, text: string): Markdown {
  return isQuotable(id) ? linkToList(workflowInfo().namespace, `${name} = "${id}"`, text) : md`${text}`;
}

const RECORDS = [
  ['lead', 'LeadId', searchAttributeKeys.leadId],
  ['project', 'ProjectId', searchAttributeKeys.projectId],
  ['capture', 'CaptureId', searchAttributeKeys.captureId],
] as const;

/** The last lines of a page: who began the run, whose it is, what it is about. @param again it is over, and may be done again */
export function linksOf(account: string | undefined, again: boolean): Markdown | undefined {
  const {
    namespace,
    parent,
    typedSearchAttributes: known,
    workflowId,
    runId,
    workflowType,
    taskQueue,
  } = workflowInfo();
  const links = [
    ...(parent ? [md`begun by ${linkTo(parent.workflowId)}`] : []),
    ...(account === undefined || !isQuotable(account)
      ? []
      : [linkToList(namespace, ledgersOf(account), `ledger of account ${account}`)]),
    ...RECORDS.flatMap(([what, name, key]) => {
      const id = known.get(key);
      return id && isQuotable(id) ? linkToRecord(name, id, `all about this ${what}`) : [];
    }),
    // A run that another began has a part in that one's budget.
    ...(again && !parent
      ? [linkToForm(namespace, { workflowType, taskQueue, workflowId, runId }, 'start form with this input')]
      : []),
  ];
  return links.length === 0 ? undefined : md`See also: ${inRow(links)}`;
}

/** What would end a text in a filter is in none. */
const isQuotable = (value: string): boolean => !/["'\\]/.test(value);
