import { ApplicationFailure } from '@temporalio/common';
import type { CaptureList } from '../../activities/capture-list';
import { CapturePoll, type CaptureSeen } from '../../activities/capture-poll';
import { requeueAfter } from '../../activities/requeue';
import { FailureType } from '../../src/runs/failure-types';

/** A list of captures in pages of two, and what was read of it. */
function listOf(captures: Record<string, string>) {
  const reads: string[] = [];
  const list = async (status: string, { offset }: { offset: number }): Promise<Pick<CaptureList, 'items' | 'next'>> => {
    reads.push(`${status} ${offset}`);
    const all = Object.entries(captures).filter(([, word]) => word === status);
    const items = all.slice(offset, offset + 2).map(([id, word]) => ({ id, status: word }));
    return { items, ...(offset + 2 < all.length && { next: { offset: offset + 2 } }) };
  };
  return { reads, list };
}

afterEach(() => jest.restoreAllMocks());

const WAIT = { maxAge: 60_000, again: 60_000 };
/** As Temporal would: who needs another read comes back. */
async function seen(poll: CapturePoll, id: string, maxAge: number): Promise<CaptureSeen | undefined> {
  for (let tries = 0; ; tries++)
    try {
      return await poll.seen(id, maxAge, WAIT.again);
    } catch (error) {
      if (tries > 50 || !(error instanceof Error && error.message.includes('page by page'))) throw error;
    }
}
const ask = (poll: CapturePoll, ids: readonly string[], maxAge = WAIT.maxAge) =>
  Promise.all(ids.map((id) => seen(poll, id, maxAge)));

test('as few as the pages of a list are not listed', async () => {
  const { reads, list } = listOf({ a: 'pending', b: 'processing' });
  expect(await ask(new CapturePoll(['pending', 'processing'], list), ['a', 'b'])).toEqual([undefined, undefined]);
  expect(reads).toEqual([]);
});

test('many share one list, read once; what is not in it is left to its own GET', async () => {
  const { reads, list } = listOf({ a: 'pending', b: 'pending', c: 'processing', d: 'processed' });
  const poll = new CapturePoll(['pending', 'processing'], list);
  const answers = await ask(poll, ['a', 'b', 'c', 'd', 'c']);
  expect(answers.map((seen) => seen?.status)).toEqual([undefined, undefined, 'processing', undefined, 'processing']);
  expect((await ask(poll, ['a', 'b'])).map((seen) => seen?.status)).toEqual(['pending', 'pending']);
  expect(reads).toEqual(['pending 0', 'processing 0']);
});

test('an answer that is too old is read again', async () => {
  const captures: Record<string, string> = { a: 'pending', b: 'pending', c: 'pending' };
  const { reads, list } = listOf(captures);
  const poll = new CapturePoll(['pending'], list);
  await ask(poll, ['a', 'b', 'c']);
  const before = reads.length;
  captures.a = 'processed';
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await ask(poll, ['a'], 1)).toEqual([undefined]);
  expect(reads.length).toBeGreaterThan(before);
});

test('where no answer is new enough nothing is listed', async () => {
  const { reads, list } = listOf({ a: 'pending', b: 'pending', c: 'pending' });
  expect(await ask(new CapturePoll(['pending'], list), ['a', 'b', 'c'], 0)).toEqual([undefined, undefined, undefined]);
  expect(reads).toEqual([]);
});

test('S5: a call reads one page at most, and one that has read leaves the GET to the next', async () => {
  const { reads, list } = listOf({ a: 'pending', b: 'pending', c: 'pending', d: 'pending' });
  const poll = new CapturePoll(['pending'], list);
  await ask(poll, ['a', 'b']);
  for (const id of ['c', 'd', 'e']) await ask(poll, [id]);
  // They are too old from here on.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const before = reads.length;
  const waits = { type: FailureType.waiting };
  await expect(poll.seen('e', 1, WAIT.again)).rejects.toMatchObject(waits);
  expect(reads.length).toBe(before + 1);
  await expect(poll.seen('e', 1, WAIT.again)).rejects.toMatchObject(waits);
  expect(reads.slice(before)).toEqual(['pending 0', 'pending 2']);
  expect(await poll.seen('e', 1, WAIT.again)).toBeUndefined();
  expect(reads.length).toBe(before + 2);
});

test('S7: who has read a page gets its answer, also where the list is old before that comes', async () => {
  const { reads, list } = listOf({ a: 'pending', b: 'pending', c: 'pending' });
  const poll = new CapturePoll(['pending'], list);
  for (const id of ['a', 'b', 'c', 'd']) await poll.seen(id, 0, WAIT.again);
  await expect(poll.seen('a', 1, WAIT.again)).rejects.toMatchObject({ type: FailureType.waiting });
  expect(await poll.seen('c', 1, WAIT.again)).toMatchObject({ status: 'pending' });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await poll.seen('a', 1, WAIT.again)).toMatchObject({ status: 'pending' });
  expect(reads).toEqual(['pending 0', 'pending 2']);
});

test('S7: a list that takes long to read is read to its end, and who has read of it gets its answer, whoever comes', async () => {
  const ids = Array.from({ length: 40 }, (_, i) => `capture-${i}`);
  const { reads, list } = listOf(Object.fromEntries(ids.map((id) => [id, 'pending'])));
  let passed = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => passed);
  const poll = new CapturePoll(['pending'], async (status, place) => {
    passed += 90_000;
    return list(status, place);
  });
  for (const id of ids) await poll.seen(id, 0, 1e9);
  const first = ids.at(-1) ?? '';
  await expect(poll.seen(first, 1_000, 1e9)).rejects.toMatchObject({ type: FailureType.waiting });
  for (const id of ids.slice(0, 19)) await poll.seen(id, 1_000, 1e9).catch(() => undefined);
  expect(reads).toHaveLength(20);
  // It is too old for one that comes now, which begins another.
  passed += 10_000;
  await expect(poll.seen('another', 1_000, 1e9)).rejects.toMatchObject({ type: FailureType.waiting });
  expect(reads.at(-1)).toBe('pending 0');
  expect(await poll.seen(first, 1_000, 1e9)).toMatchObject({ status: 'pending' });
  expect(reads).toHaveLength(21);
});

test('a list that has more pages than captures wait is read no further, and not again', async () => {
  const ids = Array.from({ length: 20 }, (_, i) => `capture-${i}`);
  const { reads, list } = listOf(Object.fromEntries(ids.map((id) => [id, 'pending'])));
  const poll = new CapturePoll(['pending'], list);
  for (let round = 0; round < 3; round++) {
    await ask(poll, ids.slice(0, 3), 1);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(reads.length).toBeLessThanOrEqual(3);
});

test('who does not wait any more does not count', async () => {
  const { reads, list } = listOf({ a: 'pending' });
  const poll = new CapturePoll(['pending'], list);
  for (const id of ['a', 'b', 'c', 'd']) {
    await ask(poll, [id]);
    poll.done(id);
  }
  expect(reads).toEqual([]);
});

test('a service without such a list is asked for each; a bounce is for all who share it', async () => {
  const refusing = new CapturePoll(['pending'], () =>
    Promise.reject(ApplicationFailure.nonRetryable('refused', FailureType.refused)),
  );
  expect(await ask(refusing, ['a', 'b', 'c'])).toEqual([undefined, undefined, undefined]);
  const parked = new CapturePoll(['pending'], () => Promise.reject(requeueAfter('429', 1_000)));
  await parked.seen('a', 0, WAIT.again);
  for (const answer of await Promise.allSettled(['b', 'c'].map((id) => parked.seen(id, WAIT.maxAge, WAIT.again))))
    expect(answer).toMatchObject({ status: 'rejected', reason: { type: FailureType.waiting } });
});
