import type { Config } from '../../src/config';
import {
  adjustUpdate,
  clearUpdate,
  holdUpdate,
  releaseUpdate,
  setBudgetUpdate,
  stateQuery,
  statusQuery,
} from '../../src/ledger/messages';
import { LedgerClient } from '../../src/temporal/ledger-client';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { accountLedger } from '../../workflows/account-ledger';
import { ledgerOf, withAccounts } from '../support/ledgers';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
let config: Config;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 1, credits: 10_000_000 } });
  const slow = { ...QUICK.timing, ...timing, holdProbeMs: 60_000 };
  config = withAccounts(stage.config, ['crowd', 'lost', 'poisoned', 'people', 'turns', 'notes'], { timing: slow });
  // It continues as new soon.
  await stage.temporal.client.workflow.start(accountLedger, {
    ...{ workflowId: ledger('crowd').workflowId, taskQueue: WORKFLOW_QUEUE, args: [{ maxEvents: 300 }] },
  });
  await underEarlierName();
  await stage.startWorker(config);
});
afterAll(() => stage.close());

/** A worker whose configuration has another name for the account has used the ledger of the token's user. */
async function underEarlierName(): Promise<void> {
  const { default: account } = stage.config.accounts;
  if (!account) throw new Error('the stage has no account');
  const worker = await stage.startWorker({ ...stage.config, accounts: { earlier: { ...account, name: 'earlier' } } });
  const status = () => stage.temporal.client.workflow.getHandle(stage.ledgerId).query(statusQuery);
  await until(async () => (await status().catch(() => undefined))?.account === 'earlier');
  worker.stop();
  await worker.done;
}

const ledger = (name: string) => ledgerOf(stage, config, name);
const budget = { perDay: null, balanceFloor: 0, timeZone: 'UTC' };
const timing = { sendWindowMs: 60_000, paidTimeoutMs: 30_000, settlingMs: 30_000 };
const handleOf = (name: string) => stage.temporal.client.workflow.getHandle(ledger(name).workflowId);
const request = (n: number | string) => ({
  subject: `lead:${n}`,
  attempt: `attempt-${n}`,
  run: 'run',
  runCap: 10_000_000,
  credits: 1_000,
  lookedAt: Date.now(),
});

test('200 callers in ten processes at once, through two continue-as-news, all answered right', async () => {
  // As many processes: each lets only a few of its callers' messages be in flight at once.
  const clients = Array.from({ length: 10 }, () => ledger('crowd'));
  const callers = clients.flatMap((client) => Array.from({ length: 20 }, () => client));
  const wave = (name: number) =>
    Promise.all(
      callers.map(async (client, n) => {
        const asked = request(`${name}-${n}`);
        expect((await client.beginSend(asked)).kind).toBe('granted');
        expect((await client.beginSend({ ...asked, attempt: `rival-${name}-${n}` })).kind).toBe('open');
        const settlement = { kind: 'paid', credits: 1_000, ref: `project-${name}-${n}` } as const;
        expect(await client.settle({ ...asked, settlement })).toBe(1_000);
      }),
    );
  const handle = handleOf('crowd');
  const runs = async () => {
    let count = 0;
    for await (const run of stage.temporal.client.workflow.list({ query: `WorkflowId = '${handle.workflowId}'` }))
      count += run.runId ? 1 : 0;
    return count;
  };
  // While it reads the balance it does not continue as new, however many ask meanwhile.
  let waves = 0;
  while (waves === 0 || (waves < 6 && (await runs()) < 3)) await wave(++waves);
  await until(async () => (await runs()) >= 3);
  const state = await handle.query(stateQuery);
  expect(state.flights.open).toEqual({});
  expect(state.flights.settled).toHaveLength(waves * 200);
  expect((await handle.query(statusQuery)).spentToday).toBe(waves * 200_000);
});

test('S1: a ledger that was terminated goes on with its books', async () => {
  const client = ledger('lost');
  expect((await client.beginSend(request('a'))).kind).toBe('granted');
  const handle = handleOf('lost');
  await handle.terminate('test');
  expect(await client.beginSend({ ...request('a'), attempt: 'second' })).toMatchObject({
    kind: 'open',
    attempt: 'attempt-a',
  });
  expect((await client.beginSend(request('b'))).kind).toBe('granted');
  expect((await handle.query(statusQuery)).reserved).toBe(2_000);
});

test('S5: all processes get their turns from one ledger, and the one after it knows them', async () => {
  const [one, other] = [ledger('turns'), ledger('turns')];
  const turn = { limit: { max: 8, windowMs: 3_600_000 }, withinMs: 1_000 };
  const free = { ...turn, rateClass: 'writes' } as const;
  expect(await one.takeTurn(free)).toBe(0);
  expect((await other.beginSend({ ...request('turn'), turn })).kind).toBe('granted');
  expect(await one.takeTurn(free)).toBeGreaterThan(0);
  expect((await other.beginSend({ ...request('another'), turn })).kind).toBe('later');
  const handle = handleOf('turns');
  expect((await handle.query(statusQuery)).takesTurns).toBe(true);
  await handle.terminate('test');
  expect((await one.beginSend({ ...request('third'), turn })).kind).toBe('later');
  expect(await other.takeTurn(free)).toBeGreaterThan(0);
});

test('what a limit by mistake has promised ends with another one, and when a person releases what is parked', async () => {
  const client = ledger('notes');
  const mistake = { max: 1, windowMs: 3_600_000 };
  const limit = { ...mistake, max: 30 };
  let tries = 0;
  const asks = async (n: number, by = limit) => {
    const note = { ...request(++tries), subject: `note:${n}`, credits: 0, own: { rateClass: 'notes', limit: by } };
    return (await client.beginSend(note)).kind;
  };
  const promised = async () => {
    const { permits } = await handleOf('notes').query(stateQuery);
    return Object.keys(permits.notes?.promised ?? {}).length;
  };
  const release = (parks: boolean) =>
    handleOf('notes').executeUpdate(releaseUpdate, { args: [{ reason: 'test', by: 'somebody', parks }] });
  expect(await asks(1, mistake)).toBe('granted');
  for (const n of [2, 3, 4]) expect(await asks(n, mistake)).toBe('parked');
  await release(false);
  expect(await promised()).toBe(3);
  await release(true);
  expect(await promised()).toBe(0);
  for (const n of [2, 3, 4]) expect(await asks(n, mistake)).toBe('parked');
  expect(await asks(4)).toBe('granted');
});

test('S5: what knows no turns, as a ledger of an earlier version, is said to give none', async () => {
  const { client } = stage.temporal;
  const { workflowId } = await client.workflow.start('startHere', {
    ...{ workflowId: 'knows-no-turns', taskQueue: WORKFLOW_QUEUE, args: [] },
  });
  const earlier = new LedgerClient(client, workflowId, ledger('turns').config);
  const turn = { rateClass: 'writes', limit: { max: 8, windowMs: 60_000 }, withinMs: 1_000 } as const;
  expect(await earlier.takeTurn(turn)).toBeUndefined();
});

test('S3: a message that is incomplete, out of bounds or far too long is refused, and the books stay as they are', async () => {
  const client = ledger('poisoned');
  expect((await client.beginSend(request('kept'))).kind).toBe('granted');
  const handle = handleOf('poisoned');
  // It asks for the balance by itself.
  const books = async () => ({ ...(await handle.query(stateQuery)), funds: undefined });
  const before = await books();
  const settled = { subject: 'lead:x', attempt: 'a', run: 'run' };
  const paid = (credits: number) => ({ ...settled, settlement: { kind: 'paid', credits } });
  const messages: [update: string, message: unknown][] = [
    ['beginSend', { ...request('__proto__'), subject: '__proto__' }],
    ['beginSend', { ...request('long'), subject: `lead:${'x'.repeat(1_500_000)}` }],
    ['beginSend', { ...request('long'), run: 'x'.repeat(1_500_000) }],
    ['beginSend', { ...request('dear'), credits: 1e300 }],
    ['beginSend', { ...request('part'), credits: 0.5 }],
    ['beginSend', { ...request('gift'), credits: -1_000 }],
    ['beginSend', { ...request('none'), attempt: '' }],
    ['beginSend', 'lead:1'],
    ['settle', paid(-5_000_000)],
    ['settle', paid(999.5)],
    ['settle', paid(1e300)],
    ['settle', { ...paid(1_000), subject: '__proto__' }],
    ['settle', { ...settled, settlement: { kind: 'guessed' } }],
    ['settle', null],
    ['configure', { account: 'default', budget: { timeZone: 'UTC' }, timing: { settlingMs: 1 } }],
    ['configure', { account: 'default', budget, timing: { ...timing, sendWindowMs: -1 } }],
    ['configure', { account: 'default', budget: { ...budget, timeZone: 'Berlin' }, timing }],
    ...['[Sign in](https://evil.example)', 'Default', 'x'.repeat(41), "a' OR '"].map((account): [string, unknown] => [
      ...(['configure', { account, worker: 'one', budget, timing }] as const),
    ]),
    ['park', { rateClass: '__proto__', forMs: 1_000 }],
    ['park', { rateClass: 'writes', forMs: 1e300 }],
    ['reportHold', { kind: 'bored', reason: 'x' }],
    ['reportHold', { kind: 'manual', reason: 'x'.repeat(1_500_000) }],
  ];
  for (const [update, message] of messages) {
    const said = handle.executeUpdate<unknown, [unknown]>(update, { args: [message] });
    await expect(said).rejects.toThrow('Workflow Update failed');
  }
  expect(await books()).toEqual(before);
  expect((await client.beginSend(request('after'))).kind).toBe('granted');
});

test('people change the books with a reason, and are answered in words', async () => {
  const client = ledger('people');
  expect((await client.beginSend(request(1))).kind).toBe('granted');
  const handle = handleOf('people');
  const wrong = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'no error',
      (error: Error & { cause: Error }) => error.cause.message,
    );
  // The ledger asks for the balance by itself.
  const books = async () => ({ ...(await handle.query(stateQuery)), funds: undefined });
  const before = await books();
  for (const [update, said, sentence] of [
    ['hold', { reason: '' }, "hold: reason was given empty text; allowed is why, for example 'month end'"],
    ['release', {}, 'release: reason is missing; give why'],
    ['setBudget', { perDay: -5, reason: 'x' }, 'setBudget: perDay was given a negative whole number of 1 digit'],
    ['setBudget', { reason: 'x' }, 'at least one of perDay, balanceFloor and timeZone'],
    ['setBudget', { perday: 5, reason: 'x' }, "did you mean 'perDay'"],
    ['setBudget', { timeZone: 'Berlin', reason: 'x' }, 'timeZone was given text of 6 characters'],
    ['adjust', { reason: 'x' }, 'adjust: credits is missing; give a whole number'],
    ['adjust', { credits: 0.5, reason: 'x' }, 'credits was given a number that is not whole'],
    ['clear', { reason: 'x' }, 'clear: subject is missing'],
    ['clear', 'lead:1', 'not text'],
  ] as const)
    expect(await wrong(handle.executeUpdate<unknown, [unknown]>(update, { args: [said] }))).toContain(sentence);
  expect(await books()).toEqual(before);
  await handle.executeUpdate(holdUpdate, { args: [{ reason: 'month end', by: 'Ada' }] });
  expect((await client.beginSend(request(2))).kind).toBe('held');
  await client.park('writes', 3_600_000);
  await handle.executeUpdate(releaseUpdate, { args: [{ reason: 'done', by: 'Ada' }] });
  expect((await client.beginSend({ ...request(2), attempt: 'parked' })).kind).toBe('parked');
  await handle.executeUpdate(releaseUpdate, { args: [{ reason: 'a mistake of the service', by: 'Ada', parks: true }] });
  expect((await client.beginSend({ ...request(2), attempt: 'again' })).kind).toBe('granted');
  expect(
    await handle.executeUpdate(clearUpdate, { args: [{ subject: 'lead:2', reason: 'not in the web app' }] }),
  ).toContain('no longer held');
  expect(await handle.executeUpdate(adjustUpdate, { args: [{ credits: 500, reason: 'booked by hand' }] })).toBe(500);
  await handle.executeUpdate(setBudgetUpdate, { args: [{ perDay: 2_000, reason: 'careful' }] });
  expect(await client.beginSend(request(3))).toMatchObject({ kind: 'capped', cap: 'day' });
  expect((await handle.query(stateQuery)).actions?.map(({ by }) => by)).toContain('Ada');
});

test('S7: a ledger goes by the name that its account has in the configuration now', async () => {
  const handle = stage.temporal.client.workflow.getHandle(stage.ledgerId);
  await until(async () => (await handle.query(statusQuery)).account === 'default');
  expect((await handle.describe()).typedSearchAttributes.get(searchAttributeKeys.account)).toBe('default');
  const named = (account: string) =>
    new LedgerClient(stage.temporal.client, stage.ledgerId, { account, timing, budget, probeEveryMs: 100 });
  // Whoever had the name before may be gone with a question of the ledger: it is not waited for.
  await named('gone').configure();
  await named('gone').reportHold({ kind: 'killSwitch', reason: 'test' });
  const pending = async () =>
    (await handle.describe()).raw.pendingActivities?.map(({ activityType }) => activityType?.name) ?? [];
  await until(async () => (await pending()).includes('probe'));
  await named('default').configure();
  await until(async () => (await handle.query(statusQuery)).holds.length === 0);
});
