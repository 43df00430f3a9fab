/** The command `report` against a sandbox in which much happened: its figures are those of the service's own books. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdUpdate, releaseUpdate, statusQuery } from '../../../src/ledger/messages';
import type { SpendingFacts } from '../../../src/report/spending';
import { bookedIn, sum } from '../../../src/report/spending/facts';
import { backfill, convertLead, leadPipeline } from '../../../workflows';
import { progressQuery } from '../../../workflows/shared/status';
import { type Stage, startStage, UNHURRIED } from '../../support/stage';
import { until } from '../../support/until';
import { cliFolder } from '../cli';

const cli = cliFolder();
let stage: Stage;
let facts: SpendingFacts;
let files: Record<'html' | 'json' | 'csv', string>;

beforeAll(async () => {
  stage = await startStage({
    sandbox: { leads: 40, credits: 100_000 },
    account: { timing: UNHURRIED, budget: { perDay: 50_000 } },
  });
  await stage.startWorker();
  await play();
  const { code, stdout, stderr } = await cli.run(['report', '--since', '2d', '--json'], stage.env);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { files: paths, ...rest } = JSON.parse(stdout);
  facts = rest;
  const read = (name: string) => readFileSync(paths[name], 'utf8');
  files = { html: read('html'), json: read('json'), csv: read('csv') };
});
afterAll(async () => {
  await cli.close();
  await stage.close();
});

/** A pipeline of two conversions, one that a hold keeps for a while, one that is refused, and a batch of three. */
async function play(): Promise<void> {
  const { sandbox, temporal, ledgerId, folder } = stage;
  const { workflow } = temporal.client;
  const taskQueue = 'audit-runner';
  const pipeline = { maxConversions: 2, scoring: { minReadiness: 0 } };
  await workflow.execute(leadPipeline, { workflowId: 'pipeline', taskQueue, args: [pipeline] });
  const leads = sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  const [held = '', refused = '', ...others] = leads.map(({ id }) => id);

  const ledger = workflow.getHandle(ledgerId);
  await ledger.executeUpdate(holdUpdate, { args: [{ reason: 'month end, says Ada', by: 'Ada' }] });
  const waiting = await workflow.start(convertLead, { workflowId: 'held', taskQueue, args: [{ leadId: held }] });
  await until(async () => (await waiting.query(progressQuery)).waiting?.includes('on hold') === true);
  const since = Date.now();
  await until(() => Date.now() - since > 600);
  await ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'done', by: 'Ada' }] });
  await waiting.result();

  sandbox.control.addFault({ route: 'leads.convert', fault: 'status', status: 422, times: 1 });
  await workflow.execute(convertLead, { workflowId: 'refused', taskQueue, args: [{ leadId: refused }] });
  mkdirSync(join(folder, 'storage'), { recursive: true });
  writeFileSync(join(folder, 'storage', 'leads.csv'), `leadId\n${others.slice(0, 3).join('\n')}\nnot-an-id,1\n`);
  await workflow.execute(backfill, {
    ...{ workflowId: 'batch', taskQueue },
    args: [{ operation: 'convertLead', file: { ref: 'leads.csv' }, maxCredits: 10_000 }],
  });
  // Lists of runs lag behind the runs.
  await until(
    async () => (await workflow.count("ExecutionStatus = 'Completed' AND WorkflowType = 'backfill'")).count === 1,
  );
  await until(async () => (await workflow.count("Stage = 'converted' AND ExecutionStatus = 'Completed'")).count === 6);
  // A reading from just before the last payment was booked says less, until the next.
  await until(async () => (await ledger.query(statusQuery)).balance === 94_000);
}

const account = () => {
  const [one, ...more] = facts.accounts;
  expect(more).toEqual([]);
  if (!one) throw new Error('no account');
  return one;
};

test('credits and conversions are those of the service, in sum and by what they were spent for', async () => {
  const { spent, conversions } = stage.figures();
  expect({ spent, conversions }).toEqual({ spent: 6_000, conversions: 6 });
  const one = account();
  expect(bookedIn(one)).toBe(spent);
  expect(sum(one.days.map((day) => day.conversions))).toBe(conversions);
  expect(one.days.flatMap(({ sources }) => sources)).toEqual([
    { source: 'batches', credits: 3_000 },
    { source: 'pipelines started by hand', credits: 2_000 },
  ]);
  expect(one.perDay).toBe(50_000);
  const { balance } = await stage.temporal.client.workflow.getHandle(stage.ledgerId).query(statusQuery);
  expect(one.balance).toBe(balance);
});

test('pipelines, batches, and what became of every run', () => {
  const { pipelines, batches, runs, funnel } = account();
  expect(pipelines).toEqual([{ runs: 1, underWay: 0, read: 1, converted: 2, credits: 2_000 }]);
  expect(batches).toMatchObject([
    {
      id: 'batch',
      operation: 'convertLead',
      ended: 'done',
      items: 4,
      credits: 3_000,
      counts: { done: 3, quarantined: 1 },
    },
  ]);
  const ofType = (type: string) => runs.find((one) => one.type === type);
  expect(ofType('convertLead')).toEqual({ type: 'convertLead', running: 0, ended: { converted: 6, refused: 1 } });
  expect(ofType('leadPipeline')?.ended).toEqual({ done: 1 });
  expect(funnel).toMatchObject({ chosen: 2 + 3, converted: 6, audited: 0 });
  expect(funnel.listed).toBeGreaterThan(40);
});

test('the hold is on the time line, and is what the run waited for', () => {
  const { holds, waits } = account();
  expect(holds.spans).toEqual([{ kind: 'manual', from: expect.any(Number), to: expect.any(Number) }]);
  const [span] = holds.spans;
  expect((span?.to ?? 0) - (span?.from ?? 0)).toBeGreaterThan(600);
  expect(waits).toMatchObject({ sampled: 8, of: 8 });
  expect(waits.causes.find(({ cause }) => cause === 'hold')).toMatchObject({ runs: 1 });
});

test('what did not go well is there with its reason, once', () => {
  expect(account().failures).toEqual({
    ...{ read: 2, of: 2 },
    reasons: expect.arrayContaining([
      { what: 'Conversions: refused', reason: 'http422', count: 1 },
      { what: 'Rows of batches', reason: 'quarantined', count: 1 },
    ]),
  });
});

test('S4: nobody is named in any file', () => {
  const { accounts: _, ...head } = facts;
  expect(JSON.parse(files.json)).toMatchObject(head);
  const names = stage.sandbox.control
    .leads()
    .flatMap((lead) => Object.values(lead))
    .filter((value) => typeof value === 'string' && /[@ ]|^\+\d/.test(value) && !/^\d{4}-/.test(value));
  expect(names.length).toBeGreaterThan(40);
  for (const text of Object.values(files)) {
    expect(names.filter((name) => text.includes(String(name)))).toEqual([]);
    expect(text).not.toContain('Ada');
  }
  expect(files.html).toContain('Put on hold by hand');
});

test('what is wrong is said, with its code', async () => {
  for (const since of ['soon', '2999-01-01', '900d'])
    expect(await cli.run(['report', '--since', since], stage.env)).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: expect.stringContaining('--since'),
    });
  expect(await cli.run(['report', '--account', 'nobody'], stage.env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no ledger of account 'nobody'"),
  });
  const said = await cli.run(['report', '--since', '1d', '--out', 'elsewhere/today'], stage.env);
  expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('6,000 credits since') });
  expect(said.stdout).toContain(join('elsewhere', 'today', 'spending.html'));
});
