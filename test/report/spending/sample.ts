/** A month of an account, as a report shows it; numbers are made up. */
import type { AccountSpending, DaySpending, SpendingFacts } from '../../../src/report/spending';

const DAY = 86_400_000;
const until = Date.parse('2026-11-22T16:40:00Z');
const since = until - 30 * DAY;

const days: DaySpending[] = Array.from({ length: 31 }, (_, index) => {
  const day = new Date(since + index * DAY).toISOString().slice(0, 10);
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  const isWorkday = weekday > 0 && weekday < 6;
  const sources = [
    ...(isWorkday ? [{ source: 'pipeline morning', credits: 4_000 + 1_000 * ((index * 7) % 4) }] : []),
    ...(index % 3 === 0 ? [{ source: 'pipeline north-region', credits: 3_000 }] : []),
    ...(index >= 12 && index <= 17 ? [{ source: 'batches', credits: 9_000 - 500 * (index - 12) }] : []),
  ];
  const told = sources.reduce((all, { credits }) => all + credits, 0);
  const rest = index % 5 === 0 ? 1_000 : 0;
  return { day, booked: index < 2 ? null : told + rest, sources, conversions: Math.floor((told + rest) / 1_000) };
});

/** Conversions of the whole month. */
const CONVERTED = days.reduce((all, { conversions }) => all + conversions, 0);

export const account: AccountSpending = {
  ...{ account: 'default', ledger: 'account-ledger.u-1', timeZone: 'Europe/Amsterdam', perDay: 20_000 },
  ...{ perMonth: 300_000, perRun: 60_000, balanceFloor: 50_000, balance: 412_300, reserved: 2_000, days },
  runs: [
    { type: 'leadPipeline', running: 1, ended: { done: 31, expired: 1 } },
    {
      type: 'convertLead',
      running: 3,
      ended: { converted: CONVERTED, alreadyConverted: 12, refused: 7, unresolved: 2, runFailed: 1 },
    },
    { type: 'auditProject', running: 4, ended: { audited: 88, refused: 3 } },
    { type: 'backfill', running: 1, ended: { done: 1 } },
  ],
  pipelines: [
    { name: 'morning', runs: 22, underWay: 1, read: 21, converted: 118, credits: 118_000, dearest: 9_000 },
    { name: 'north-region', runs: 10, underWay: 0, read: 10, converted: 30, credits: 30_000 },
    { runs: 1, underWay: 0, read: 1, converted: 0, credits: 0 },
  ],
  batches: [
    {
      ...{ id: 'backfill.default.20261104T081500-120Z', operation: 'convertLead', items: 60, credits: 46_500 },
      ...{ startedAt: since + 12 * DAY, endedAt: since + 17.4 * DAY, ended: 'done' },
      counts: { done: 46, alreadyDone: 8, skipped: 1, failed: 4, waiting: 0, quarantined: 1 },
    },
    {
      ...{ id: 'backfill.default.20261122T090000-000Z', ended: 'under way', startedAt: until - 0.3 * DAY, counts: {} },
    },
  ],
  funnel: { listed: 1_284, chosen: 262, converted: CONVERTED, audited: 88 },
  waits: {
    ...{ sampled: 144, of: 388 },
    causes: [
      { cause: 'service', ms: 31 * 3_600_000, runs: 40 },
      { cause: 'approval', ms: 26 * 3_600_000, runs: 22 },
      { cause: 'quota', ms: 5.5 * 3_600_000, runs: 131 },
      { cause: 'hold', ms: 2.2 * 3_600_000, runs: 9 },
      { cause: 'settling', ms: 17 * 60_000, runs: 3 },
    ],
  },
  holds: {
    knownFrom: since + 4 * DAY,
    spans: [
      { kind: 'noCredits', from: until - 2 * 3_600_000 },
      { kind: 'killSwitch', from: since + 18.2 * DAY, to: since + 18.9 * DAY },
      { kind: 'manual', from: since + 9 * DAY, to: since + 11.5 * DAY },
      { kind: 'killSwitch', from: since + 7 * DAY, to: since + 7 * DAY + 240_000 },
    ],
  },
  failures: {
    ...{ read: 14, of: 14 },
    reasons: [
      { what: 'Conversions: refused', reason: 'http422', count: 5 },
      { what: 'Audits: refused', reason: 'prerequisitesMissing', count: 3 },
      { what: 'Conversions: refused', reason: 'tierRequired', count: 2 },
      { what: 'Conversions: unresolved', reason: 'nobodyDecided', count: 2 },
      { what: 'Conversions: runFailed', reason: 'BadInput', count: 1 },
      { what: 'Rows of batches', reason: 'quarantined', count: 1 },
    ],
  },
  notes: [
    'Credits of a pipeline or a batch stand on the day on which its run ended, those of a batch of several days on the days of its items; the sum of a day is that of the books.',
    'The cap is the one that holds now: caps of earlier days are not kept.',
  ],
};

export const sample: SpendingFacts = { madeAt: until, since, accounts: [account] };

/** An account that has not done anything yet. */
export const idle: AccountSpending = {
  ...{ account: 'idle', ledger: 'account-ledger.u-2', timeZone: 'UTC', perDay: null, balanceFloor: 0, reserved: 0 },
  days: days.map(({ day }) => ({ day, booked: 0, sources: [], conversions: 0 })),
  ...{ runs: [], pipelines: [], batches: [], notes: [] },
  funnel: { converted: 0, audited: 0 },
  waits: { sampled: 0, of: 0, causes: [] },
  holds: { spans: [] },
  failures: { reasons: [], read: 0, of: 0 },
};

const SCRIPT = `"><script>document.title='pwned'</script>&lt;b&gt;`;
/** Every text that comes from outside is hostile, and long. */
export const hostile: SpendingFacts = {
  ...sample,
  accounts: [
    {
      ...account,
      days: days.map((day) => ({
        ...day,
        sources: [
          { source: `=HYPERLINK(1)${SCRIPT}`, credits: 100 },
          ...['+1', '-1', '@x', '\tx', 'a,b', 'y'.repeat(300)].map((source) => ({ source, credits: 10 })),
        ],
      })),
      runs: [{ type: SCRIPT, running: 1, ended: { [SCRIPT]: 5, ['w'.repeat(200)]: 1 } }],
      pipelines: [{ name: SCRIPT + 'z'.repeat(200), runs: 1, underWay: 0, read: 1, converted: 1, credits: 1e15 }],
      batches: [{ ...{ id: `${SCRIPT}${'x'.repeat(500)}`, ended: SCRIPT, startedAt: since }, counts: { [SCRIPT]: 3 } }],
      holds: { spans: [{ kind: SCRIPT, from: since }] },
      failures: { reasons: [{ what: SCRIPT, reason: SCRIPT, count: 2 }], read: 2, of: 2 },
      notes: [SCRIPT],
    },
    idle,
  ],
};
