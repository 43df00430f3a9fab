/** Runs that are over, or about to be, spend nothing more (S3): neither by calls of their own nor by runs that they began. */
import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/common';
import { requeueAfter } from './requeue';

/** How soon an unanswered question is asked again, milliseconds. */
const AGAIN_MS = 1_000;

/**
 * Whether nothing may be sent any more: this run was cancelled or ended from outside, or the run that began it is gone, or
 * the one for whose budget that was. Asked just before the ledger is: a cancellation that comes after the grant hears the call out.
 * @param budget key of the run whose cap counts; a call that costs nothing is its own run's
 */
export async function isOver(budget: string | undefined): Promise<boolean> {
  const { workflowId = '', runId } = Context.current().info.workflowExecution ?? {};
  try {
    const own = await look(workflowId, runId);
    if (own.over) return true;
    // A person may give any key; only what another run began has that run's.
    const { parent } = own;
    if (budget === undefined || !parent || budget === `${workflowId}/${own.firstRunId}`) return false;
    if (await isRunOver(budget)) return true;
    // The conversion of a batch's audit: the audit began it, out of the batch's budget.
    return parent.workflowId !== idIn(budget) && (await isParentOver(parent));
  } catch (error) {
    throw requeueAfter(
      `whether the run still stands cannot be asked (${error instanceof Error ? error.name : 'Error'})`,
      AGAIN_MS,
    );
  }
}

/** Whether the run of this key is gone: it has ended, is being cancelled, or is not known any more. */
const isRunOver = (key: string): Promise<boolean> =>
  unlessUnknown(async () => {
    const { over, firstRunId } = await look(idIn(key));
    return over || firstRunId !== key.slice(key.lastIndexOf('/') + 1);
  });

/** As above. By its first run: one that was reset goes on as another. */
const isParentOver = ({ workflowId, runId }: Parent): Promise<boolean> =>
  unlessUnknown(async () => {
    const latest = await look(workflowId);
    if (latest.over || latest.runId === runId) return latest.over;
    return (await look(workflowId, runId)).firstRunId !== latest.firstRunId;
  });

/** The workflow ID in the key of a run. */
const idIn = (key: string): string => key.slice(0, key.lastIndexOf('/'));

async function unlessUnknown(isOver: () => Promise<boolean>): Promise<boolean> {
  try {
    return await isOver();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}

interface Parent {
  workflowId: string;
  runId: string;
}

async function look(workflowId: string, runId?: string) {
  const { raw, closeTime } = await Context.current().client.workflow.getHandle(workflowId, runId).describe();
  const { workflowExecutionInfo: info, workflowExtendedInfo: extended } = raw;
  return {
    over: closeTime !== undefined || extended?.cancelRequested === true,
    runId: info?.execution?.runId ?? runId,
    firstRunId: info?.firstRunId || runId,
    parent: parentIn(info?.parentExecution),
  };
}

const parentIn = (of: Partial<Record<keyof Parent, string | null>> | null | undefined): Parent | undefined =>
  of?.workflowId && of.runId ? { workflowId: of.workflowId, runId: of.runId } : undefined;
