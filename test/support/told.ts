/** What the runs of a test say when it fails: without that, a log of CI tells only what was waited for. */
import type { Client } from '@temporalio/client';
import { detailsOf } from './details';

const ASK_MS = 5_000;
const MOST = 12;
const MOST_CHARACTERS = 600;

/** @returns the error, with what each run under way says of itself, and what it waits for */
export async function withWhatRunsSay(client: Client, error: unknown): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const said: string[] = [];
  try {
    for await (const { workflowId } of client.workflow.list({ query: 'ExecutionStatus = "Running"' })) {
      if (said.length >= MOST) break;
      const { doing, pending } = await client.withDeadline(Date.now() + ASK_MS, async () => {
        const { raw } = await client.workflow.getHandle(workflowId).describe();
        const doing = (await detailsOf(client, workflowId).catch(String)).slice(0, MOST_CHARACTERS);
        const pending = (raw.pendingActivities ?? []).map(
          ({ activityType, attempt, lastFailure }) =>
            `${activityType?.name} try ${attempt} ${lastFailure?.message ?? ''}`,
        );
        return { doing, pending };
      });
      said.push(`${workflowId}: ${doing}\n  ${pending.join('\n  ')}`);
    }
  } catch (failure) {
    said.push(`the others cannot be asked: ${failure}`);
  }
  const { message } = error;
  error.message = `${message}\n\nRuns under way:\n${said.join('\n')}`;
  // It begins with the message as it was, and is what Jest shows.
  error.stack = (error.stack ?? '').replace(message, () => error.message);
  return error;
}
