/** S7: a bucket whose server is out of order is said, costs few calls, and everything goes on once it works again. */
import { ingestCapture } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { useBuckets } from '../storage/bucket';
import { goesOnIn } from '../support/goes-on';
import { onStage } from '../support/stage';
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
