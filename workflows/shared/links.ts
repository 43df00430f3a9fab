/** Where to look next from the page of a run, and how to start it again: links of the Web UI. */
import { workflowInfo } from '@temporalio/workflow';
import { ledgersOf } from '../../src/runs/lists';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { formPath, linkToList, linkToRun } from '../../src/text/links';

/** A run as a link, by its ID. */
export const linkTo = (workflowId: string, text?: string): string =>
  linkToRun(workflowInfo().namespace, workflowId, text);

const RECORDS = [
  ['lead', 'LeadId', searchAttributeKeys.leadId],
  ['project', 'ProjectId', searchAttributeKeys.projectId],
  ['capture', 'CaptureId', searchAttributeKeys.captureId],
] as const;

/** The last lines of a page: who began the run, whose it is, what it is about. @param again it is over, and may be done again */
export function linksOf(account: string | undefined, again: boolean): string {
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
    ...(parent ? [`begun by ${linkTo(parent.workflowId)}`] : []),
    ...(account === undefined || !isQuotable(account)
      ? []
      : [linkToList(namespace, ledgersOf(account), `ledger of account ${account}`)]),
    ...RECORDS.flatMap(([what, name, key]) => {
      const id = known.get(key);
      return id && isQuotable(id) ? linkToList(namespace, `${name} = "${id}"`, `all about this ${what}`) : [];
    }),
    // A run that another began has a part in that one's budget.
    ...(again && !parent
      ? [`[start form with this input](${formPath(namespace, { workflowType, taskQueue, workflowId, runId })})`]
      : []),
  ];
  return links.length === 0 ? '' : `See also: ${links.join(', ')}`;
}

/** What would end a text in a filter is in none. */
const isQuotable = (value: string): boolean => !/["'\\]/.test(value);
