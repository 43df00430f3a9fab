/** S2, S6: what was paid for or sent is found and never reported as failed, however odd the replies of the looks are. */

import { variantOverrides } from '../../src/sandbox';
import { ingestCapture, leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';

import { until } from '../support/until';
import { inScene } from './support/scene';

const LIMIT_MS = 240_000;
const { account } = variantOverrides;

const ODD = [
  { fault: 'garbage' },
  { fault: 'empty' },
  { fault: 'instead', body: { success: false, error: 'Busy' } },
] as const;

test.concurrent.each(ODD)(
  'an odd reply (%j), once, neither fails a conversion whose own reply was lost nor asks a person',
  (odd) =>
    inScene({}, async (scene) => {
      await scene.worker();
      const { control } = scene.stage.sandbox;
      control.addFault({ route: 'leads.convert', fault: 'replyLost' });
      control.addFault({ route: 'leads.get', ...odd, after: 1 });
      const run = await scene.convert(scene.lead());
      const result = await run.result().catch((error: Error) => error.cause);
      expect(scene.stage.figures().spent).toBe(1_000);
      expect(result).toMatchObject({ outcome: 'converted', credits: 1_000 });
    }),
  LIMIT_MS,
);

test.concurrent.each(ODD)(
  'an odd reply (%j), once, does not fail a pipeline',
  (odd) =>
    inScene({}, async (scene) => {
      await scene.worker();
      scene.stage.sandbox.control.addFault({ route: 'leads.list', ...odd });
      const run = await scene.stage.temporal.client.workflow.start(leadPipeline, {
        workflowId: 'pipeline',
        taskQueue: 'audit-runner',
        args: [{ maxConversions: 1 }],
      });
      expect(await run.result().catch((error: Error) => error.cause)).toMatchObject({ ended: 'done' });
    }),
  LIMIT_MS,
);

test.concurrent(
  'S2: replies that are lost are found though the clock of the headers is minutes before that of the records',
  () =>
    inScene({ sandbox: { dateSkewMs: 120_000, captures: 0 } }, async (scene) => {
      await scene.worker();
      const { control } = scene.stage.sandbox;
      control.addFault({ route: 'captures.submitNote', fault: 'replyLost' });
      control.addFault({ route: 'leads.convert', fault: 'replyLost' });
      const note = await scene.stage.temporal.client.workflow.start(ingestCapture, {
        ...{ workflowId: 'note', taskQueue: 'audit-runner', args: [{ note: 'Invoices first.' }] },
      });
      const lead = await scene.convert(scene.lead());
      expect(await note.result()).toMatchObject({ outcome: 'processed', submitted: true });
      expect(control.captures()).toHaveLength(1);
      const { outcome, projectId } = await lead.result();
      expect(outcome).toBe('converted');
      expect(control.projects().map(({ id }) => id)).toContain(projectId);
    }),
  LIMIT_MS,
);

test.concurrent(
  'a service that knows none of our names for the parameters of its lists is asked without them',
  () =>
    inScene({ sandbox: { variant: 'b', leads: 18 }, account: { undocumented: { account } } }, async (scene) => {
      await scene.worker();
      const run = await scene.stage.temporal.client.workflow.start(leadPipeline, {
        workflowId: 'plan',
        taskQueue: 'audit-runner',
        args: [{ dryRun: true }],
      });
      const shown = scene.stage.sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus !== 'archived');
      expect(await run.result()).toMatchObject({ ended: 'planned', leads: shown.length });
    }),
  LIMIT_MS,
);

test.concurrent(
  'S7: whoever waits because others met a 429 says so',
  () =>
    inScene({}, async (scene) => {
      await scene.worker();
      const { control } = scene.stage.sandbox;
      control.addFault({ route: 'leads.convert', fault: 'status', status: 429, retryAfter: 40 });
      const first = await scene.convert(scene.lead());
      await until(() => control.stats().faults.length > 0);
      const second = await scene.convert(scene.lead());
      await until(async () => (await second.query(progressQuery)).waiting?.includes('Rate-limited') === true);
      expect(scene.stage.figures().converts).toBe(1);
      for (const run of [first, second]) expect(await run.result()).toMatchObject({ outcome: 'converted' });
      // Its own: nothing left while the class was parked.
      expect(control.stats().refused429).toBe(1);
    }),
  LIMIT_MS,
);
