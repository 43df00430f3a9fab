import { WORKFLOW_TYPES } from '../../src/runs/workflow-types';
import { startSandbox } from '../../src/sandbox';
import { connectClient } from '../../src/temporal/connect';
import { queueRate, readQueueLimit } from '../../src/temporal/queue-limits';
import { newNamespace, temporalEnv } from '../support/temporal';
import { cliFolder } from './cli';

const cli = cliFolder();
afterAll(() => cli.close());

test('setup prepares a namespace without a worker, twice with the same outcome', async () => {
  const [config, sandbox] = await Promise.all([newNamespace({ bare: true }), startSandbox()]);
  const env = {
    AGENT_API_BASE_URL: sandbox.baseUrl,
    AGENT_API_TOKEN: sandbox.token,
    ...temporalEnv(config),
    TEMPORAL_UI_URL: 'https://tools.example/temporal',
  };
  const { client, connection, close } = await connectClient({ config });
  try {
    const first = await cli.run(['setup', '--json'], env);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const { examples, ...ready } = JSON.parse(first.stdout);
    const address = `https://tools.example/temporal/namespaces/${config.namespace}/workflows/start-here`;
    expect(ready).toMatchObject({ startHere: { address }, accounts: ['default'], warnings: [] });
    expect(Object.keys(examples)).toEqual(Object.keys(WORKFLOW_TYPES));
    expect(examples.convertLead).toMatchObject({
      renewed: true,
      form: expect.stringContaining('/temporal/namespaces/'),
    });

    expect((await client.workflow.getHandle('start-here').describe()).status.name).toBe('RUNNING');
    const limit = await readQueueLimit(connection, config.namespace, 'agent-api.default.writes');
    expect(Math.fround(limit?.rate ?? 0)).toBe(Math.fround(queueRate(20, 60_000)));

    const second = await cli.run(['setup'], env);
    expect(second.stdout).toContain(`${address} (tab 'User Metadata')`);
    expect(second.stdout).toContain(examples.convertLead.runId);
    expect(sandbox.control.stats().requests.total).toBe(0);
  } finally {
    await close();
    await sandbox.close();
  }
});

test('setup without an account or a server ends with a sentence', async () => {
  expect(await cli.run(['setup'])).toMatchObject({ code: 2, stdout: '' });
});
