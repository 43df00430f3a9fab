import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { detailsOf } from '../support/details';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { cliFolder } from './cli';

const cli = cliFolder();
let stage: Stage;
let env: Record<string, string>;

beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 30, credits: 100_000 } });
  await stage.startWorker();
  env = stage.env;
});
afterAll(async () => {
  await cli.close();
  await stage.close();
});

function file(name: string, from: number, to: number): string {
  const leads = stage.sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  mkdirSync(join(stage.folder, 'storage'), { recursive: true });
  writeFileSync(
    join(stage.folder, 'storage', name),
    `leadId\n${leads
      .slice(from, to)
      .map(({ id }) => id)
      .join('\n')}\n`,
  );
  return name;
}
const input = (ref: string, rest = {}) =>
  JSON.stringify({ operation: 'convertLead', file: { ref }, maxCredits: 50_000, ...rest });

test('start, status and redrive: a table or JSON, and code 3 when not all is done', async () => {
  stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'status', status: 422, times: 1 });
  const started = await cli.run(['backfill', 'start', '--id', 'one', '--input', input(file('one.csv', 0, 3))], env);
  expect(started).toMatchObject({ code: 3 });
  expect(started.stdout).toContain('2 done, 1 failed; 2,000 credits spent');
  expect(started.stdout).toContain('1 failed: the service cannot use what was sent (http422)');
  expect(started.stderr).toContain('Run one');

  const status = await cli.run(['backfill', 'status', 'one', '--json'], env);
  expect(status.code).toBe(3);
  expect(JSON.parse(status.stdout)).toMatchObject({ status: 'COMPLETED', result: { counts: { done: 2, failed: 1 } } });

  const redriven = await cli.run(['backfill', 'redrive', 'one', '--json', '--input', '{"maxCredits": 5000}'], env);
  expect(redriven.code).toBe(0);
  expect(JSON.parse(redriven.stdout).result).toMatchObject({ items: 1, counts: { done: 1, failed: 0 } });
});

test('pause and resume say what they did, and in words why not', async () => {
  const slow = input(file('two.csv', 3, 6), { itemsPerMinute: 6 });
  expect(await cli.run(['backfill', 'start', '--id', 'two', '--detach', '--input', slow], env)).toMatchObject({
    code: 0,
  });
  const paused = await cli.run(['pause', 'two', '--by', 'Ada', '--reason', 'month end'], env);
  expect(paused).toMatchObject({ code: 0, stdout: expect.stringContaining('Paused') });
  expect((await cli.run(['pause', 'two'], env)).stderr).toContain('paused already');

  expect((await cli.run(['backfill', 'status', 'two'], env)).stdout).toContain('Paused by Ada (month end)');
  const all = await cli.run(['backfill', 'status'], env);
  expect(all.stdout).toMatch(/^two .* resume$/m);

  expect(await cli.run(['resume', 'two', '--json'], env)).toMatchObject({ code: 0 });
  const { answers, counts } = await stage.temporal.client.workflow.getHandle('two').result();
  expect(counts.done).toBe(3);
  expect(answers.map(({ answer }: { answer: string }) => answer)).toEqual(['pause (month end)', 'resume']);
});

test('an estimate that is made during a hold, or shown during one, says that it counts from the end of it', async () => {
  const args = ['--id', 'held', '--detach', '--input', input(file('held.csv', 6, 12), { itemsPerMinute: 3 })];
  expect(await cli.run(['backfill', 'start', ...args], env)).toMatchObject({ code: 0 });
  const shown = async () => (await cli.run(['backfill', 'status', 'held'], env)).stdout;
  await until(async () => / a minute, about .* left at this rate$/m.test(await shown()));
  expect(await cli.run(['hold', 'default', '--reason', '[click](http://evil.example)'], env)).toMatchObject({
    code: 0,
  });
  await until(async () => / a minute, about .* left at this rate, once it goes on$/m.test(await shown()));
  expect((await cli.run(['backfill', 'status'], env)).stdout).toMatch(/^held .* once it goes on /m);
  expect(await detailsOf(stage.temporal.client, 'held')).toMatch(/left at this rate, from when it goes on\./);

  const plans = [
    await cli.run(['backfill', 'start', '--input', input(file('plan.csv', 0, 3), { dryRun: true })], env),
    await cli.run(['run', 'leadPipeline', '--input', '{"dryRun": true}'], env),
  ];
  for (const { stdout } of plans) {
    expect(stdout).toMatch(/It cannot begin now, .*: on hold since .* it ends with the update `release`\./);
    // Plans stand on pages, as they are.
    expect(stdout).not.toContain('evil');
  }
  await cli.run(['release', 'default', '--reason', 'over'], env);
  await cli.run(['change-limits', 'held', '--items-per-minute', 'none'], env);
  expect((await stage.temporal.client.workflow.getHandle('held').result()).counts).toMatchObject({ done: 6 });
  const after = await cli.run(['run', 'leadPipeline', '--input', '{"dryRun": true}'], env);
  expect(after.stdout).not.toContain('as this is planned');
});

test('what is wrong is said, with its code', async () => {
  const wrong = await cli.run(['backfill', 'start', '--input', '{"operation": "convertLeads", "leads": {}}'], env);
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('operation was given') });
  expect(await cli.run(['pause', 'nobody'], env)).toMatchObject({ code: 2 });
  expect(await cli.run(['backfill', 'status', stage.ledgerId], env)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is no backfill'),
  });
});
