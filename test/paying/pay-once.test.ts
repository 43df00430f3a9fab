import { explore } from './explore';

const SCHEDULES = 10_000;

function run(count: number, options: { blind?: boolean; lawless?: boolean } = {}) {
  const outcomes = Array.from({ length: count }, (_, seed) => explore({ seed, ...options }));
  return { bad: outcomes.filter((o) => o.problems.length > 0), seen: new Set(outcomes.flatMap((o) => [...o.seen])) };
}

describe('paying once, explored under seeded schedules', () => {
  const { bad, seen } = run(SCHEDULES);

  test(`S1 S2 S3 S6: ${SCHEDULES} schedules of crashes, late commits, resets and lost ledgers, none pays twice`, () => {
    expect(bad.map(({ seed, problems }) => ({ seed, problems }))).toEqual([]);
  });

  test.each([
    'late commit',
    'settle lost',
    'worker lost in the call',
    'reset',
    'terminated and started again',
    'ledger lost',
    'configured otherwise',
    'several workers',
    'worker left',
    'a person sets the cap',
    'long queue',
    'throttled',
    'not sent',
    'refused',
    'slow grant',
    'ended: paid',
    'ended: foundPaid',
    'ended: alreadyDone',
    'ended: refused',
    'ended: overRunCap',
    'asked: unknownTwice',
    'asked: cannotTell',
    'marks cannot be read',
    'reply without a reference',
  ])('the schedules do exercise: %s', (what) => {
    expect([...seen]).toContain(what);
  });

  test('negative control: without the look before paying again, a double payment is found', () => {
    expect(run(300, { blind: true }).bad.some((o) => o.problems.some((p) => p.startsWith('S1/S2')))).toBe(true);
  });

  test('negative control: without the ledger, a double payment is found', () => {
    expect(run(300, { lawless: true }).bad.some((o) => o.problems.some((p) => p.startsWith('S1/S2')))).toBe(true);
  });
});
