import { queueClasses } from '../../src/agent-api/rate-class';
import { LIMITS } from '../../src/agent-api/routes';
import {
  ensureQueueLimits,
  partitionsOf,
  queueRate,
  rateOf,
  readQueueLimit,
  setQueueLimit,
} from '../../src/temporal/queue-limits';
import { queueName } from '../../src/temporal/queues';
import { followTurns } from '../../src/temporal/writes-limit';
import { startTestTemporal, type TestTemporal } from '../support/temporal';
import { until } from '../support/until';

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal();
});
afterAll(() => temporal.close());

const read = (queue: string) => readQueueLimit(temporal.connection, temporal.namespace, queue);
const ensure = (account: string, limits = LIMITS) =>
  ensureQueueLimits(temporal.connection, temporal.namespace, account, limits);

/**
 * The most requests in any closed window when the server's limiter lets a second's worth go early and each request may
 * reach the wire up to `jitterMs` late: the first late, all others on time.
 */
function mostInWindow(rate: number, windowMs: number, jitterMs: number): number {
  const leaves = (n: number) => Math.max(0, (n / rate - 1) * 1_000);
  let n = 0;
  while (leaves(n) - jitterMs <= windowMs) n++;
  return n;
}

test.each(queueClasses)('S5: no window holds more than the limit at the rate of %s', (queueClass) => {
  const { max, windowMs } = LIMITS[queueClass];
  const rate = queueRate(max, windowMs);
  expect(mostInWindow(rate, windowMs, 690)).toBe(max);
  // The margin is used up by more jitter than was allowed for, and the limit itself has none.
  expect(mostInWindow(rate, windowMs, 710)).toBe(max + 1);
  expect(mostInWindow((max / windowMs) * 1_000, windowMs, 0)).toBeGreaterThan(max);
});

test('20 a minute is set as 19.45 a minute', () => {
  expect(queueRate(20, 60_000) * 60).toBeCloseTo(19.449, 3);
});

test('writes, which get their turn from the ledger, are let through faster, twice as fast where there are several partitions', () => {
  for (const queueClass of queueClasses) {
    if (queueClass === 'reads') continue;
    const { max, windowMs } = LIMITS[queueClass];
    const isFaster = queueClass === 'writes';
    for (const [partitions, times] of [
      [1, 1.5],
      [4, 2],
    ] as const) {
      const held = rateOf(queueClass, LIMITS[queueClass], partitions, false);
      expect(held).toBe(queueRate(max, windowMs));
      expect(rateOf(queueClass, LIMITS[queueClass], partitions)).toBe(isFaster ? times * held : held);
    }
  }
});

test('S5: the queue of the reads leaves a tenth to those that are no task of it, and of a low limit a few', () => {
  const at = (max: number, partitions: number) => rateOf('reads', { max, windowMs: 60_000 }, partitions);
  expect(at(100, 1)).toBe(queueRate(90, 60_000));
  expect(at(100, 4)).toBe(queueRate(88, 60_000));
  expect(at(16, 1)).toBe(queueRate(12, 60_000));
  expect(at(8, 1)).toBe(queueRate(6, 60_000));
  expect(at(1, 1)).toBe(queueRate(1, 60_000));
});

test.each([
  [10, 4, 8],
  [120, 4, 120],
  [100, 3, 99],
  // Each partition lets one through, however slow it is.
  [3, 4, 4],
])('S5: of a limit of %i, %i partitions let %i through', (max, partitions, together) => {
  const windowMs = 60_000;
  const rate = rateOf('polls', { max, windowMs }, partitions);
  expect(mostInWindow(rate / partitions, windowMs, 690) * partitions).toBe(together);
});

test('S5: while no ledger gives turns the queue alone keeps the limit of the writes; whoever starts changes neither', async () => {
  const { connection, namespace } = temporal;
  const partitioned = {
    workflowService: Object.assign(Object.create(connection.workflowService), {
      listTaskQueuePartitions: async () => ({ activityTaskQueuePartitions: [{}, {}, {}, {}] }),
    }),
  };
  const queue = queueName('held', 'writes');
  const begins = () => ensureQueueLimits(partitioned, namespace, 'held', LIMITS);
  const hears = (givesTurns: boolean) => followTurns(partitioned, namespace, 'held', LIMITS.writes, givesTurns);
  const { max, windowMs } = LIMITS.writes;
  for (const [change, times] of [
    [begins, 1],
    [() => hears(true), 2],
    [begins, 2],
    [() => hears(false), 1],
    [begins, 1],
  ] as const) {
    await change();
    await until(async () => Math.abs(((await read(queue))?.rate ?? 0) - times * queueRate(max, windowMs)) < 1e-6);
  }
  // What a person has set lasts until a worker starts.
  await setQueueLimit(connection, namespace, queue, 0.1);
  await hears(true);
  await hears(false);
  expect((await read(queue))?.rate).toBeCloseTo(0.1);
});

test('S5: a server with our settings tells that it has one partition', async () => {
  await expect(partitionsOf(temporal.connection, temporal.namespace, queueName('first', 'writes'))).resolves.toBe(1);
});

test('S5: sets the limit of each API queue, readable from the server', async () => {
  await expect(read(queueName('first', 'writes'))).resolves.toBeUndefined();
  await expect(ensure('first')).resolves.toEqual([]);
  for (const queueClass of queueClasses) {
    const limit = await read(queueName('first', queueClass));
    // No ledger gives turns yet.
    expect(limit?.rate).toBeCloseTo(rateOf(queueClass, LIMITS[queueClass], 1, false), 6);
    expect(limit).toMatchObject({ setBy: 'audit-runner', reason: "the Agent API's rate limit of this token" });
  }
});

test('does not write a limit that is right already', async () => {
  await ensure('second');
  const described = () =>
    temporal.connection.workflowService.describeTaskQueue({
      namespace: temporal.namespace,
      taskQueue: { name: queueName('second', 'reads') },
      taskQueueType: 2,
      reportConfig: true,
    });
  const writtenAt = async () => (await described()).config?.queueRateLimit?.metadata?.updateTime;
  const before = await writtenAt();
  expect(before).toBeDefined();
  await ensure('second');
  await expect(writtenAt()).resolves.toEqual(before);
});

test('puts a limit right that somebody has changed', async () => {
  await ensure('third');
  const queue = queueName('third', 'polls');
  await setQueueLimit(temporal.connection, temporal.namespace, queue, 50);
  expect((await read(queue))?.rate).toBe(50);
  await ensure('third');
  expect((await read(queue))?.rate).toBeCloseTo(queueRate(120, 60_000), 6);
});

test('a worker connection sets them as well', async () => {
  await expect(ensureQueueLimits(temporal.nativeConnection, temporal.namespace, 'fourth', LIMITS)).resolves.toEqual([]);
  await expect(read(queueName('fourth', 'reads'))).resolves.toBeDefined();
});
