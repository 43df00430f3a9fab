import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { dataConverter } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { ingestCapture } from '../../workflows';
import { readable } from '../e2e/support/leaks';
import { startStage } from '../support/stage';

test('S4: with encryption a note of the input is submitted, and is readable nowhere in the history', async () => {
  process.env[ENCRYPTION_VARIABLE] = randomBytes(32).toString('base64');
  const stage = await startStage({ sandbox: { captures: 0, durations: { extraction: 100 } } });
  try {
    await stage.startWorker();
    const { connection, namespace } = stage.temporal;
    const converter = dataConverter(process.env, stage.temporal.namespace);
    const client = new Client({ connection, namespace, ...(converter && { dataConverter: converter }) });
    const note = 'Carla Example will sign on Monday';
    const run = await client.workflow.start(ingestCapture, {
      workflowId: 'secret',
      taskQueue: 'audit-runner',
      args: [{ note }],
    });
    expect(await run.result()).toMatchObject({ outcome: 'processed', submitted: true });
    expect(stage.sandbox.control.captures().map(({ rawContent }) => rawContent)).toEqual([note]);
    const { events } = await run.fetchHistory();
    expect(readable(events)).not.toContain('Carla');
    // Waiting adds none: polls are no events.
    expect(events?.length).toBeLessThan(70);
  } finally {
    await stage.close();
    delete process.env[ENCRYPTION_VARIABLE];
  }
});
