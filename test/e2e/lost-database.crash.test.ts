/** S8: Temporal's database is lost, or goes back to a backup, in the middle of payments; the storage is kept. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { backfill } from '../../workflows';
import { backfillProgressQuery } from '../../workflows/backfill/batch-messages';
import { until } from '../support/until';
import { expectExact, LOSS_LIMIT_MS, type Loss, lossOptions, playLoss } from './support/losses';
import { inScene } from './support/scene';

test.concurrent.each<Loss>([
  { what: 'is lost', nth: 9 },
  { what: 'goes back to a backup', nth: 4 },
])(
  'the database $what while the payment $nth of twenty is under way: each is paid once, and the books are right',
  playLoss,
  LOSS_LIMIT_MS,
);

test.concurrent(
  'the drill of docs/administrators.md: the database is lost while a batch of 200 runs, and the batch is started again',
  () =>
    inScene({ ...lossOptions, sandbox: { leads: 420, credits: 500_000 } }, async (scene) => {
      const { client } = scene.stage.temporal;
      const leads = Array.from({ length: 200 }, () => scene.lead());
      const storage = join(scene.stage.folder, 'storage');
      await mkdir(storage, { recursive: true });
      await writeFile(join(storage, 'leads.csv'), `leadId\n${leads.join('\n')}\n`);
      const start = () =>
        client.workflow.start(backfill, {
          ...{ workflowId: 'batch', taskQueue: 'audit-runner' },
          args: [{ operation: 'convertLead', file: { ref: 'leads.csv' }, window: 20, maxCredits: 200_000 }],
        });
      await scene.worker();
      const batch = await start();
      await until(async () => (await batch.query(backfillProgressQuery)).done >= 60, LOSS_LIMIT_MS / 2);
      await scene.loseDatabase();
      await scene.worker();
      const { counts, credits } = await (await start()).result();
      expect(counts).toMatchObject({ failed: 0, waiting: 0 });
      expect(counts.done + counts.alreadyDone).toBe(200);
      expect(credits).toBeLessThanOrEqual(140_000);
      await expectExact(scene, 200);
    }),
  LOSS_LIMIT_MS,
);
