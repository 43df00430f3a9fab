import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/dev-server/free-port';
import { type OwnServer, startServer } from '../../src/dev-server/server';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { cliFolder, until } from './cli';

let cli: ReturnType<typeof cliFolder>;
let sandbox: Sandbox;
let server: OwnServer | undefined;
let env: Record<string, string>;
let port: number;

beforeAll(async () => {
  sandbox = await startSandbox();
  port = await freePort();
  env = {
    AGENT_API_BASE_URL: sandbox.baseUrl,
    AGENT_API_TOKEN: sandbox.token,
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
  };
});

// Books that outlive their Temporal server make the next ledger patient, so each test has its own.
beforeEach(() => {
  cli = cliFolder();
});
afterEach(async () => {
  await cli.close();
  await server?.stop();
  server = undefined;
});
afterAll(() => sandbox.close());

test('a worker without an account ends at once with a sentence', async () => {
  const { code, stderr } = await cli.run(['worker'], { TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
  expect(stderr).toContain('no account is configured: set AGENT_API_BASE_URL and AGENT_API_TOKEN');
  expect(code).toBe(2);
});

test('a worker with a malformed token ends at once and does not show it', async () => {
  const { code, stdout, stderr } = await cli.run(['worker'], { ...env, AGENT_API_TOKEN: 'aky_tooShort1' });
  expect(stderr).toContain('AGENT_API_TOKEN does not hold a token');
  expect(stdout + stderr).not.toContain('tooShort1');
  expect(code).toBe(2);
});

/** Options of Node with which a program changes a part of itself before it begins. */
function changed(script: string): { NODE_OPTIONS: string } {
  const file = join(cli.folder, 'changed.js');
  writeFileSync(file, script);
  return { NODE_OPTIONS: `--require ${file}` };
}

const AT_ITS_START = `
  const limits = require(${JSON.stringify(join(__dirname, '../../dist/src/temporal/queue-limits.js'))});
  limits.ensureQueueLimits = async () => {
    throw Object.assign(new Error('14 UNAVAILABLE: gone'), { code: 14, details: 'gone', metadata: {} });
  };`;
const AT_WORK = `
  const { Worker } = require(${JSON.stringify(require.resolve('@temporalio/worker'))});
  const { run } = Worker.prototype;
  Worker.prototype.run = function () {
    return this.options.taskQueue.endsWith('.polls') ? Promise.reject(new Error('one part fails')) : run.call(this);
  };`;

test.each([
  ['late in its start', AT_ITS_START, 'does not do it: gone', 'UNAVAILABLE: gone', 4],
  ['at work', AT_WORK, 'one part fails', 'one part fails', 1],
])('a worker that fails %s says why, though its connection is in use', async (_, script, sentence, cause, exit) => {
  server = await startServer({ port });
  const { code, stdout, stderr } = await cli.run(['worker'], { ...env, ...changed(script) });
  expect(stderr).toContain(sentence);
  expect(stdout + stderr).not.toContain('Cannot close connection');
  const logged = stdout.split('\n').filter((line) => line.includes('the worker cannot go on'));
  expect(logged.join()).toContain(cause);
  expect(code).toBe(exit);
});

test('a worker that still waits for the Temporal server ends on SIGTERM', async () => {
  const worker = cli.start(['worker'], env);
  await worker.said('connecting to the Temporal server');
  worker.signal('SIGTERM');
  expect((await worker.ended).code).toBe(0);
});

test('a worker waits for a Temporal server that comes later, and on SIGTERM finishes the call in flight', async () => {
  const worker = cli.start(['worker'], env);
  await worker.said('connecting to the Temporal server');
  server = await startServer({ port });
  await worker.said('account is ready');

  // It asks the service nothing while the workers do.
  let doctor = await cli.run(['doctor'], env);
  while (doctor.stdout.includes('the workers use the whole limit')) doctor = await cli.run(['doctor'], env);
  expect(doctor.stdout).toContain('Nothing is wrong. Look again at 1 of ');
  expect(doctor.stdout).toMatch(/LOOK +ceilings: No ceiling is configured/);
  expect(doctor.code).toBe(0);

  const [lead] = sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 60_000 });
  const run = cli.start(['run', 'convertLead', '--input', JSON.stringify({ leadId: lead?.id }), '--json'], env);
  const { byRoute, byStatus } = sandbox.control.stats().requests;
  await until(
    () => byRoute['leads.convert'] === 1,
    () => 'the convert to leave',
  );
  worker.signal('SIGTERM');
  await worker.said('finishes the calls in flight');
  expect(sandbox.control.stats().conversions).toBe(0);

  sandbox.control.endDelays();
  expect((await worker.ended).code).toBe(0);
  expect(sandbox.control.stats().conversions).toBe(1);
  expect(byStatus.cut).toBeUndefined();

  const next = cli.start(['worker'], env);
  const { code, stdout } = await run.ended;
  expect(JSON.parse(stdout)).toMatchObject({
    workflowId: `convert-lead.default.${lead?.id}`,
    result: { outcome: 'converted', credits: 1_000 },
  });
  expect(code).toBe(0);
  expect(sandbox.control.stats().requests.byRoute['leads.convert']).toBe(1);

  const spend = await cli.run(['spend', '--json'], env);
  expect(spend.stderr).toBe('');
  expect(JSON.parse(spend.stdout)).toMatchObject([
    { status: { account: 'default', spentToday: 1_000, open: [] }, bookings: [{ subject: `lead:${lead?.id}` }] },
  ]);
  next.signal('SIGTERM');
  expect((await next.ended).code).toBe(0);
});

test('a second signal ends a worker at once, in the middle of a call', async () => {
  server = await startServer({ port });
  const worker = cli.start(['worker'], env);
  await worker.said('account is ready');
  const before = sandbox.control.stats().requests.byRoute['leads.convert'] ?? 0;
  const [lead] = sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 60_000 });
  const run = await cli.run(['run', 'convertLead', '--input', JSON.stringify({ leadId: lead?.id }), '--detach'], env);
  expect(run.code).toBe(0);
  await until(
    () => sandbox.control.stats().requests.byRoute['leads.convert'] === before + 1,
    () => 'the convert to leave',
  );
  worker.signal('SIGTERM');
  await worker.said('finishes the calls in flight');
  worker.signal('SIGTERM');
  expect((await worker.ended).code).toBe(143);
});
