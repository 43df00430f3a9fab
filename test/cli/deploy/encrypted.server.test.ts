/** `deploy check` where runs are encrypted, which binds their data to a namespace other than `default`. */
import { randomBytes } from 'node:crypto';
import { ENCRYPTION_VARIABLE } from '../../../src/temporal/encryption-keys';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import { progressQuery } from '../../../workflows/shared/status';
import { onStage } from '../../support/stage';
import { until } from '../../support/until';
import { cliFolder } from '../cli';

const cli = cliFolder();
const key = randomBytes(32).toString('base64');
beforeAll(() => {
  process.env[ENCRYPTION_VARIABLE] = key;
});
afterAll(async () => {
  delete process.env[ENCRYPTION_VARIABLE];
  await cli.close();
});

test(
  'open runs that are encrypted can go on in any namespace',
  () =>
    onStage({ sandbox: { leads: 5 } }, async (stage) => {
      const { client, namespace } = stage.temporal;
      expect(namespace).not.toBe('default');
      await stage.startWorker();
      const pipeline = await client.workflow.start('leadPipeline', {
        ...{ workflowId: 'asks', taskQueue: WORKFLOW_QUEUE, args: [{ approval: 'all', scoring: { minReadiness: 0 } }] },
      });
      await until(async () => (await pipeline.query(progressQuery)).waiting !== undefined);
      const { code, stdout } = await cli.run(['deploy', 'check', '--json'], {
        ...{ ...stage.env, [ENCRYPTION_VARIABLE]: key },
      });
      expect(JSON.parse(stdout)).toMatchObject({ broken: [], notBegun: 0 });
      expect(code).toBe(0);
      await pipeline.terminate();
    }),
  120_000,
);
