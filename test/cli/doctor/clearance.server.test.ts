import { checkAccount } from '../../../src/cli/doctor/check-account';
import { ledgersOf } from '../../../src/cli/doctor/clearance';
import { sandboxAccount } from '../../../src/cli/local';
import { holdUpdate, parkUpdate, releaseUpdate, stateQuery } from '../../../src/ledger/messages';
import { ledgerId } from '../../../src/temporal/ledger-id';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import { closeAll, json, serve } from '../../agent-api/server';
import { QUICK, type Stage, startStage } from '../../support/stage';
import { until } from '../../support/until';

let stage: Stage;

beforeAll(async () => {
  stage = await startStage({
    // Two writes leave; what comes after them waits in the queue.
    account: { limits: { ...QUICK.limits, writes: { max: 2, windowMs: 3_600_000 } } },
    sandbox: { leads: 0, projects: 0, captures: 0 },
  });
  await stage.startWorker();
  await until(() =>
    stage.spentByLedger().then(
      () => true,
      () => false,
    ),
  );
});

afterEach(closeAll);
afterAll(() => stage.close());

/** Whoever asks with this limit gets its turn within a second. */
const MANY = QUICK.limits.writes;

const ledger = () => stage.temporal.client.workflow.getHandle(stage.ledgerId);

async function doctor(account = stage.config.accounts.default) {
  if (!account) throw new Error('no account');
  const checks = await checkAccount(account, {
    ...{ owners: new Map(), planned: [], limit: new AbortController().signal },
    ...ledgersOf(stage.temporal, account.name, MANY),
  });
  return (name: string) => checks.find((check) => check.name === name);
}

test("doctor tells another user's token in the file before a worker restarts with it", async () => {
  expect((await doctor())('token belongs to')).toMatchObject({ state: 'ok' });
  const { baseUrl, otherToken, otherUserId } = stage.sandbox;
  const find = await doctor(sandboxAccount({ baseUrl, token: otherToken }, 1));
  const found = expect.stringMatching(`${ledgerId(otherUserId)}, another user .*${stage.ledgerId}`);
  const mend = expect.stringContaining('cancel its runs first, with a token of the user before in place');
  expect(find('token belongs to')).toMatchObject({ state: 'wrong', found, mend });
});

test('S5: doctor sends nothing of a class that a 429 has parked for all', async () => {
  await ledger().executeUpdate(parkUpdate, { args: [{ rateClass: 'writes', forMs: 3_600_000 }] });
  const { writes } = stage.sandbox.control.stats().requests.byClass;
  const find = await doctor();
  expect(find('scopes')).toMatchObject({ state: 'unknown', found: expect.stringContaining('asked to wait (429)') });
  expect(find('tier')).toMatchObject({ state: 'ok' });
  expect(stage.sandbox.control.stats().requests.byClass.writes).toBe(writes);
});

test('S5: doctor sends nothing for an account on hold, and says why', async () => {
  // The ledger asks the service as well, so requests to the sandbox may be its own.
  const { baseUrl, seen } = await serve((response) => json(response, 500, {}));
  const account = sandboxAccount({ baseUrl, token: stage.sandbox.token }, 1);
  await doctor(account);
  expect(seen.length).toBeGreaterThan(0);
  seen.length = 0;
  await ledger().executeUpdate(holdUpdate, { args: [{ by: 'Ada', reason: 'an audit of our own' }] });
  const find = await doctor(account);
  const found = expect.stringMatching(/^not asked: on hold since .*an audit of our own/);
  for (const name of ['token belongs to', 'tier', 'leads', 'scopes'])
    expect(find(name)).toMatchObject({ state: 'unknown', found });
  expect(find('hold')).toMatchObject({ state: 'wrong', found: expect.stringContaining('an audit of our own') });
  expect(find('kill switch')).toBeUndefined();
  expect(seen).toEqual([]);
  await ledger().executeUpdate(releaseUpdate, { args: [{ by: 'Ada', reason: 'done', parks: true }] });
});

test('S5: a write of doctor takes its turn among those of the workers', async () => {
  const few = { max: 2, windowMs: 3_600_000 };
  const { clearance } = ledgersOf(stage.temporal, 'default', few);
  const taken = async () => {
    const state = await ledger().query(stateQuery);
    return state.turns?.writes?.log.length ?? 0;
  };
  const before = await taken();
  await ledgersOf(stage.temporal, 'default', MANY).clearance('writes');
  await ledgersOf(stage.temporal, 'default', MANY).clearance('writes');
  expect(await taken()).toBe(before + 2);
  expect(await clearance('writes')).toContain('no turn');
  expect(await clearance('reads')).toBeUndefined();
  expect(await taken()).toBe(before + 2);
});

test('S5: doctor leaves the limit to the calls that wait for it', async () => {
  const { clearance } = ledgersOf(stage.temporal, 'default', MANY);
  expect(await clearance('writes')).toBeUndefined();
  for (const name of ['One', 'Two', 'Three'])
    await stage.temporal.client.workflow.start('callApi', {
      taskQueue: WORKFLOW_QUEUE,
      workflowId: `call.${name}`,
      args: [{ route: 'contacts.create', body: { name } }],
    });
  await until(async () => (await clearance('writes')) !== undefined);
  expect(await clearance('writes')).toContain('the workers use the whole limit');
  expect(await clearance('reads')).toBeUndefined();
});
