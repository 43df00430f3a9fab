/** What people do in the Web UI, they can do at the command line: clear sentences, codes, and who did it. */

import { stateQuery } from '../../src/ledger/messages';
import { leadPipeline } from '../../workflows';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { detailsOf } from '../support/details';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { cliFolder } from './cli';

const cli = cliFolder();
let stage: Stage;
let env: Record<string, string>;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 60, credits: 100_000 } });
  await stage.startWorker();
  env = { ...stage.env, NO_COLOR: '1', USER: 'ada' };
});
afterAll(async () => {
  await cli.close();
  await stage.close();
});

const run = (...args: string[]) => cli.run(args, env);
const ledgerState = () => stage.temporal.client.workflow.getHandle(stage.ledgerId).query(stateQuery);

test('an account is put on hold, released and given a budget by its name, each with a reason and who did it', async () => {
  expect(await run('hold', 'default')).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') });
  expect(await run('hold', 'nobody', '--reason', 'x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no account 'nobody' has a ledger"),
  });
  expect(await run('set-budget', 'default', '--reason', 'x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--per-day'),
  });
  expect(await run('set-budget', 'default', '--per-day', 'much', '--reason', 'x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("was given 'much'"),
  });
  expect(await run('hold', 'default', '--reason', 'month end')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The account is on hold: '),
  });
  // Of two holds the later word would be lost, and one release ends both: whoever says it is told.
  const second = await run('hold', 'default', '--reason', 'new prices', '--by', 'Bob');
  expect(second.stdout).toMatch(
    /^The account was on hold already, since \S+ \S+ UTC: a person put it on hold \(month end\): .*one release ends both\.$/m,
  );
  const released = await run('release', stage.ledgerId, '--parks', '--reason', 'over', '--by', 'Bob');
  expect(released).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^The account is released\. It was on hold since .* \(month end\)\. A cause .* puts it on hold again\. If the service .* new calls no longer do\.$/m,
    ),
  });
  const again = await run('release', stage.ledgerId, '--reason', 'again', '--by', 'Bob');
  expect(again.stdout).toMatch(/^The account was not on hold\.$/m);
  const budget = await run('set-budget', 'default', '--per-day', '1000', '--balance-floor', '5', '--reason', 'less');
  expect(budget.stdout).toBe('From now on: perDay 1,000, balanceFloor 5, timeZone UTC\n');
  const { actions, set } = await ledgerState();
  expect(set).toMatchObject({ perDay: { value: 1_000, by: 'ada' }, balanceFloor: { value: 5 } });
  expect(actions?.map(({ by, what, reason }) => `${by}: ${what} (${reason})`)).toEqual([
    'ada: put on hold (month end)',
    'Bob: put on hold (new prices)',
    'Bob: released, with what a 429 has parked (over)',
    'Bob: released (again)',
    'ada: budget set: at most 1,000 a day, 5 must remain of the balance (less)',
  ]);
  expect((await run('set-budget', 'default', '--per-day', 'none', '--reason', 'all')).stdout).toContain('perDay none');
  // S8: the books outlive the history, and know the client beside what people say of themselves.
  const kept = async () => {
    const { code, stdout } = await run('books', 'acts', '--json');
    return code === 0 ? JSON.parse(stdout)[0].acts : [];
  };
  await until(async () => (await kept()).length === 6);
  const acts: { update: string; by: string; said: string; identity: string }[] = await kept();
  expect(acts.map(({ update, by, said }) => `${by}: ${update} ${said}`)).toEqual([
    'ada: setBudget {"perDay":null,"reason":"all"}',
    'ada: setBudget {"perDay":1000,"balanceFloor":5,"reason":"less"}',
    'Bob: release {"reason":"again"}',
    'Bob: release {"parks":true,"reason":"over"}',
    'Bob: hold {"reason":"new prices"}',
    'ada: hold {"reason":"month end"}',
  ]);
  for (const { identity } of acts) expect(identity).toMatch(/^\d+@/);
  await until(async () =>
    /Bob \(client: `\d+@\S+`\): released/.test(await detailsOf(stage.temporal.client, stage.ledgerId)),
  );
  expect((await run('books', 'acts')).stdout).toContain('says to be');
  expect((await run('books', 'verify')).code).toBe(0);
  await run('set-budget', 'default', '--balance-floor', '0', '--reason', 'all');
});

test('whatever a run takes from people can be said to it; what is no object is refused', async () => {
  const handle = await stage.temporal.client.workflow.start(leadPipeline, {
    ...{ workflowId: 'answered', taskQueue: 'audit-runner' },
    args: [{ approval: 'all', maxConversions: 2, scoring: { minReadiness: 0 } }],
  });
  await until(async () => (await handle.query(pipelineProgressQuery)).waiting?.includes('Approval') ?? false);
  expect(await run('answer', 'answered', 'approve', '--input', '[]')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--input is no object'),
  });
  expect(await run('answer', stage.ledgerId, 'settle', '--input', '{}')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("'settle' is what workers say"),
  });
  expect(await run('answer', 'answered', 'decide', '--input', '{}')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("does not take 'decide'"),
  });
  expect(await run('answer', 'answered', 'approve', '--reason', 'seen')).toMatchObject({ code: 0 });
  expect((await handle.result()).answers).toMatchObject([{ answer: expect.stringContaining('seen'), by: 'ada' }]);
});

test('a run is given other limits, stopped and cancelled; what it does not take is said', async () => {
  const start = (workflowId: string) =>
    stage.temporal.client.workflow.start(leadPipeline, {
      ...{ workflowId, taskQueue: 'audit-runner' },
      args: [{ maxConversions: 5, scoring: { minReadiness: 0 } }],
    });
  await run('set-budget', 'default', '--per-day', '0', '--reason', 'wait');
  const one = await start('one');
  await until(async () => (await one.query(pipelineProgressQuery)).underWay.length === 5);
  expect(await run('change-limits', 'one')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--max-credits'),
  });
  expect((await run('change-limits', 'one', '--window', '5')).stderr).toContain(
    'the fields of this input are maxConversions',
  );
  const changed = await run('change-limits', 'one', '--max-credits', '4000', '--concurrency', '3', '--json');
  expect(JSON.parse(changed.stdout).answer).toEqual({ maxConversions: 5, maxCredits: 4_000, concurrency: 3 });
  expect(await run('retry-failed', 'one')).toMatchObject({ code: 2, stderr: expect.stringContaining('retryFailed') });
  expect(await run('stop', 'one', '--now', '--reason', 'enough')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Stopped'),
  });
  expect(await one.result()).toMatchObject({ ended: 'stopped', credits: 0 });
  expect((await one.result()).answers.at(-1)).toMatchObject({ answer: 'stop now (enough)', by: 'ada' });

  const two = await start('two');
  expect(await run('cancel', 'two', '--reason', 'enough')).toMatchObject({ code: 0 });
  await two.result().catch(() => undefined);
  expect(await run('cancel', 'two')).toMatchObject({ code: 2, stderr: expect.stringContaining('no run with the ID') });
  expect(await run('cancel', stage.ledgerId)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('must not end'),
  });
  const { events } = await two.fetchHistory();
  const asked = events?.find(
    ({ workflowExecutionCancelRequestedEventAttributes: one }) => one,
  )?.workflowExecutionCancelRequestedEventAttributes;
  expect(asked).toMatchObject({ cause: 'enough', identity: 'ada' });
});
