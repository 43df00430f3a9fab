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
