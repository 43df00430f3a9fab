/** S6: what a backfill has counted is in its result, whatever becomes of its folder on the way. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backfill } from '../../workflows';
import * as messages from '../../workflows/backfill/batch-messages';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 220, credits: 1_000_000, durations: { convert: 200 } } });
  await stage.startWorker();
});
afterAll(() => stage.close());

test('the folder of a backfill is deleted while it is under way: it ends, with its counts and credits', async () => {
  const ids = stage.sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  mkdirSync(join(stage.folder, 'storage'), { recursive: true });
  writeFileSync(join(stage.folder, 'storage', 'all.csv'), `leadId\n${ids.map(({ id }) => id).join('\n')}\n`);
  const run = await stage.temporal.client.workflow.start(backfill, {
    ...{ workflowId: 'deleted', taskQueue: 'audit-runner' },
    args: [{ operation: 'convertLead', file: { ref: 'all.csv' }, window: 2, maxCredits: 1_000_000 }],
  });
  await until(async () => (await run.query(messages.backfillProgressQuery)).done >= 10);
  // The worker goes on writing meanwhile.
  const away = { recursive: true, maxRetries: 10, retryDelay: 20 };
  rmSync(join(stage.folder, 'storage', 'accounts', 'default', 'backfills'), away);
  const { ended, counts, items, credits, notes } = await run.result();
  expect(ended).toBe('stopped');
  expect(notes.join()).toContain('storage has lost');
  expect(items).toBe(ids.length);
  expect(Object.values(counts).reduce((a, b) => a + b, 0)).toBe(items);
  expect(counts.done).toBeGreaterThanOrEqual(10);
  expect(credits).toBe(1_000 * counts.done);
});
