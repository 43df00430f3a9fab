/** S6: a try that goes back before it has asked for a grant, after another one whose worker was lost in the call. */
import type { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { AccountRuntime } from '../../activities/deps';
import { sendOnce } from '../../activities/send-once';
import type { LedgerStatus, SubjectState } from '../../src/ledger/messages';
import { passageFrom } from '../../src/ledger/passage';
import { FailureType } from '../../src/runs/failure-types';
import { parkedFailure } from '../../src/temporal/parks';
import { asActivity } from './service';

const NOW = Date.now();
const FREE = { holds: [], parked: {}, budget: { balanceFloor: 0 } };
const HELD = { ...FREE, holds: [{ kind: 'killSwitch', reason: 'test', since: NOW }] };
const PARKED = { ...FREE, parked: { writes: NOW + 3_600_000 } };

const flight = (attempt: string) => ({ open: { attempt, overAt: NOW + 1_000, credits: 1_000 } });
const OURS = flight('test#some-run/1/x');
const THEIRS = flight('another#some-run/1/x');
/** As the ledger looks it up and books it. */
const BOOKED = { settled: { attempt: 'test#some-run/1/x', at: NOW - 1_000, credits: 1_000, run: 'r', byLook: true } };

const send = (
  status: object,
  subject: object,
  trouble?: string,
  run = asActivity,
  { route = 'leads.convert' as 'leads.convert' | 'projects.audit', parkedHere = '', isLate = false, ledger = {} } = {},
) => {
  const account = { timing: { sendWindowMs: 1_000 }, limits: { writes: {} }, credits: () => 1_000, undocumented: {} };
  const runtime = {
    account,
    gate: {
      acquire: async () => ({ ok: true }),
      parkedUntil: (rateClass: string) => (rateClass === parkedHere ? Date.now() + 3_600_000 : undefined),
      park: () => undefined,
      parksEnded: () => undefined,
    },
    ledger: async () => ({
      now: () => NOW,
      ...{ books: { trouble, isLate }, floor: 0 },
      status: async () => status as LedgerStatus,
      passage: async () => passageFrom(status as LedgerStatus),
      subject: async () => subject as SubjectState,
      ...ledger,
    }),
  } as unknown as AccountRuntime;
  const call = { route, input: { id: '1' }, subject: 'lead:1', run: 'r', runCap: 1_000 } as const;
  return run(() => sendOnce(runtime, { ...call, lookedAt: NOW, read: () => ({}) }));
};

test.each([
  ['on hold', HELD],
  ['parked', PARKED],
])('it says that something of its own may be under way, or was paid for, when the account is %s', async (_, status) => {
  expect(await send(status, OURS)).toEqual({ kind: 'unknown', overAt: NOW + 1_000 });
  expect(await send(status, BOOKED)).toEqual({ kind: 'paid', credits: 1_000 });
});

test('without one it says what stands in the way', async () => {
  expect(await send(HELD, {})).toEqual({ kind: 'held' });
  expect(await send(HELD, THEIRS)).toEqual({ kind: 'held' });
  expect(await send(PARKED, THEIRS)).toEqual({ kind: 'throttled', retryAt: NOW + 3_600_000 });
});

test('S7: where a part of the balance must remain, a pause of the reads is told: nobody can read it meanwhile', async () => {
  const status = { ...FREE, parked: { reads: NOW + 3_600_000 } };
  expect(await send({ ...status, budget: { balanceFloor: 1 } }, {})).toEqual({
    kind: 'throttled',
    retryAt: NOW + 3_600_000,
  });
});

test('S8: where the books cannot be written here it is left to another worker, and then held; its own is heard out first', async () => {
  const first = (work: () => Promise<unknown>) => new MockActivityEnvironment({ attempt: 1 }).run(work);
  await expect(send(FREE, {}, 'no room', first as typeof asActivity)).rejects.toMatchObject({
    type: FailureType.waiting,
    nextRetryDelay: 5_000,
  });
  expect(await send(FREE, {}, 'no room')).toEqual({ kind: 'held' });
  expect(await send(FREE, BOOKED, 'no room')).toEqual({ kind: 'paid', credits: 1_000 });
});

test('S7: where the storage is slow the run says so itself, and waits longer each time; its own is heard out first', async () => {
  const slow = { isLate: true };
  expect(await send(FREE, {}, 'slow', asActivity, slow)).toEqual({ kind: 'notSent', reason: 'lateGrant' });
  expect(await send(FREE, OURS, 'slow', asActivity, slow)).toEqual({ kind: 'unknown', overAt: NOW + 1_000 });
});

test('S6: in a pause in which nobody may ask whose the token is another worker is asked, and then nothing was sent', async () => {
  const ledger = () => Promise.reject(parkedFailure('reads', 60_000));
  const call = { route: 'leads.convert', input: { id: '1' }, subject: 'lead:1', run: 'r', runCap: 1_000 } as const;
  const sent = (attempt: number) =>
    new MockActivityEnvironment({ attempt }).run(() =>
      sendOnce({ ledger } as unknown as AccountRuntime, { ...call, lookedAt: NOW, read: () => ({}) }),
    );
  await expect(sent(1)).rejects.toMatchObject({ type: FailureType.waiting, nextRetryDelay: 5_000 });
  await expect(sent(3)).rejects.toMatchObject({ type: FailureType.upstream, nonRetryable: true });
});

test('S5: the start of an audit waits for the park of its own class, which this process may know alone', async () => {
  const how = { route: 'projects.audit', parkedHere: 'audits' } as const;
  expect(await send(FREE, {}, undefined, asActivity, how)).toMatchObject({ kind: 'throttled' });
});

/** A try that is not the first, of a run that goes on. */
const laterTry = (work: () => Promise<unknown>) => {
  const describe = async () => ({ raw: {} });
  const withAbortSignal = (_: unknown, call: () => unknown) => call();
  const client = { withAbortSignal, workflow: { getHandle: () => ({ describe }) } } as unknown as Client;
  return new MockActivityEnvironment({ attempt: 3 }, { client }).run(work);
};

test('S7: a ledger that answers too late is said, after what is its own was heard out', async () => {
  const settled: object[] = [];
  const ledger = {
    beginSend: () => Promise.reject(new Error('no answer')),
    settle: async ({ settlement }: { settlement: object }) => void settled.push(settlement),
  };
  const ask = (subject: object) => send(FREE, subject, undefined, laterTry as typeof asActivity, { ledger });
  expect(await ask({})).toEqual({ kind: 'notSent', reason: 'ledgerSilent' });
  expect(await ask(OURS)).toEqual({ kind: 'unknown', overAt: NOW + 1_000 });
  expect(settled).toEqual([{ kind: 'notPaid' }, { kind: 'notPaid' }]);
  // Whether something of its own is open is not heard either: that nothing was sent is known all the same.
  const subject = () => Promise.reject(new Error('no answer'));
  await expect(
    send(FREE, {}, undefined, laterTry as typeof asActivity, { ledger: { ...ledger, subject } }),
  ).rejects.toMatchObject({ type: FailureType.waiting });
});

test('S6: what was granted and was not in the books in time was not sent, whatever was paid for before', async () => {
  const ledger = { beginSend: async () => ({ kind: 'late' }) };
  expect(await send(FREE, BOOKED, undefined, laterTry as typeof asActivity, { ledger })).toEqual({
    ...{ kind: 'notSent', reason: 'lateGrant' },
  });
});

test('S7: where a part of the balance must remain and nobody can read it, the run says so in the end', async () => {
  const status = { ...FREE, budget: { balanceFloor: 1 } };
  const ledger = { readBalance: async () => Date.now() };
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
    now += 20_000;
    return now;
  });
  try {
    expect(await send(status, {}, undefined, laterTry as typeof asActivity, { ledger })).toEqual({
      ...{ kind: 'notSent', reason: 'balanceUnread' },
    });
  } finally {
    clock.mockRestore();
  }
});
