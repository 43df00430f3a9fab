/** A note is submitted once, whatever is killed in the middle of it (S1, S2). */
import { ingestCapture } from '../../workflows';
import { QUICK } from '../support/stage';
import { until } from '../support/until';
import { inScene } from './support/scene';

/** Finding out that a worker is gone takes its heartbeat timeout, 15 s. */
const LIMIT_MS = 90_000;

test(
  'the only worker killed in three submissions: one was not committed yet, one was, one will never be',
  () =>
    inScene(
      {
        sandbox: { captures: 0, durations: { extraction: 100 } },
        account: { timing: { ...QUICK.timing, paidTimeoutMs: 3_000 } },
      },
      async (scene) => {
        const { stage } = scene;
        const { control } = stage.sandbox;
        const sent = () => control.stats().requests.byRoute['captures.submitNote'] ?? 0;
        const worker = await scene.worker();
        control.addFault({ route: 'captures.submitNote', fault: 'delay', delayMs: 700 });
        control.addFault({ route: 'captures.submitNote', fault: 'delayReply', delayMs: 1_500 });
        control.addFault({ route: 'captures.submitNote', fault: 'cutBeforeCommit' });
        const runs = await Promise.all(
          ['one', 'two', 'three'].map((note) =>
            stage.temporal.client.workflow.start(ingestCapture, {
              workflowId: note,
              taskQueue: 'audit-runner',
              args: [{ note }],
            }),
          ),
        );
        await until(() => sent() >= 3);
        await worker.kill();
        await until(() => control.captures().length >= 2);
        await scene.worker();
        for (const run of runs) expect(await run.result()).toMatchObject({ outcome: 'processed', submitted: true });
        expect(
          control
            .captures()
            .map(({ rawContent }) => rawContent)
            .sort(),
        ).toEqual(['one', 'three', 'two']);
        expect(control.stats().notesDoubled).toEqual([]);
        expect(sent()).toBe(4);
      },
    ),
  LIMIT_MS,
);
