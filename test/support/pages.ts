/** Runs of a stage as who reads their pages has them. */
import { detailsOf } from './details';
import type { Stage } from './stage';

export function pagesOf(stage: () => Stage) {
  const client = () => stage().temporal.client;
  const handle = (workflowId: string) => client().workflow.getHandle(workflowId);
  const pageOf = (workflowId: string) => detailsOf(client(), workflowId);
  return {
    handle,
    pageOf,
    start: (type: string, workflowId: string, input: object) =>
      client().workflow.start(type, { workflowId, taskQueue: 'audit-runner', args: [input] }),
    /** Sends an update. @returns the page, asked for once */
    async after(workflowId: string, update: string, said: object): Promise<string> {
      await handle(workflowId).executeUpdate(update, { args: [said] });
      return pageOf(workflowId);
    },
  };
}
