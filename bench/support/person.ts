/** The person who is asked while a bench runs. */

import type { Client } from '@temporalio/client';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import type { convertLead } from '../../workflows';
import { decideUpdate } from '../../workflows/shared/asker';
import { chooseProjectUpdate } from '../../workflows/shared/choose-project';
import { progressQuery } from '../../workflows/shared/status';

const EVERY_MS = 5_000;
const ASKING = `WorkflowType = 'convertLead' AND ExecutionStatus = 'Running' AND ${searchAttributeKeys.needsPerson.name} = true`;

/**
 * Answers what conversions ask: after two unknown outcomes, both found not to have happened, to send again; of two projects
 * of one business, both of whose replies were lost, the first that is nobody else's.
 * @returns `stop` ends it and says how many asked
 */
export function answerQuestions(client: Client): { stop(): number } {
  const asked = new Set<string>();
  const answer = async (workflowId: string) => {
    const run = client.workflow.getHandle<typeof convertLead>(workflowId);
    const { waiting = '' } = await run.query(progressQuery);
    const ids = /own: ([\w-]+(?:, [\w-]+)*)/.exec(waiting)?.[1]?.split(', ') ?? [];
    if (ids.length === 0) await run.executeUpdate(decideUpdate, { args: [{ decision: 'sendAgain', by: 'bench' }] });
    for (const projectId of ids)
      if ((await run.executeUpdate(chooseProjectUpdate, { args: [{ projectId, by: 'bench' }] })).startsWith('Noted'))
        break;
    asked.add(workflowId);
  };
  const answerAll = async () => {
    // The list may be behind: a run that no longer asks refuses the answer.
    for await (const { workflowId } of client.workflow.list({ query: ASKING }))
      await answer(workflowId).catch(() => undefined);
  };
  // While the server is gone nobody asks.
  const timer = setInterval(() => void answerAll().catch(() => undefined), EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return asked.size;
    },
  };
}
