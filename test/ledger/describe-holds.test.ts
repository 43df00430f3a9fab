/** S7: what a release answers is true of what it ended. */
import * as ledger from '../../src/ledger';
import { describeCause, describeReleased } from '../../src/ledger/describe-holds';

const NOW = Date.UTC(2026, 0, 5, 12);
const start: ledger.LedgerStart = {
  account: 'a',
  timing: { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 },
  budget: { perRun: null, perDay: null, balanceFloor: 0, timeZone: 'UTC' },
};
const hold = (rest: Partial<ledger.Hold>): ledger.Hold => ({ kind: 'manual', since: NOW, reason: 'x', ...rest });

test.each<[Partial<ledger.Hold>, string]>([
  [{ kind: 'manual', reason: 'month end' }, 'a person put it on hold (month end)'],
  [{ kind: 'noCredits' }, 'there are too few credits (x)'],
  [
    { kind: 'noCredits', retry: { at: NOW, why: 'refused' } },
    'a call was refused for lack of credits, though the balance looks sufficient (x)',
  ],
  [{ kind: 'books' }, 'the books in the storage lack what was paid (x)'],
  [{ kind: 'books', place: 'p' }, 'the books are in another storage than before (x)'],
  [
    { kind: 'books', lower: { credits: 5, since: NOW, read: 1, readAt: NOW } },
    'the balance is lower than the books in the storage explain (x)',
  ],
])('of %j it says why', (rest, why) => {
  expect(describeCause(hold(rest))).toContain(why);
});

test('a release names each hold, a price that it forgets, and what it does to pauses', () => {
  const released = (rest: object, parks = false) =>
    describeReleased({ ...ledger.openLedger(start, NOW, false), ...rest }, parks);
  expect(released({})).toBe('The account was not on hold.');
  expect(released({}, true)).toMatch(
    /^The account was not on hold\. If the service has asked to wait \(429\), new calls/,
  );
  const price = (real: number) => ({ prices: { lead: { real, at: NOW, configured: 1_000 } } });
  expect(released(price(1_000))).toBe('The account was not on hold.');
  expect(released(price(5_000))).toContain(
    'A conversion is expected to cost the configured 1,000 credits again, not 5,000.',
  );
  expect(released({ holds: [hold({ reason: 'a' }), hold({ kind: 'token', reason: 'b' })] })).toMatch(
    /^The account is released\. It was on hold since .* \(a\); and since .* \(b\)\. /,
  );
});
