/** What was spent, by the books in the storage and by the ledger, and by one of them where the other does not answer. */
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { Books } from '../../src/books/books';
import { openStorage } from '../../src/storage';
import { convertLead, leadPipeline } from '../../workflows';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { completedLeads, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { cliFolder } from './cli';

const cli = cliFolder();
let stage: Stage;
let worker: Awaited<ReturnType<Stage['startWorker']>>;
let env: Record<string, string>;
const taskQueue = 'audit-runner';
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 60, credits: 100_000 } });
  worker = await stage.startWorker();
  env = { ...stage.env, NO_COLOR: '1' };
  const { client } = stage.temporal;
  const [lead = ''] = completedLeads(stage);
  await client.workflow.execute(convertLead, { workflowId: 'one', taskQueue, args: [{ leadId: lead }] });
  const pipeline = await client.workflow.start(leadPipeline, {
    ...{ workflowId: 'asks', taskQueue },
    args: [{ approval: 'all', maxConversions: 2, scoring: { minReadiness: 0 } }],
  });
  await until(async () => (await pipeline.query(pipelineProgressQuery)).waiting?.includes('Approval') ?? false);
  const { connection, options } = client;
  const eve = new Client({ connection, namespace: options.namespace, identity: 'eve@elsewhere' });
  await eve.workflow.getHandle('asks').executeUpdate('approve', { args: [{ by: 'the CFO' }] });
  await pipeline.result();
});
afterAll(async () => {
  await cli.close();
  await stage.close();
});

const books = () => join(stage.folder, 'storage', 'books');
const user = () => stage.ledgerId.slice('account-ledger.'.length);
const today = () => new Date().toISOString().slice(0, 10);

test('spend has the sums of the books and what is live of the ledger in one', async () => {
  const { code, stdout, stderr } = await cli.run(['spend', '--json'], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [spent] = JSON.parse(stdout);
  expect(spent).toMatchObject({
    ...{ ledger: stage.ledgerId, user: user(), account: 'default', credits: 3_000, open: 0 },
    ...{ by: { [today()]: 3_000 }, days: { [today()]: 3_000 }, status: { spentToday: 3_000 } },
  });
  expect(spent.bookings).toHaveLength(3);
  const shown = await cli.run(['spend'], env);
  expect(shown.stdout).toContain('By the books: 3,000 credits booked since they began');
  expect(shown.stdout).toMatch(/^balance +\d/m);
  expect(shown.stdout).toContain('No ceiling is configured');
});

test('spend by person names who allowed it, by what Temporal has kept', async () => {
  const { code, stdout } = await cli.run(['spend', '--by', 'person', '--json'], env);
  expect(code).toBe(0);
  const [{ by }] = JSON.parse(stdout);
  const [starter = ''] = Object.keys(by).filter((who) => /^the client's identity: \d+@/.test(who));
  expect(by).toEqual({ [starter]: 1_000, "the client's identity: eve@elsewhere": 2_000 });
});

test('of a time the books alone are asked; until before the first payment nothing was spent', async () => {
  const offline = { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const { code, stdout } = await cli.run(['spend', '--since', '1d', '--by', 'run', '--json'], offline);
  expect(code).toBe(0);
  expect(Object.values(JSON.parse(stdout)[0].by)).toEqual([2_000, 1_000]);
  const before = await cli.run(['spend', '--until', '1d', '--json'], offline);
  expect(JSON.parse(before.stdout)).toMatchObject([{ credits: 0, by: {} }]);
});

test('S8: verify with the ledger finds that the last entry is gone, and knows the ID of the storage', async () => {
  const entries = join(books(), user(), 'entries');
  const verify = () => cli.run(['books', 'verify', '--with-ledger'], env);
  expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringContaining('whole') });
  const kindOf = (name: string) => JSON.parse(readFileSync(join(entries, name), 'utf8')).kind;
  // When all is quiet, the balance is noted behind the last payment.
  await until(async () => kindOf(readdirSync(entries).sort().at(-1) ?? '') === 'said');
  const all = readdirSync(entries).sort();
  const gone = all.slice(all.findLastIndex((name) => kindOf(name) === 'became'));
  for (const name of gone) renameSync(join(entries, name), join(stage.folder, name));
  expect(await cli.run(['books', 'verify'], env)).toMatchObject({
    ...{ code: 0, stderr: expect.stringContaining('Not seen: whether the last entries') },
  });
  // What people said to runs, the ledger has not heard; what was paid it has.
  const { code, stderr } = await verify();
  for (const name of gone) renameSync(join(stage.folder, name), join(entries, name));
  expect(stderr).toMatch(/by the ledger 1,000 credits were paid for lead:.*what became of it is missing/);
  expect(code).toBe(1);
  rmSync(join(books(), user(), 'storage.json'));
  const unmarked = await verify();
  expect(unmarked.stderr).toMatch(/storage\.json' is missing .*, or write \{"v":1,"id":"[0-9a-f-]{36}"\} into it/);
});

test('verify with the ledger names what stays reserved, since a worker died and nobody else knows of its call', async () => {
  const at = Date.now() - 2 * 3_600_000;
  const lost = new Books({
    ...{ storage: openStorage(stage.config.storageUrl), user: user(), worker: 'died', now: () => at },
    ...{ timeZone: () => 'UTC', begin: () => Promise.reject(new Error('there are books')), warn: () => undefined },
  });
  const send = { attempt: 'a', run: 'r', credits: 1_000 };
  const refused = await lost.beforeSend({
    request: { ...send, subject: 'lead:lost', lookedAt: at, runCap: 1_000 },
    open: { ...send, grantedAt: at, overAt: at + 1 },
    timing: stage.config.accounts.default?.timing ?? { sendWindowMs: 1, paidTimeoutMs: 1, settlingMs: 1 },
    ceilings: { perRun: null, perDay: null, perMonth: null, balanceFloor: 0 },
    withinMs: 60_000,
  });
  await lost.close();
  expect(refused).toBeUndefined();
  const { stderr } = await cli.run(['books', 'verify', '--with-ledger'], env);
  expect(stderr).toMatch(/^Account default, user .*: 1,000 credits stay reserved for lead:lost, /m);
});

test('where there are no books the ledger tells what it knows, also of a time', async () => {
  renameSync(books(), join(stage.folder, 'aside'));
  const { code, stdout } = await cli.run(['spend', '--json'], env);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([
    { entries: 0, credits: 3_000, by: { [today()]: 3_000 }, status: { spentToday: 3_000 } },
  ]);
  expect((await cli.run(['spend'], env)).stdout).toContain('there are no books yet');
  const lately = await cli.run(['spend', '--since', '2d', '--by', 'month', '--json'], env);
  expect(JSON.parse(lately.stdout)).toMatchObject([{ by: { [today().slice(0, 7)]: 3_000 } }]);
  expect(lately).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('the last forty days with payments alone; there'),
  });
  const before = await cli.run(['spend', '--until', '2d', '--json'], env);
  expect(JSON.parse(before.stdout)).toMatchObject([{ by: {}, credits: 0 }]);
  expect(await cli.run(['spend', '--by', 'run'], env)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('there are no books yet, by which alone is known') },
  });
  rmSync(books(), { recursive: true, force: true });
  renameSync(join(stage.folder, 'aside'), books());
});

test('where no worker answers the books tell what was spent, and what is missing is said', async () => {
  worker.stop();
  await worker.done;
  const { code, stdout, stderr } = await cli.run(['spend', '--json'], env);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([{ user: user(), credits: 3_000, by: { [today()]: 3_000 } }]);
  expect(JSON.parse(stdout)[0]).not.toHaveProperty('status');
  expect(stderr).toMatch(/Balance, holds and calls under way are not known: the ledger .* does not answer/);
});

test('the books of an account that has another name now, or of which the first entry is lost, are found by its ledger', async () => {
  const { default: own } = stage.config.accounts;
  const accounts = own ? { renamed: { ...own, name: 'renamed' } } : {};
  const renamed = await stage.startWorker({ ...stage.config, accounts });
  await until(async () => (await cli.run(['spend', '--account', 'renamed', '--json'], env)).code === 0);
  const isFound = async () => {
    const { code, stdout } = await cli.run(['spend', '--account', 'renamed', '--by', 'run', '--json'], env);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ user: user(), credits: 3_000, status: { account: 'renamed' } }]);
    const lately = await cli.run(['spend', '--account', 'renamed', '--since', '365d', '--json'], env);
    expect(lately).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(lately.stdout)).toMatchObject([{ user: user(), credits: 3_000, by: { [today()]: 3_000 } }]);
    expect(JSON.parse(lately.stdout)[0].entries).toBeGreaterThan(0);
  };
  await isFound();
  const entries = join(books(), user(), 'entries');
  rmSync(join(entries, readdirSync(entries).sort()[0] ?? ''));
  expect(await cli.run(['books', 'restore', '--give-up-lost'], env)).toMatchObject({ code: 0 });
  await isFound();
  // Also while no worker answers for it.
  renamed.stop();
  await renamed.done;
  const { code, stdout } = await cli.run(['spend', '--account', 'renamed', '--since', '365d', '--json'], env);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ user: user(), credits: 3_000 }]);
});
