/** S5: on a Temporal server with its own settings, which divide each queue into four partitions, two workers keep the limit. */
import { partitionsOf } from '../../src/temporal/queue-limits';
import { queueName } from '../../src/temporal/queues';
import { UNHURRIED } from '../support/stage';
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
