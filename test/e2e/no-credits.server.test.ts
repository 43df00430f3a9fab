/** S7: an empty balance stops what costs credits and nothing else, unless the service refuses a free call for it as well. */

import { ingestCapture } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';

import { until } from '../support/until';
import { inScene } from './support/scene';

test.concurrent('notes go on while a conversion waits for credits; a note that meets 402 waits too, and sends once more', () =>
  inScene({ sandbox: { credits: 500, durations: { convert: 50, extraction: 50 } } }, async (scene) => {
    const { control } = scene.stage.sandbox;
    const { workflow } = scene.stage.temporal.client;
    await scene.stage.startWorker();
    const notes = () => control.stats().requests.byRoute['captures.submitNote'] ?? 0;
    const ingest = (note: string) =>
      workflow.start(ingestCapture, { workflowId: note, taskQueue: 'audit-runner', args: [{ note }] });
    const conversion = await scene.convert(scene.lead());
    await until(async () => (await conversion.query(progressQuery)).waiting?.includes('too few credits') === true);
    expect(await (await ingest('first')).result()).toMatchObject({ outcome: 'processed' });
    expect((await scene.ledgerStatus()).holds).toMatchObject([{ kind: 'noCredits', needs: 1_000 }]);
    expect(notes()).toBe(1);

    control.addFault({ route: 'captures.submitNote', fault: 'status', status: 402 });
    const second = await ingest('second');
    await until(async () =>
      /also for a call that should cost none/.test(
        (await second.query<{ waiting?: string }>('progress')).waiting ?? '',
      ),
    );
    expect((await scene.ledgerStatus()).holds).toMatchObject([{ kind: 'noCredits', stopsAll: true }]);
    expect(notes()).toBe(2);
    control.setCredits({ credits: 5_000 });
    expect(await second.result()).toMatchObject({ outcome: 'processed' });
    expect(await conversion.result()).toMatchObject({ outcome: 'converted' });
    expect(notes()).toBe(3);
    await until(async () => (await scene.ledgerStatus()).holds.length === 0);
  }));
