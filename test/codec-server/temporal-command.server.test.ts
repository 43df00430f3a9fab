/** The `temporal` command reads encrypted runs through the codec server, and starts and answers them. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import pino from 'pino';
import { type CodecServer, openCodecServer } from '../../src/codec-server/server';
import { findServer } from '../../src/dev-server/find-server';
import { encryptionCodec } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import type { leadPipeline } from '../../workflows';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
let server: CodecServer;
let executable: string;
beforeAll(async () => {
  process.env[ENCRYPTION_VARIABLE] = randomBytes(32).toString('base64');
  executable = (await findServer(process.env, () => undefined)).file;
  stage = await startStage({ sandbox: { leads: 20 }, file: { encryption: { require: true } } });
  const { namespace } = stage.temporal;
  const codec = encryptionCodec(process.env, namespace);
  if (!codec) throw new Error('no key');
  server = await openCodecServer({
    ...{ codec, namespace: 'default', encode: true, secret: randomBytes(16).toString('hex') },
    ...{ origins: () => [], log: pino({ level: 'silent' }) },
  });
  await stage.startWorker();
});
afterAll(async () => {
  await server?.close();
  await stage?.close();
  delete process.env[ENCRYPTION_VARIABLE];
});

const temporal = async (args: readonly string[], decoded = true): Promise<string> => {
  const { TEMPORAL_ADDRESS = '', TEMPORAL_NAMESPACE = '' } = stage.env;
  const where = ['--address', TEMPORAL_ADDRESS, '--namespace', TEMPORAL_NAMESPACE];
  const codec = decoded ? ['--codec-endpoint', server.endpoint] : [];
  const { stdout, stderr } = await promisify(execFile)(executable, [...args, ...where, ...codec], {
    env: { PATH: process.env.PATH, HOME: stage.folder },
  }).catch((error) => error);
  return `${stdout}${stderr}`;
};
const INPUT = '{"scoring":{"minReadiness":0},"maxConversions":1,"approval":"all"}';
const RUN = ['--workflow-id', 'typed'];

test('with encryption.require, it starts a run, approves it by its name, and reads what came of it', async () => {
  await temporal([
    'workflow',
    'start',
    ...RUN,
    '--type',
    'leadPipeline',
    '--task-queue',
    'audit-runner',
    '--input',
    INPUT,
  ]);
  const run = stage.temporal.client.workflow.getHandle<typeof leadPipeline>('typed');
  await until(async () => (await run.query(pipelineProgressQuery)).waiting?.includes('Approval') === true);
  const approve = (said: string, decoded?: boolean) =>
    temporal(['workflow', 'update', 'execute', ...RUN, '--name', 'approve', '--input', said], decoded);
  expect(await approve('{"by":"Ann"}')).toContain(
    'the update approve is refused: it was encrypted for no run in particular',
  );
  expect(await approve('{"by":"Ann","run":"typed"}', false)).toContain('it is not encrypted');
  expect(await approve('{"by":"Ann","run":"typed"}')).toContain('Approved');
  expect(await run.result()).toMatchObject({ ended: 'done', approvedBy: 'Ann' });
  expect(await temporal(['workflow', 'result', ...RUN, '--output', 'json'])).toContain('approvedBy');
  expect(await temporal(['workflow', 'result', ...RUN, '--output', 'json'], false)).not.toContain('approvedBy');
});
