/** S7: a bucket whose server is out of order or slow is said, costs few calls, and everything goes on once it works again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { convertLead, ingestCapture } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { useBuckets } from '../storage/bucket';
import { goesOnIn } from '../support/goes-on';
import { completedLeads, onStage, QUICK } from '../support/stage';
import { until } from '../support/until';

const buckets = useBuckets();

test('a reply that a bucket does not take is read again seldom, the run says why, and stores it in the end', async () => {
  const url = await buckets.moto.bucket();
  let isAway = false;
  const endpoint = await buckets.between(
    (_path, _method, response) => isAway && !!response.writeHead(503, { 'content-type': 'text/html' }).end('<p>Busy'),
  );
  const storageUrl = url.replace(buckets.moto.endpoint, endpoint);
  await onStage({ sandbox: { captures: 3 }, file: { storageUrl } }, async ({ sandbox, temporal, startWorker }) => {
    await startWorker();
    const [capture] = sandbox.control.captures();
    const gets = () => sandbox.control.stats().requests.byRoute['captures.get'] ?? 0;
    const before = gets();
    isAway = true;
    const run = await temporal.client.workflow.start(ingestCapture, {
      ...{ workflowId: 'capture', taskQueue: 'audit-runner', args: [{ captureId: capture?.id ?? '' }] },
    });
    const says = async (words: string) => (await run.query(progressQuery)).waiting?.includes(words) === true;
    await until(() => says(`at ${endpoint} does not answer as it should (503): see that its server works`));
    await until(async () => (goesOnIn((await run.query(progressQuery)).waiting) ?? 0) > 4_000);
    expect(gets() - before).toBe(3);
    isAway = false;
    expect(await run.result()).toMatchObject({ outcome: 'processed' });
  });
});

test('while a bucket takes longer than the send window nothing is paid, the run says so, and tries less and less often', async () => {
  const url = await buckets.moto.bucket();
  let isSlow = false;
  const timing = { ...QUICK.timing, sendWindowMs: 2_000, settlingMs: 30_000 };
  const endpoint = await buckets.between(async (_path, method) => {
    if (isSlow && method === 'PUT') await sleep(timing.sendWindowMs + 500);
    return false;
  });
  const storageUrl = url.replace(buckets.moto.endpoint, endpoint);
  await onStage({ sandbox: { leads: 25 }, account: { timing }, file: { storageUrl } }, async (stage) => {
    await stage.startWorker();
    const [paidBefore = '', leadId = ''] = completedLeads(stage);
    const { workflow } = stage.temporal.client;
    const start = (id: string) =>
      workflow.start(convertLead, { workflowId: id, taskQueue: 'audit-runner', args: [{ leadId: id }] });
    expect(await (await start(paidBefore)).result()).toMatchObject({ outcome: 'converted' });
    const looks = () => stage.sandbox.control.stats().requests.byRoute['leads.get'] ?? 0;
    const before = looks();
    isSlow = true;
    const run = await start(leadId);
    const waiting = async () => (await run.query(progressQuery)).waiting ?? '';
    // Half a second, one, two, four.
    await until(async () => {
      const says = await waiting();
      return says.includes('no grant was in the books within') && (goesOnIn(says) ?? 0) > 2_500;
    }, 90_000);
    // Of each try one.
    expect(looks() - before).toBeLessThan(8);
    expect(stage.figures()).toMatchObject({ converts: 1, spent: 1_000 });
    isSlow = false;
    expect(await run.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
    expect(stage.figures()).toMatchObject({ converts: 2, spent: 2_000, paidTwice: 0 });
  });
}, 150_000);
