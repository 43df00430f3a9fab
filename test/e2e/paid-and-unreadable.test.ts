/** S6: what was paid for is never reported as failed, also when the look that shall prove it meets a bad reply. */
import { leadPipeline } from '../../workflows';
import { inScene } from './support/scene';

const LIMIT_MS = 60_000;

test.concurrent(
  'a reply that is no JSON, once, does not fail a conversion whose own reply was lost',
  () =>
    inScene({}, async (scene) => {
      await scene.worker();
      const { control } = scene.stage.sandbox;
      control.addFault({ route: 'leads.convert', fault: 'replyLost' });
      control.addFault({ route: 'leads.get', fault: 'garbage', after: 1 });
      const run = await scene.convert(scene.lead());
      const result = await run.result().catch((error: Error) => error.cause);
      expect(scene.stage.figures().spent).toBe(1_000);
      expect(result).toMatchObject({ outcome: 'converted', credits: 1_000 });
    }),
  LIMIT_MS,
);

test.concurrent(
  'a reply that is no JSON, once, does not fail a pipeline',
  () =>
    inScene({}, async (scene) => {
      await scene.worker();
      scene.stage.sandbox.control.addFault({ route: 'leads.list', fault: 'garbage' });
      const run = await scene.stage.temporal.client.workflow.start(leadPipeline, {
        workflowId: 'pipeline',
        taskQueue: 'audit-runner',
        args: [{ maxConversions: 1 }],
      });
      expect(await run.result().catch((error: Error) => error.cause)).toMatchObject({ ended: 'done' });
    }),
  LIMIT_MS,
);
