/** An account without any ceiling is told so plainly, with what to set. */
import { checkBudget, checkCeilings } from '../../../src/cli/doctor/check-budget';
import * as ledger from '../../../src/ledger';
import { describeBudget } from '../../../src/ledger/details';

const NONE = { perRun: null, perDay: null, perMonth: null, balanceFloor: 0 };
const ALL = [
  'Most credits a day: no limit',
  'Most credits a month: no limit',
  'Most credits of one run: no limit',
  'Must remain of the balance: nothing',
].join('; ');

test('doctor warns, names the settings, and shows all four limits', () => {
  const check = checkCeilings({ name: 'main', budget: NONE });
  expect(check).toEqual({
    area: 'account main',
    name: 'ceilings',
    state: 'warning',
    found: `No ceiling is configured: whoever starts or approves runs can spend the whole balance (${ALL})`,
    mend: 'set `budget.perDay`, `budget.perMonth`, `budget.perRun` or `budget.balanceFloor` of the account',
  });
});

test.each([
  ['perRun', 'Most credits of one run: 7,000'],
  ['perDay', 'Most credits a day: 7,000'],
  ['perMonth', 'Most credits a month: 7,000'],
  ['balanceFloor', 'Must remain of the balance: 7,000'],
])('%s alone is a ceiling', (limit, shown) => {
  const { state, found } = checkCeilings({ name: 'main', budget: { ...NONE, [limit]: 7_000 } });
  expect(state).toBe('ok');
  expect(found.split('; ')).toContain(shown);
});

const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const inForce = (limits: object, perDay?: number) => {
  const budget = { ...NONE, timeZone: 'UTC', ...limits };
  const opened = ledger.openLedger({ account: 'main', timing, budget }, 0, false);
  return ledger.budgetInForce(perDay === undefined ? opened : ledger.setBudget(opened, { perDay }, 'Ada', 1), 2);
};

test('status, spend and the page of the ledger say it first; a limit that people can take back is no ceiling', () => {
  expect(describeBudget(inForce({}))[0]).toMatch(/^No ceiling is configured: .*; set `budget\.perDay`/);
  expect(describeBudget(inForce({}, 5_000)).slice(0, 2)).toEqual([
    expect.stringMatching(/people can lift: the configuration of the account names no ceiling$/),
    expect.stringMatching(/^Most credits a day: 5,000 \(set by Ada/),
  ]);
  expect(describeBudget(inForce({ perDay: 9_000 }, 5_000))[0]).toMatch(/^Most credits a day: 5,000 \(set by Ada/);
  expect(describeBudget(inForce({ balanceFloor: 1 })).join()).not.toContain('No ceiling');
  expect(describeBudget(inForce({ perMonth: 1 }))[0]).toBe('Most credits a day: no limit');
});

test('what is in force stays a check of its own', () => {
  expect(checkBudget({ name: 'main', budget: NONE }, inForce({})).state).toBe('ok');
});
