/** Starts the run of this week, once, and prints what came of it. */
import { Client, Connection, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { dataConverter, namesMessages } from 'audit-runner/encryption';
import { QUEUE } from './queue.js';
import type { BestLead, bestLead } from './workflows.js';

async function main(input: BestLead): Promise<void> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = await Connection.connect(connectionOptions);
  try {
    const converter = dataConverter(process.env, namespace);
    const { workflow } = new Client({
      ...{ connection, namespace, interceptors: { workflow: [namesMessages] } },
      ...(converter && { dataConverter: converter }),
    });
    const workflowId = `best-lead.${monday(new Date())}`;
    // One run a week, also after it has ended: the ID says which week.
    const options = { workflowId, taskQueue: QUEUE, args: [input], workflowIdReusePolicy: 'REJECT_DUPLICATE' } as const;
    const handle = await workflow.start<typeof bestLead>('bestLead', options).catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      console.log(`${workflowId} was started before`);
      return workflow.getHandle<typeof bestLead>(workflowId);
    });
    console.log(await handle.result());
  } finally {
    await connection.close();
  }
}

/** The Monday of that day's week, as in 2026-01-26 (UTC). */
function monday(day: Date): string {
  const sinceMonday = (day.getUTCDay() + 6) % 7;
  return new Date(day.getTime() - sinceMonday * 86_400_000).toISOString().slice(0, 10);
}

main(JSON.parse(process.argv[2] ?? '{}')).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
