import { randomBytes } from 'node:crypto';
import { ensureStartHere, START_HERE } from '../../src/start-here/keep';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { readable } from '../e2e/support/leaks';
import { startStage } from '../support/stage';
import { until } from '../support/until';

test('with encryption the examples are readable, for the form has no key, and the page is not', async () => {
  const stage = await startStage();
  process.env[ENCRYPTION_VARIABLE] = randomBytes(32).toString('base64');
  try {
    await stage.startWorker();
    const { client } = stage.temporal;
    await ensureStartHere(client);
    const page = client.workflow.getHandle(START_HERE);
    await until(async () => readable((await page.fetchHistory()).events).includes('timerStarted'));
    const { events } = await client.workflow.getHandle('example.convertLead').fetchHistory();
    expect(readable(events)).toContain('"leadId":"00000000-0000-4000-8000-000000000000"');
    expect(readable((await page.fetchHistory()).events)).not.toContain('Start a run');
    expect(await (await page.describe()).staticDetails()).toContain('codec server');
  } finally {
    await stage.close();
    delete process.env[ENCRYPTION_VARIABLE];
  }
});
