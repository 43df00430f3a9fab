/** S6, S8: of a payment that is found the ledger hears from the books whose it is: its server may have gone back to a backup. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LedgerStart, type LedgerState, type Settle, settle } from '../../src/ledger';
import { openLedger } from '../../src/ledger/opening-state';
import { type OpenSend, take } from '../../src/paying/open-sends';
import { leadSubject } from '../../src/paying/subject';
import { openStorage } from '../../src/storage';
import { BookedLedger } from '../../src/temporal/booked-ledger';
import { LedgerClient } from '../../src/temporal/ledger-client';
import { dayOf } from '../../src/time/day';
import { until } from '../support/until';

const NOW = Date.now();
const subject = leadSubject('l1');
const sent = { subject, attempt: 'a#1', run: 'run-a', credits: 1_000 };
const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const budget = { perRun: null, perDay: null, perMonth: null, balanceFloor: 0, timeZone: 'UTC' };
const config = { account: 'default', timing, budget, probeEveryMs: 1_000 };
const open: OpenSend = { ...sent, grantedAt: NOW, overAt: NOW + 515_000 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-runner-ledger-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** A ledger's own decisions, without a server; it knows nothing of what the books have. */
function ledger() {
  let state: LedgerState = openLedger(config, NOW, false);
  const handle = {
    query: async () => {
      const settled = state.flights.settled.find((one) => one.subject === subject);
      return {
        open: state.flights.open[subject],
        ...(settled && { settled }),
        forgottenBefore: state.flights.forgottenBefore,
        days: {},
        runs: {},
        flights: state.flights,
      };
    },
    startUpdate: async (_: unknown, { args: [said] }: { args: [Settle] }) => {
      const done = settle(state, said, NOW);
      state = done.state;
      return { result: async () => done.booked };
    },
  };
  const client = { workflow: { getHandle: () => handle }, withDeadline: (_: number, work: () => unknown) => work() };
  const booked = new BookedLedger(client as never, 'account-ledger.u1', config, {
    storage: openStorage(folder),
    ceilings: () => budget,
    creditsOf: () => 1_000,
    warn: () => undefined,
  });
  return {
    booked,
    grant: (send: OpenSend) => {
      state = { ...state, flights: take(state.flights, subject, send) };
    },
    forget: () => {
      state = { ...state, flights: { ...state.flights, forgottenBefore: Date.now() } };
    },
    spent: () => Object.values(state.days).reduce((sum, credits) => sum + credits, 0),
    settled: () => state.flights.settled,
    open: () => state.flights.open,
  };
}

/** What a process has written down before it paid. */
async function begun(): Promise<void> {
  const { booked } = ledger();
  await booked.books.beforeSend({
    ...{ request: { ...sent, lookedAt: NOW, runCap: 9_000 }, open, timing, ceilings: budget, withinMs: 5_000 },
  });
  await booked.books.close();
}

/** What a process has paid and written down. */
async function paid(): Promise<void> {
  await begun();
  const { booked } = ledger();
  await booked.books.became(subject, sent.attempt, sent.run, { kind: 'paid', credits: 1_000, ref: 'p1' });
  await booked.books.close();
}

/** When ledger and books have forgotten what they keep at hand for an hour. */
const inTwoHours = (work: () => Promise<void>) => after(2 * 3_600_000, work);
/** When nothing can leave any more of what is granted now. */
const inTwoMinutes = (work: () => Promise<void>) => after(120_000, work);

async function after(ms: number, work: () => Promise<void>): Promise<void> {
  const later = jest.spyOn(Date, 'now').mockReturnValue(NOW + ms);
  try {
    await work();
  } finally {
    later.mockRestore();
  }
}

const found = { subject, attempt: '', run: 'run-b', settlement: { kind: 'foundPaid', credits: 1_000 } } as const;

test("what a look finds that another has paid is booked once, and is that one's", async () => {
  await paid();
  const { booked, spent, settled } = ledger();
  expect(await booked.settle(found)).toBe(0);
  expect(spent()).toBe(1_000);
  expect(settled()).toMatchObject([{ attempt: 'a#1', run: 'run-a', credits: 1_000, ref: 'p1' }]);
});

test('also where the ledger has granted it once more, and the books say that this was not sent', async () => {
  await paid();
  const { booked, grant, spent, settled, open: left } = ledger();
  grant({ ...open, attempt: 'b#1', run: 'run-b' });
  await booked.books.became(subject, 'b#1', 'run-b', { kind: 'notPaid' });
  expect(await booked.settle(found)).toBe(0);
  expect([spent(), settled()[0]?.run, left()]).toEqual([1_000, 'run-a', {}]);
});

test('S3: also where a process died before it sent what it was granted once more, and the ledger has the payment again', async () => {
  await paid();
  const { booked, grant, spent, settled, open: left } = ledger();
  await booked.settle(found);
  grant({ ...open, attempt: 'b#1', run: 'run-b', grantedAt: NOW + 1_000 });
  await inTwoMinutes(async () => {
    expect(await booked.settle(found)).toBe(0);
  });
  expect([spent(), settled()[0]?.run, left()]).toEqual([1_000, 'run-a', {}]);
});

test('S6: also where the ledger has open what was over before this one was granted', async () => {
  await paid();
  const { booked, grant, spent, settled } = ledger();
  grant({ ...open, attempt: 'b#1', run: 'run-b', grantedAt: NOW - 600_000, overAt: NOW - 85_000 });
  expect(await booked.settle(found)).toBe(0);
  expect([spent(), settled()[0]?.run]).toEqual([1_000, 'run-a']);
});

test('S8: what the ledger has paid, and the storage was away for it, is written down by a process that starts hours later', async () => {
  await begun();
  const { booked, grant } = ledger();
  grant(open);
  jest.spyOn(booked.books, 'became').mockResolvedValueOnce();
  await booked.settle({ ...sent, settlement: { kind: 'paid', credits: 1_000, ref: 'p1' } });
  jest.spyOn(LedgerClient.prototype, 'configure').mockResolvedValue();
  await inTwoHours(async () => {
    await booked.configure();
    await until(async () => Object.keys((await booked.books.standing()).sends.open).length === 0);
    expect((await booked.books.standing()).runs).toEqual(new Map([['run-a', 1_000]]));
  });
});

test('S8: what the ledger looked up itself is soon compared with the books', async () => {
  await paid();
  const { booked } = ledger();
  const timers = jest.spyOn(global, 'setTimeout');
  await booked.lookedUp(subject, true, NOW);
  const [compare] = timers.mock.calls.find(([, ms]) => ms === 10_000) ?? [];
  timers.mockRestore();
  const told = jest.spyOn(booked, 'configure').mockResolvedValue();
  (compare as () => void)();
  expect(told).toHaveBeenCalled();
  jest.spyOn(LedgerClient.prototype, 'leave').mockResolvedValue();
  await booked.leave();
});

test('S6: what the books still have open is booked as that, also where they cannot be written in time', async () => {
  await begun();
  const { booked, spent, settled } = ledger();
  const written = jest.spyOn(booked.books, 'became').mockResolvedValue();
  expect(await booked.settle({ ...found, run: 'run-a', settlement: { kind: 'foundPaid' } })).toBe(1_000);
  expect(written).toHaveBeenCalled();
  expect(spent()).toBe(1_000);
  expect(settled()).toMatchObject([{ attempt: 'a#1', run: 'run-a', credits: 1_000 }]);
});

test('and another run has not paid for it; what the ledger may have booked and forgotten is not booked', async () => {
  await begun();
  const { booked, spent } = ledger();
  expect(await booked.settle({ ...found, settlement: { kind: 'foundPaid' } })).toBe(0);
  expect(spent()).toBe(1_000);
  const later = ledger();
  later.forget();
  expect(await later.booked.settle({ ...found, run: 'run-a', settlement: { kind: 'foundPaid' } })).toBe(0);
  expect(later.spent()).toBe(0);
});

test('S3: what it may have booked and forgotten since is not booked once more', async () => {
  await paid();
  const { booked, forget, spent } = ledger();
  forget();
  expect(await booked.settle(found)).toBe(0);
  expect(spent()).toBe(0);
});

test('nor where its worker died before it wrote that down, and a look that the books heard of has found it since', async () => {
  await begun();
  const { booked, forget, spent } = ledger();
  forget();
  await inTwoHours(async () => {
    expect(await booked.settle({ ...found, run: 'run-a', settlement: { kind: 'foundPaid' } })).toBe(0);
    expect((await booked.books.standing()).sends.settled).toMatchObject([{ subject, credits: 1_000 }]);
    await booked.everything(subject);
    expect(spent()).toBe(0);
  });
});

test('nor where the run that sent it finds it', async () => {
  await begun();
  const { booked, forget, spent } = ledger();
  forget();
  expect(await booked.settle({ ...found, run: 'run-a' })).toBe(0);
  expect(spent()).toBe(0);
  expect(await booked.everything(subject)).toMatchObject({ settled: { attempt: 'a#1', run: 'run-a', credits: 1_000 } });
});

test.each([
  ['of the same call', {}],
  ['of one that replaced it', { attempt: 'b#1', run: 'run-b', grantedAt: NOW - 600_000 }],
])(
  'S3: nor where a ledger whose server went back to a backup has it open, and the books have had the end %s for hours',
  async (_, other) => {
    await paid();
    await inTwoHours(async () => {
      const { booked, grant, spent, open: left } = ledger();
      grant({ ...open, ...other, overAt: NOW - 1 });
      await booked.books.became(leadSubject('l2'), 'x', 'run-x', { kind: 'paid', credits: 1_000 });
      expect(await booked.settle(found)).toBe(0);
      // It takes the sums over with the others that it lacks.
      expect([spent(), left()]).toEqual([0, {}]);
      expect(await booked.everything(subject)).toMatchObject({ settled: { attempt: 'a#1', run: 'run-a' } });
    });
  },
);

test('S6: who has paid is told also where what it became was named when that was forgotten', async () => {
  await paid();
  await inTwoHours(async () => {
    const { booked, forget } = ledger();
    forget();
    await booked.books.became(leadSubject('l2'), 'x', 'run-x', { kind: 'paid', credits: 1_000 });
    await booked.settle({ ...found, run: 'run-a', settlement: { kind: 'foundPaid', ref: 'p2' } });
    expect(await booked.everything(subject)).toMatchObject({
      settled: { attempt: 'a#1', run: 'run-a', credits: 1_000, ref: 'p2' },
    });
  });
});

test('nor by the books, which keep at hand only what was settled in the last hour', async () => {
  await paid();
  await inTwoHours(async () => {
    const { booked, spent } = ledger();
    // Whatever is written makes them forget.
    await booked.books.became(leadSubject('l2'), 'x', 'run-x', { kind: 'paid', credits: 1_000 });
    expect((await booked.books.standing()).sends.settled.map((one) => one.subject)).toEqual(['lead:l2']);
    expect(await booked.settle(found)).toBe(0);
    expect(spent()).toBe(0);
    expect(await booked.everything(subject)).toMatchObject({ settled: { attempt: 'a#1', run: 'run-a', ref: 'p1' } });
  });
});

test('what the ledger has open and nobody has refused is booked as what it is', async () => {
  await paid();
  const { booked, grant, spent, settled } = ledger();
  grant({ ...open, attempt: 'b#1', run: 'run-b' });
  expect(await booked.settle(found)).toBe(1_000);
  expect([spent(), settled()[0]?.run]).toEqual([1_000, 'run-b']);
});

describe('what a look finds of a call that no books keep, since a worker of 0.2 sent it', () => {
  const unkept = { ...open, grantedAt: NOW - 3_600_000, overAt: NOW - 3_085_000 };
  const inBooks = async (booked: BookedLedger) => {
    const { days, sends } = await booked.books.standing();
    const settled = sends.settled.filter((one) => one.subject === subject);
    return [[...days.values()], settled.map(({ attempt, run, credits }) => ({ attempt, run, credits }))];
  };
  /** They have begun before it was sent. */
  beforeEach(() => ledger().booked.books.became(leadSubject('l0'), 'z', 'run-z', { kind: 'notPaid' }));
  const sentOnes = [{ attempt: 'a#1', run: 'run-a', credits: 1_000 }];

  test('stands in them from then on, for the run that sent it, once', async () => {
    const { booked, grant } = ledger();
    grant(unkept);
    await booked.lookedUp(subject, true, Date.now());
    expect(await inBooks(booked)).toEqual([[1_000], sentOnes]);
    await booked.lookedUp(subject, true, Date.now());
    expect(await inBooks(booked)).toEqual([[1_000], sentOnes]);
  });

  test('also where the run itself has looked', async () => {
    const { booked, grant, spent } = ledger();
    grant(unkept);
    expect(await booked.settle({ ...found, run: 'run-a', settlement: { kind: 'foundPaid' } })).toBe(1_000);
    expect([spent(), ...(await inBooks(booked))]).toEqual([1_000, [1_000], sentOnes]);
  });

  test('but not what they have booked long ago, of which they keep nothing at hand', async () => {
    await paid();
    await inTwoHours(async () => {
      const { booked, grant } = ledger();
      grant(unkept);
      await booked.books.became(leadSubject('l2'), 'x', 'run-x', { kind: 'paid', credits: 1_000 });
      await booked.lookedUp(subject, true, Date.now());
      await booked.settle(found);
      // Of one day or, late in the evening, of two.
      const days = [...(await booked.books.standing()).days.values()];
      expect(days.reduce((sum, credits) => sum + credits, 0)).toBe(2_000);
    });
  });

  test('but not while the process that sends it may be writing it down, and not once more', async () => {
    const { booked, grant } = ledger();
    grant({ ...open, grantedAt: Date.now() });
    await booked.lookedUp(subject, true, Date.now());
    expect(await inBooks(booked)).toEqual([[], []]);
    await booked.books.close();
    await paid();
    const other = ledger();
    other.grant(unkept);
    await other.booked.lookedUp(subject, true, Date.now());
    expect(await inBooks(other.booked)).toEqual([[1_000], sentOnes]);
  });
});

test('S7: of damaged books it is told which document it is, in a way that passes once they are mended', async () => {
  await paid();
  const entries = join(folder, 'books', 'u1', 'entries');
  const [, second = ''] = readdirSync(entries).sort();
  writeFileSync(join(entries, second), '{');
  await expect(ledger().booked.settle(found)).rejects.toMatchObject({
    name: 'StorageUnusable',
    message: expect.stringContaining(second),
  });
});

test.each([
  ['Pacific/Kiritimati', "in the ledger's, as a person has set it"],
  [undefined, 'in its own, where the ledger does not say which'],
])('a worker tells what the books come to by days of a time zone: %s, %s', async (timeZone, _) => {
  await paid();
  const told: LedgerStart[] = [];
  const handle = {
    query: async () => ({ flights: {} }),
    describe: async () => {
      if (timeZone === undefined) throw new Error('it does not answer');
      const passage = { of: 'run-1', at: Date.now(), holds: [], parked: {}, balanceFloor: 0, timeZone };
      return { status: { name: 'RUNNING' }, runId: 'run-1', memo: { passage } };
    },
    startUpdate: async (_: unknown, { args: [said] }: { args: [LedgerStart] }) => {
      told.push(said);
      return { result: async () => Date.now(), workflowRunId: 'run-1' };
    },
  };
  const client = { workflow: { getHandle: () => handle }, withDeadline: (_: number, work: () => unknown) => work() };
  const own = { storage: openStorage(folder), ceilings: () => budget, creditsOf: () => 1_000, warn: () => undefined };
  const booked = new BookedLedger(client as never, 'account-ledger.u1', config, own);
  // It is asked once it has answered anything.
  for (const _ of [1, 2]) await booked.configure();
  await booked.books.close();
  const toldIn = (zone: string) => {
    const from = dayOf(Date.now() - 30 * 86_400_000, zone);
    return { budget: { timeZone: 'UTC' }, booked: { timeZone: zone, from, credits: 1_000 } };
  };
  expect(told).toMatchObject([toldIn('UTC'), toldIn(timeZone ?? 'UTC')]);
});

test('S8: nothing is sent while the books are in another storage than the ledger was told, also where that shows only now', async () => {
  const told: string[] = [];
  const settled: string[] = [];
  const handle = {
    query: async () => ({ flights: { open: {}, settled: [], forgottenBefore: 0 }, days: {}, runs: {} }),
    startUpdate: async ({ name }: { name: string }, { args: [said] }: { args: [LedgerStart & Settle] }) => {
      if (name === 'configure') told.push(said.books ?? '');
      if (name === 'settle') settled.push(said.settlement.kind);
      const granted = { kind: 'granted', flight: { ...open, grantedAt: Date.now() } };
      return { result: async () => (name === 'beginSend' ? granted : Date.now()), workflowRunId: 'run-1' };
    },
  };
  const client = { workflow: { getHandle: () => handle }, withDeadline: (_: number, work: () => unknown) => work() };
  const own = { storage: openStorage(folder), ceilings: () => budget, creditsOf: () => 1_000, warn: () => undefined };
  const booked = new BookedLedger(client as never, 'account-ledger.u1', config, own);
  const send = () => booked.beginSend({ ...sent, lookedAt: Date.now(), runCap: 9_000 });
  expect(await send()).toMatchObject({ kind: 'granted' });
  jest.spyOn(booked.books, 'beforeSend').mockImplementationOnce(async () => {
    rmSync(join(folder, 'books'), { recursive: true });
    // Also where the ledger was told of it since it granted this.
    await booked.configure();
    return undefined;
  });
  expect(await send()).toMatchObject({ kind: 'unwritten', why: expect.stringContaining('another storage') });
  expect(settled).toEqual(['notPaid']);
  expect(new Set(told).size).toBe(2);
  await booked.books.close();
});
