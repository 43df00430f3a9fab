/** S7: runs need no lists of the Temporal server: a worker begins without them, and a batch goes on and says why it waits. */
import pino from 'pino';
import { holdUpdate, releaseUpdate } from '../../src/ledger/messages';
import { connectNative } from '../../src/temporal/connect-worker';
import { startWorker } from '../../src/worker';
import { takeListsAway } from '../support/lists-away';
import { until } from '../support/until';
import { eight, SMALL, start, waits } from './support/batch';
import { inScene } from './support/scene';

test('while the lists are away a worker begins, and a batch says what keeps it', () =>
  inScene(SMALL, async (scene) => {
    const { config, ledgerId, temporal } = scene.stage;
    const { namespace } = temporal;
    const address = scene.stage.env.TEMPORAL_ADDRESS ?? '';
    const ledger = temporal.client.workflow.getHandle(ledgerId);
    const said = (answer: Promise<string>) => answer.then(Boolean, () => false);
    const before = await scene.stage.startWorker();
    await until(() => said(ledger.executeUpdate(holdUpdate, { args: [{ reason: 'test' }] })));
    before.stop();
    await before.done;
    const { connection } = await connectNative({ config: { address, namespace } });
    takeListsAway(connection);
    const worker = await startWorker({ config, connection, namespace, log: pino({ level: 'silent' }) });
    try {
      const run = await start(scene, 'batch', await eight(scene));
      await until(() => waits(run, 'The account is not free to go on'));
      await ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'over' }] });
      expect(await run.result()).toMatchObject({ counts: { done: 8 } });
    } finally {
      worker.stop();
      await worker.done;
      await connection.close();
    }
  }));
