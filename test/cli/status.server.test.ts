import { join } from 'node:path';
import { configureUpdate, holdUpdate, releaseUpdate } from '../../src/ledger/messages';
import { leadPipeline } from '../../workflows';
import { ledgerOf, withAccounts } from '../support/ledgers';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { cliFolder } from './cli';

const cli = cliFolder();
let stage: Stage;
let env: Record<string, string>;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 10 } });
  await stage.startWorker();
  env = { ...stage.env, AUDIT_RUNNER_CONFIG: join(stage.folder, 'audit-runner.yaml'), NO_COLOR: '1', USER: 'ada' };
});
afterAll(async () => {
  await cli.close();
  await stage.close();
});

test('status shows who is waited for; approve lets the run go on and keeps who did it', async () => {
  const run = await stage.temporal.client.workflow.start(leadPipeline, {
    workflowId: 'waits',
    taskQueue: 'audit-runner',
    args: [{ scoring: { minReadiness: 0 } }],
  });
  const status = async () => JSON.parse((await cli.run(['status', '--json'], env)).stdout);
  await until(async () => (await status()).needsPerson.length === 1);
  const rows = [/agent-api\.default\.writes +0 +1/, /audit-runner\.default +0 +1/];
  let shown = await cli.run(['status'], env);
  // The ledger puts something into the queues by itself now and then.
  while (!rows.every((row) => row.test(shown.stdout))) shown = await cli.run(['status'], env);
  expect(shown.code).toBe(3);
  expect(shown.stdout).toContain('waits (leadPipeline, at approval, begun ');
  expect(shown.stdout).toMatch(/default +[\d,]+ +0 +0 +open/);
  for (const row of rows) expect(shown.stdout).toMatch(row);
  const limits = 'Most credits a day: no limit; Most credits a month: no limit; Most credits of one run: no limit';
  expect(shown.stdout).toMatch(new RegExp(`^default: No ceiling is configured: .*${limits}; Must remain`, 'm'));
  expect(await status()).toMatchObject({ runs: { leadPipeline: 1 } });

  const early = await cli.run(['pause', 'nothing-here'], env);
  expect(early).toMatchObject({ code: 2, stdout: '' });
  expect(early.stderr).toContain('no run with the ID nothing-here');
  expect(await cli.run(['approve', 'waits'], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Approved'),
  });
  expect(await run.result()).toMatchObject({ ended: 'done', answers: [{ answer: 'approve', by: 'ada' }] });
  const again = await cli.run(['approve', 'waits'], env);
  expect(again.code).toBe(2);
});

test('an account that nobody works for is refused before a run waits for it, with the name that was meant', async () => {
  const wrong = await cli.run(['run', 'leadPipeline', '--account', 'defualt', '--detach'], env);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("No worker works for an account 'defualt'");
  expect(wrong.stderr).toContain("Did you mean 'default'?");
  const call = await cli.run(['api', 'projects.list', '--account', 'defualt'], env);
  expect(call).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("Did you mean 'default'?") });
  const started = await stage.temporal.client.workflow.count(`Account = 'defualt'`);
  expect(started.count).toBe(0);
});

test('status --watch looks again until Ctrl-C, and ends well', async () => {
  const watching = cli.start(['status', '--watch'], env);
  await watching.said('agent-api.default.writes');
  watching.signal('SIGINT');
  expect((await watching.ended).code).toBe(0);
});

test('a hold is seen, and its end', async () => {
  const ledger = stage.temporal.client.workflow.getHandle(stage.ledgerId);
  await ledger.executeUpdate(holdUpdate, { args: [{ reason: 'month end' }] });
  const { stdout, code } = await cli.run(['status'], env);
  expect(stdout).toContain('on hold since');
  expect(code).toBe(3);
  await ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'over' }] });
  expect((await cli.run(['status'], env)).code).toBe(0);
});

test('of the ledgers of an earlier and the present user each is named, and the earlier one is marked', async () => {
  // The account went by its name before, and by the user that the service names since.
  const own = withAccounts(stage.config, ['default']);
  const before = await stage.startWorker(own);
  const earlier = ledgerOf(stage, own, 'default');
  await until(async () => (await earlier.status()) !== undefined);
  before.stop();
  await before.done;
  await earlier.reportHold({ kind: 'token', reason: '401' });
  const present = stage.temporal.client.workflow.getHandle(stage.ledgerId);
  const patterns = [
    /default .* an earlier user +account-ledger\.by-name-default/,
    new RegExp(`default .* open +${stage.ledgerId}`),
  ];
  // Who asks for the earlier one has it opened again, which counts as its worker's word: the present one's comes later.
  await until(async () => {
    await present.executeUpdate(configureUpdate, { args: [earlier.configured] });
    const { stdout, code } = await cli.run(['status'], env);
    return code === 0 && patterns.every((pattern) => pattern.test(stdout));
  });
  await stage.temporal.client.workflow.getHandle('account-ledger.by-name-default').terminate('test');
});

test('queues without a worker are named, with what waits in them', async () => {
  const idle = await startStage({ sandbox: { leads: 10 } });
  try {
    const quiet = await cli.run(['status'], { ...idle.env, NO_COLOR: '1' });
    expect(quiet.stdout).toContain('No worker takes from audit-runner, audit-runner.default, agent-api.default.');
    expect(quiet.code).toBe(3);
    const args: Parameters<typeof leadPipeline> = [{ dryRun: true }];
    await idle.temporal.client.workflow.start(leadPipeline, { workflowId: 'x', taskQueue: 'audit-runner', args });
    await until(async () =>
      (await cli.run(['status'], { ...idle.env, NO_COLOR: '1' })).stdout.includes('tasks that wait: 1'),
    );
  } finally {
    await idle.close();
  }
});
