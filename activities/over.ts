/** Runs that are over, or about to be, spend nothing more (S3): neither by calls of their own nor by runs that they began. */
import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/common';
import { requeueAfter } from './requeue';

/** How soon an unanswered question is asked again, milliseconds. */
const AGAIN_MS = 1_000;

/**
 * Whether nothing may be sent any more: this run was cancelled or ended from outside, or the run for whose budget it was
 * begun is gone. Asked just before the ledger is: a cancellation that comes after the grant hears the call out.
 * @param budget key of the run whose cap counts; a call that costs nothing is its own run's
 */
export async function isOver(budget: string | undefined): Promise<boolean> {
  const { workflowId = '', runId } = Context.current().info.workflowExecution ?? {};
  try {
    const own = await look(workflowId, runId);
    if (own.over) return true;
    // A person may give any key; only what another run began has that run's.
    if (budget === undefined || !own.begunByAnother || budget === `${workflowId}/${own.firstRunId}`) return false;
    return await isBudgetOver(budget);
  } catch (error) {
    throw requeueAfter(
      `whether the run still stands cannot be asked (${error instanceof Error ? error.name : 'Error'})`,
      AGAIN_MS,
    );
  }
}

/** Whether the run of this key is gone: it has ended, is being cancelled, or is not known any more. */
async function isBudgetOver(key: string): Promise<boolean> {
  const at = key.lastIndexOf('/');
  try {
    const { over, firstRunId } = await look(key.slice(0, at));
    return over || firstRunId !== key.slice(at + 1);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}

async function look(workflowId: string, runId?: string) {
  const { raw, closeTime } = await Context.current().client.workflow.getHandle(workflowId, runId).describe();
  const { workflowExecutionInfo: info, workflowExtendedInfo: extended } = raw;
  return {
    over: closeTime !== undefined || extended?.cancelRequested === true,
    firstRunId: info?.firstRunId || runId,
    begunByAnother: Boolean(info?.parentExecution?.workflowId),
  };
}
