/** S5: on a Temporal server with its own settings, which divide each queue into four partitions, two workers keep the limit. */
import { partitionsOf, readQueueLimit, wantedRates } from '../../src/temporal/queue-limits';
import { queueName } from '../../src/temporal/queues';
import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { leadsInFile, start } from './support/batch';
import { inScene } from './support/scene';

const LEADS = 20;
/** Four partitions cannot each have a whole number of them. */
const READS = { max: 10, windowMs: 5_000 };

const options = {
  ownServer: 'bare',
  sandbox: { leads: 100, credits: 100_000, limits: { reads: READS } },
  account: { timing: UNHURRIED, limits: { reads: READS } },
} as const;

test('of the reads, whose calls get no turn from the ledger', () =>
  inScene(options, async (scene) => {
    const { connection, namespace } = scene.stage.temporal;
    expect(await partitionsOf(connection, namespace, queueName('default', 'reads'))).toBe(4);
    await Promise.all([scene.worker(), scene.worker()]);
    const { file } = await leadsInFile(scene, LEADS);
    const run = await start(scene, 'batch', { operation: 'convertLead', file, window: LEADS });
    expect(await run.result()).toMatchObject({ counts: { done: LEADS } });
    const { windows, refused429, paidTwice } = scene.stage.sandbox.control.stats();
    const reads = windows.find(({ rateClass }) => rateClass === 'reads');
    expect({ refused429, paidTwice }).toEqual({ refused429: 0, paidTwice: [] });
    // There was enough to do for the limit to count.
    expect(reads?.largest).toBeGreaterThan(READS.max / 2);
  }));

test('of the writes, which their queue alone keeps until the ledger gives turns, whatever a worker that starts would do', () =>
  inScene(options, async (scene) => {
    const { connection, namespace } = scene.stage.temporal;
    const { writes } = scene.stage.config.accounts.default?.limits ?? {};
    if (!writes) throw new Error('there is no account');
    const { rate, held } = await wantedRates(connection, namespace, 'default', 'writes', writes);
    expect(rate).toBeGreaterThan(1.5 * held);
    const limit = async () => (await readQueueLimit(connection, namespace, queueName('default', 'writes')))?.rate;
    const convert = async () => (await scene.convert(scene.lead())).result();

    const holding = await scene.worker({ AUDIT_RUNNER_HOLD_PATCHES: 'true' });
    expect(await convert()).toMatchObject({ outcome: 'converted' });
    const worker = await scene.worker();
    for (let n = 0; n < 3; n++) expect(await convert()).toMatchObject({ outcome: 'converted' });
    expect((await scene.ledgerStatus()).takesTurns).toBeUndefined();
    expect(await limit()).toBeCloseTo(held);

    // The next ledger belongs to the worker that takes patches.
    await holding.kill();
    await scene.ledger().terminate('test');
    await until(async () => {
      await convert();
      return Math.abs(((await limit()) ?? 0) - rate) < 0.01;
    });
    expect(await scene.ledgerStatus()).toMatchObject({ takesTurns: true });
    await worker.kill();
    await scene.worker({ AUDIT_RUNNER_HOLD_PATCHES: 'true' });
    expect(await limit()).toBeCloseTo(rate);
    await scene.ledger().terminate('test');
    await until(async () => {
      await convert();
      return Math.abs(((await limit()) ?? 0) - held) < 0.01;
    });
  }));
