/** How many requests for work the workers keep open, and what is said when a server takes fewer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/dev-server/free-port';
import { type OwnServer, startServer } from '../../src/dev-server/server';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { pollersOf } from '../../src/temporal/pollers';
import { cliFolder } from '../cli/cli';
import { until } from '../support/until';

const cli = cliFolder();
let sandbox: Sandbox;
let server: OwnServer | undefined;
beforeAll(async () => {
  sandbox = await startSandbox({ leads: 10 });
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});
afterAll(async () => {
  await cli.close();
  await sandbox.close();
});

/** A server that takes so many, and a worker for two accounts at it. */
async function atServerThatTakes(polls: number) {
  server = await startServer({ dynamicConfig: [`frontend.namespaceCount=${polls}`] });
  const account = (tokenEnv: string) => ({ baseUrl: sandbox.baseUrl, tokenEnv });
  const config = join(cli.folder, `${polls}.json`);
  writeFileSync(config, JSON.stringify({ accounts: { default: account('ONE'), other: account('OTHER') } }));
  const tokens = { ONE: sandbox.token, OTHER: sandbox.otherToken };
  const health = `127.0.0.1:${await freePort()}`;
  const env = { ...tokens, AUDIT_RUNNER_CONFIG: config, TEMPORAL_ADDRESS: server.address, NO_COLOR: '1' };
  const worker = cli.start(['worker'], { ...env, AUDIT_RUNNER_HEALTH_ADDRESS: health });
  await worker.said('worker is running');
  const ready = async () => (await fetch(`http://${health}/readyz`)).text();
  return { env, worker, ready };
}

test('the workers of many accounts fit into what a server takes by default', () => {
  expect(pollersOf(1)).toBe(8);
  expect(Math.floor(1_200 / pollersOf(30))).toBe(9);
});

test('two accounts are served where ten requests for each queue would be refused', async () => {
  const { env, worker, ready } = await atServerThatTakes(20);
  await worker.said('the worker keeps 12 requests for activities open');
  const run = await cli.run(['run', 'leadPipeline', '--account', 'other', '--input', '{"dryRun": true}'], env);
  expect(run.code).toBe(0);
  const doctor = await cli.run(['doctor'], env);
  expect(doctor.stdout).toContain('the server lets workers ask for work');
  expect(JSON.parse((await cli.run(['status', '--json'], env)).stdout)).not.toHaveProperty('pollsRefused');
  await until(async () => (await ready()) === 'ok\n');
  worker.signal('SIGTERM');
  await worker.ended;
});

test('a server that refuses them is named by status and doctor, with what helps', async () => {
  const { env, worker, ready } = await atServerThatTakes(8);
  await until(async () => (await ready()).includes('the Temporal server refuses workers that ask for work'));
  // A busy server answers a try too late to refuse it.
  let status = await cli.run(['status'], env);
  for (let n = 0; n < 5 && !status.stdout.includes('refuses workers'); n++) status = await cli.run(['status'], env);
  expect(status.stdout).toContain('The Temporal server refuses workers that ask for work');
  expect(status.stdout).toContain('frontend.namespaceCount');
  expect(status.code).toBe(3);
  const doctor = await cli.run(['doctor'], env);
  expect(doctor.stdout).toMatch(/polls: the server refuses workers that ask for work/);
  expect(doctor.code).not.toBe(0);
  worker.signal('SIGTERM');
  await worker.ended;
});
