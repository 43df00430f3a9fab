/** A worker that is told to end: what it is asking the ledger is answered, so that nothing holds it up. */
import { convertLead } from '../../workflows';
import { QUICK, startStage } from '../support/stage';
import { until } from '../support/until';

test('a worker whose runs ask again and again whether they may spend ends soon', async () => {
  const timing = { ...QUICK.timing, holdProbeMs: 4 };
  const stage = await startStage({ sandbox: { leads: 40 }, account: { timing, budget: { perDay: 1 } } });
  try {
    const worker = await stage.startWorker();
    const { workflow } = stage.temporal.client;
    const leads = stage.sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
    const runs = await Promise.all(
      leads
        .slice(0, 8)
        .map(({ id }) =>
          workflow.start(convertLead, { workflowId: id, taskQueue: 'audit-runner', args: [{ leadId: id }] }),
        ),
    );
    const asks = async (run: (typeof runs)[number]) =>
      ((await run.describe()).raw.pendingActivities ?? []).some(({ attempt }) => Number(attempt) > 2);
    await until(async () => (await Promise.all(runs.map(asks))).every(Boolean));
    const began = performance.now();
    worker.stop();
    await worker.done;
    // A question to a ledger that is no longer there is given up after half a minute.
    expect(performance.now() - began).toBeLessThan(25_000);
  } finally {
    await stage.close();
  }
});
