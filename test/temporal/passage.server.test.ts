/** S5: what calls must know before they leave, the Temporal server tells without a worker. */
import type { Config } from '../../src/config';
import { holdUpdate, releaseUpdate, statusQuery } from '../../src/ledger/messages';
import { PASSAGE, passageFrom, passageIn } from '../../src/ledger/passage';
import { latestPassage } from '../../src/temporal/latest-ledger';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import type { RunningWorker } from '../../src/worker';
import { accountLedger } from '../../workflows/account-ledger';
import { ledgerOf, withAccounts } from '../support/ledgers';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

const NAMES = ['told', 'renewed', 'reset', 'forged'];
const TURN = { rateClass: 'writes', limit: { max: 8, windowMs: 3_600_000 }, withinMs: 1_000 } as const;
let stage: Stage;
let config: Config;
let worker: RunningWorker;
/** Of the ledger that somebody has started with a memo of their own, before any worker. */
let believed: unknown = 'nothing';
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 1 } });
  config = withAccounts(stage.config, NAMES, { timing: { ...QUICK.timing, holdProbeMs: 60_000 } });
  await begin('renewed', [{ maxEvents: 50 }]);
  const forged = { of: 'run', at: Date.now() + 86_400_000, holds: [{ kind: 'token' }], parked: {} };
  await begin('forged', [], { ...forged, balanceFloor: 0, timeZone: 'UTC' });
  if ((await memoOf('forged')) === undefined) throw new Error('it has no memo');
  believed = await ledger('forged').passage();
  worker = await stage.startWorker(config);
});
afterAll(() => stage.close());

/** By hand, before any worker does. */
const begin = (name: string, args: [] | [{ maxEvents: number }], passage?: unknown) =>
  stage.temporal.client.workflow.start(accountLedger, {
    ...{ workflowId: ledger(name).workflowId, taskQueue: WORKFLOW_QUEUE, args },
    ...(passage !== undefined && { memo: { [PASSAGE]: passage } }),
    typedSearchAttributes: [
      { key: searchAttributeKeys.account, value: name },
      { key: searchAttributeKeys.runKind, value: 'ledger' },
    ],
  });
const ledger = (name: string) => ledgerOf(stage, config, name);
const handleOf = (name: string) => stage.temporal.client.workflow.getHandle(ledger(name).workflowId);
const memoOf = async (name: string) => (await handleOf(name).describe()).memo?.[PASSAGE];
const said = { reason: 'a test', by: 'somebody' };

/** The ledger's memo says what its status says. */
async function expectTold(name: string): Promise<void> {
  const { of: _, at: __, holds, ...status } = passageFrom(await handleOf(name).query(statusQuery));
  expect(await memoOf(name)).toEqual({
    ...JSON.parse(JSON.stringify(status)),
    of: (await handleOf(name).describe()).runId,
    at: expect.any(Number),
    holds: holds.map(({ kind }) => ({ kind })),
  });
}

test('it says what the status says, without the words of people', async () => {
  const client = ledger('told');
  await client.configure();
  await expectTold('told');
  await client.takeTurn(TURN);
  await client.park('notes', 3_600_000);
  await handleOf('told').executeUpdate(holdUpdate, { args: [said] });
  await expectTold('told');
  expect(await ledger('told').passage()).toMatchObject({
    ...{ holds: [{ kind: 'manual' }], takesTurns: true, parked: { notes: expect.any(Number) } },
  });
  expect(JSON.stringify(await memoOf('told'))).not.toContain(said.reason);
  await handleOf('told').executeUpdate(releaseUpdate, { args: [{ ...said, parks: true }] });
  await expectTold('told');
  expect(await ledger('told').passage()).toMatchObject({ holds: [], parked: {}, parksEndedAt: expect.any(Number) });
});

test('what does not change is not told again', async () => {
  const client = ledger('told');
  await client.configure();
  await client.takeTurn(TURN);
  const before = await memoOf('told');
  await client.configure();
  await client.takeTurn(TURN);
  expect(await memoOf('told')).toEqual(before);
});

test('a run that continues another tells it anew', async () => {
  const client = ledger('renewed');
  await client.park('notes', 3_600_000);
  const { runId } = await handleOf('renewed').describe();
  await until(async () => {
    await client.configure();
    return (await handleOf('renewed').describe()).runId !== runId;
  });
  await client.configure();
  expect(passageIn(await handleOf('renewed').describe())).toMatchObject({ parked: { notes: expect.any(Number) } });
  await expectTold('renewed');
});

test('a ledger that was reset tells what holds now, and not what held then', async () => {
  const client = ledger('reset');
  await client.configure();
  const { runId } = await handleOf('reset').describe();
  const { events } = await handleOf('reset').fetchHistory();
  const first = events?.find(({ workflowTaskCompletedEventAttributes: done }) => done)?.eventId;
  await client.park('notes', 3_600_000);
  await handleOf('reset').executeUpdate(holdUpdate, { args: [said] });
  await stage.temporal.client.workflowService.resetWorkflowExecution({
    ...{ namespace: stage.temporal.namespace, reason: 'test', requestId: runId },
    ...{ workflowExecution: { workflowId: client.workflowId, runId }, workflowTaskFinishEventId: first ?? null },
  });
  await until(async () => (await handleOf('reset').describe()).runId !== runId);
  await client.configure();
  await until(async () => (await ledger('reset').passage())?.holds.length === 1);
  await expectTold('reset');
});

test('what somebody has written into the memo of a ledger counts for nothing', async () => {
  expect(believed).toBeUndefined();
  await ledger('forged').configure();
  expect(await ledger('forged').passage()).toMatchObject({ holds: [], balanceFloor: 0 });
});

test('it is heard without a worker, also by a process that does not know its ledger', async () => {
  await handleOf('told').executeUpdate(holdUpdate, { args: [said] });
  worker.stop();
  await worker.done;
  const deaf = ledger('told');
  expect(await deaf.passage()).toMatchObject({ holds: [{ kind: 'manual' }], takesTurns: true });
  expect(await latestPassage(stage.temporal.client, 'told')).toMatchObject({ holds: [{ kind: 'manual' }] });
  expect(await deaf.status()).toBeUndefined();
});
