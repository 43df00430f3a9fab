import { MockActivityEnvironment } from '@temporalio/testing';
import { createAccountActivities } from '../../activities/account';
import type { Deps } from '../../activities/deps';
import { FailureType } from '../../src/runs/failure-types';
import { StorageError } from '../../src/storage';
import { ledgerAway } from '../../src/temporal/ledger-client';

const depsWith = (ledger: () => Promise<unknown>) =>
  ({ accounts: new Map([['default', { account: { timing: { holdProbeMs: 1_000 } }, ledger }]]) }) as unknown as Deps;

/** As where the service does not say who the token belongs to. */
const deps = depsWith(() => Promise.reject(new Error('it is not known who the token belongs to')));

test('S7: what needs a ledger that cannot be had is told to the run, which says so; Temporal alone would repeat it in silence', async () => {
  const { claimedRefs } = createAccountActivities(deps);
  const asked = new MockActivityEnvironment().run(claimedRefs, { account: 'default', but: 'lead:1' });
  await expect(asked).rejects.toMatchObject({
    type: FailureType.ledger,
    nonRetryable: true,
    message: expect.stringContaining('who the token belongs to'),
  });
});

test.each([
  [1, 'a fault that passes is not worth saying', { message: 'for a moment' }],
  [4, 'one that stays is', { type: FailureType.ledger, nonRetryable: true }],
])('S7: of a ledger that fails, try %d: %s', async (attempt, _, expected) => {
  const away = depsWith(async () => ({ everything: () => Promise.reject(new Error('for a moment')) }));
  const { subjectState } = createAccountActivities(away);
  const asked = new MockActivityEnvironment({ attempt }).run(subjectState, { account: 'default', subject: 'lead:1' });
  await expect(asked).rejects.toMatchObject(expected);
});

test.each([
  ['the books cannot be read', new StorageError('unusable', 'an entry was changed'), 'books'],
  ['the ledger cannot answer', ledgerAway('its code fails'), 'ledger'],
])('S7: who waits for a hold hears that by now %s', async (_, error, what) => {
  const status = { holds: [], parked: {} };
  const deps = depsWith(async () => ({
    ...{ status: async () => status, now: () => 0, obstacle: async () => ({ kind: 'none' }) },
    overCeiling: () => Promise.reject(error),
  }));
  const { awaitClearance } = createAccountActivities(deps);
  const asked = (kept: string) =>
    new MockActivityEnvironment().run(awaitClearance, { account: 'default', credits: 1_000, what: kept });
  expect(await asked('token')).toMatchObject({ clear: false, what, why: expect.stringContaining(error.message) });
  // It waits for that, then.
  await expect(asked(what)).rejects.toThrow(error.message);
});

test('S7: who waits for credits hears when the call is tried again, of another moment, and that there is none any more', async () => {
  const hold = { kind: 'noCredits', since: 0, reason: '402' };
  const status: { holds: object[]; parked: object } = { holds: [], parked: {} };
  const { awaitClearance, clearance } = createAccountActivities({
    ...depsWith(async () => ({ status: async () => status, now: () => 0 })),
    client: {} as Deps['client'],
  });
  const call = { account: 'default', credits: 1_000 };
  const asked = (until?: number) =>
    new MockActivityEnvironment().run(awaitClearance, {
      ...call,
      what: hold.kind,
      ...(until !== undefined && { until }),
    });
  const isTriedAt = (at?: number) => {
    status.holds = [{ ...hold, ...(at && { retry: { at, why: 'unreadable' } }) }];
  };
  const ask = () => new MockActivityEnvironment().run(clearance, call);
  isTriedAt();
  expect(await ask()).toMatchObject({ what: 'noCredits', until: 0 });
  await expect(asked(0)).rejects.toThrow('too few credits');
  isTriedAt(60_000);
  expect(await asked(0)).toMatchObject({ until: 60_000, why: expect.stringContaining('00:01:00') });
  expect(await ask()).toMatchObject({ what: 'noCredits', until: 60_000 });
  await expect(asked(60_000)).rejects.toThrow('00:01:00');
  isTriedAt(120_000);
  expect(await asked(60_000)).toMatchObject({ until: 120_000, why: expect.stringContaining('00:02:00') });
  expect(await asked(180_000)).toMatchObject({ until: 120_000 });
  isTriedAt();
  expect(await asked(60_000)).toEqual({
    clear: false,
    what: 'noCredits',
    why: expect.not.stringContaining('tried again'),
    until: 0,
  });
  // Who asks by an earlier version says none, and is not told again and again.
  await expect(asked()).rejects.toThrow('too few credits');
});

test.each([
  ['lead:1', 1_200],
  ['call:projects.update/k', 7],
])('S7: what is waited for, %s, is asked at the price of now, and another price is said', async (subject, credits) => {
  const prices: Record<string, number> = { 'leads.convert': 1_200, 'projects.update': 7 };
  let price = 5_000;
  const capped = jest.fn(async () => ({ kind: 'capped', cap: 'day', credits: price }));
  const status = { holds: [], parked: {}, budget: { from: {} } };
  const ledger = { status: async () => status, now: () => 0, obstacle: capped };
  const account = { timing: { holdProbeMs: 1_000 }, credits: (route: string) => prices[route] };
  const deps = { accounts: new Map([['default', { account, ledger: async () => ledger }]]) } as unknown as Deps;
  const { awaitClearance } = createAccountActivities(deps);
  const asked = { account: 'default', credits: 1_000_000, subject, what: 'day-1000000' };
  const found = await new MockActivityEnvironment().run(awaitClearance, asked);
  expect(found).toMatchObject({ clear: false, what: 'day-5000' });
  // That of the configuration may be another one at another worker.
  price = credits;
  expect(await new MockActivityEnvironment().run(awaitClearance, asked)).toMatchObject({ clear: false, what: 'day' });
  expect(capped).toHaveBeenCalledWith({ credits: 1_000_000, call: { subject, credits } });
});

test('S7: who waits for the next day hears at midnight that it is used up as well, and till when', async () => {
  const [day, next] = [1_000_000, 2_000_000];
  const status = { holds: [], parked: {}, budget: { perDay: 1_000, from: {} } };
  const capped = { kind: 'capped', cap: 'day', credits: 1_000, until: next };
  const deps = depsWith(async () => ({ status: async () => status, now: () => 0, obstacle: async () => capped }));
  const { awaitClearance } = createAccountActivities(deps);
  const asked = (until: number) =>
    new MockActivityEnvironment().run(awaitClearance, { account: 'default', credits: 1_000, what: 'day', until });
  expect(await asked(day)).toMatchObject({ clear: false, what: 'day', until: next });
  await expect(asked(next)).rejects.toThrow('the credits of the day are used up');
});

test('S7: who waits for tomorrow hears that waiting ends nothing any more', async () => {
  const status = { holds: [], parked: {}, spentToday: 0, reserved: 0, budget: { perDay: 500, from: {} } };
  const capped = { kind: 'capped', cap: 'day', credits: 1_000 };
  const deps = depsWith(async () => ({ status: async () => status, now: () => 0, obstacle: async () => capped }));
  const { awaitClearance } = createAccountActivities(deps);
  const asked = { account: 'default', credits: 1_000, what: 'day' };
  const found = await new MockActivityEnvironment().run(awaitClearance, { ...asked, until: 1_000_000 });
  expect(found).toMatchObject({ clear: false, what: 'day', why: expect.stringContaining('more than the whole of it') });
  // Once it has heard that.
  await expect(new MockActivityEnvironment().run(awaitClearance, asked)).rejects.toThrow('more than the whole of it');
});

test('S7: what costs more than the whole cap is not said to go on tomorrow', async () => {
  const status = { holds: [], parked: {}, spentToday: 0, reserved: 0, budget: { perDay: 500, from: {} } };
  const capped = { kind: 'capped', cap: 'day', credits: 1_000 };
  const deps = depsWith(async () => ({ status: async () => status, now: () => 0, obstacle: async () => capped }));
  const { clearance } = createAccountActivities(deps);
  const found = await new MockActivityEnvironment().run(clearance, { account: 'default', credits: 1_000 });
  expect(found).toMatchObject({
    why: expect.stringMatching(
      / spent, of 500 a day; one call costs 1,000, more than the whole of it\. It goes on when the configuration/,
    ),
  });
});
