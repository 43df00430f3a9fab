/** S5: on a Temporal server with its own settings, which divide each queue into four partitions, two workers keep the limit. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { partitionsOf } from '../../src/temporal/queue-limits';
import { queueName } from '../../src/temporal/queues';
import { UNHURRIED } from '../support/stage';
import { start } from './support/batch';
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
    const ids = Array.from({ length: LEADS }, () => scene.lead());
    await mkdir(join(scene.stage.folder, 'storage'), { recursive: true });
    await writeFile(join(scene.stage.folder, 'storage', 'leads.csv'), `leadId\n${ids.join('\n')}\n`);
    const run = await start(scene, 'batch', { operation: 'convertLead', file: { ref: 'leads.csv' }, window: LEADS });
    expect(await run.result()).toMatchObject({ counts: { done: LEADS } });
    const { windows, refused429, paidTwice } = scene.stage.sandbox.control.stats();
    const reads = windows.find(({ rateClass }) => rateClass === 'reads');
    expect({ refused429, paidTwice }).toEqual({ refused429: 0, paidTwice: [] });
    // There was enough to do for the limit to count.
    expect(reads?.largest).toBeGreaterThan(READS.max / 2);
  }));
