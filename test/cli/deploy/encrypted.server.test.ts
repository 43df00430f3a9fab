/** `deploy check` where runs are encrypted, and so bound to their namespace, and where nothing is open. */
import { randomBytes, randomUUID } from 'node:crypto';
import { connectClient } from '../../../src/temporal/connect';
import { encryptionKeyIds } from '../../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../../src/temporal/encryption-keys';
import { FLEET_KEYS } from '../../../src/temporal/fleet-record';
import { GRPC, grpcStatus } from '../../../src/temporal/grpc-status';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import { recordOf } from '../../../src/temporal/replaying';
import { progressQuery } from '../../../workflows/shared/status';
import { onStage } from '../../support/stage';
import { newNamespace, temporalEnv } from '../../support/temporal';
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
      await until(async () => (await pipeline.query(progressQuery)).waiting?.includes('Approval') === true);
      const { code, stdout } = await cli.run(['deploy', 'check', '--json'], {
        ...{ ...stage.env, [ENCRYPTION_VARIABLE]: key },
      });
      expect(JSON.parse(stdout)).toMatchObject({ broken: [], notBegun: 0 });
      expect(code).toBe(0);

      // Version 0.2 left no list of the keys: nothing refuses a command that lacks one.
      await client.schedule.getHandle(FLEET_KEYS).delete();
      const without = await cli.run(['deploy', 'check', '--json'], stage.env);
      expect(without.code).toBe(1);
      const [id = ''] = encryptionKeyIds(process.env);
      const { broken, missingKeys } = JSON.parse(without.stdout) as {
        broken: { why: string }[];
        missingKeys: string[];
      };
      expect(missingKeys).toEqual([id]);
      expect(broken.map(({ why }) => why)).toEqual(broken.map(() => expect.stringContaining(`with key ${id}`)));
      expect(without.stderr).toContain('set AUDIT_RUNNER_ENCRYPTION_KEY (or AUDIT_RUNNER_ENCRYPTION_KEY_FILE)');
      await pipeline.terminate();
    }),
  120_000,
);

test('where nothing is open it says which server that is, and that a ledger always is', async () => {
  const nowhere = await newNamespace();
  const { code, stdout, stderr } = await cli.run(['deploy', 'check'], temporalEnv(nowhere));
  expect(code).toBe(0);
  expect(stdout).toContain(`Temporal ${nowhere.address}, namespace ${nowhere.namespace}: 0 of 0 open runs`);
  expect(stderr).toContain('the ledger of its account is always open');
});

test('the server says of the history of a run that is gone that it does not find it', async () => {
  const { client, close } = await connectClient({ config: await newNamespace() });
  const gone = await recordOf(client, 'gone', randomUUID()).catch(grpcStatus);
  expect(gone).toBe(GRPC.NOT_FOUND);
  await close();
});
