/**
 * What the compiler says to a paid call of which a step is left out. `tsc` is the test: it fails where one of the lines
 * below is an error no more.
 */
import { callRoute } from '../../activities/call';
import type { AccountRuntime } from '../../activities/deps';
import { isRepeatable, type RouteName, routes } from '../../src/agent-api/routes';
import { PAID } from '../../src/paying/once-only';
import { payOnce } from '../../workflows/paying/pay-once';
import type { Wanting } from '../../workflows/paying/walk';
import { control, reads } from '../../workflows/shared/calls';

declare const at: Wanting;
const run = { key: 'run', maxCredits: 1_000 };

const whole = {
  ...{ subject: 'lead:1', price: 1_000, run, summary: 'Convert lead 1' },
  look: async () => 'notFound' as const,
  send: async () => ({ kind: 'unknown', overAt: 0 }) as const,
  ask: async () => 'giveUp' as const,
};

/** Never called. */
const leftOut = {
  theWholeIsNoError: () => payOnce(at, whole, async ({ how }) => how),
  // @ts-expect-error: what happens once
  subject: ({ subject, ...rest } = whole) => payOnce(at, rest, async ({ how }) => how),
  // @ts-expect-error: what it costs
  price: ({ price, ...rest } = whole) => payOnce(at, rest, async ({ how }) => how),
  // @ts-expect-error: whose cap counts
  run: ({ run: _, ...rest } = whole) => payOnce(at, rest, async ({ how }) => how),
  // @ts-expect-error: the look before it is sent again (S2)
  look: ({ look, ...rest } = whole) => payOnce(at, rest, async ({ how }) => how),
  // @ts-expect-error: the person who decides where nobody can tell
  ask: ({ ask, ...rest } = whole) => payOnce(at, rest, async ({ how }) => how),
  // @ts-expect-error: what follows from it, which is not cancelled with the run (S6)
  conclusion: () => payOnce(at, whole),
  // @ts-expect-error: what was spent is known only where it has happened, as it was booked
  credits: () => payOnce(at, whole, async ({ credits }) => credits),
  oneWayToEnd: () =>
    // @ts-expect-error: each way in which it may end
    payOnce<number>(at, whole, async (outcome) => {
      switch (outcome.how) {
        case 'done':
          return outcome.credits;
        case 'refused':
        case 'cannotLook':
          return 0;
      }
    }),
  // @ts-expect-error: a call that costs does not leave as one that may be repeated
  asARead: () => reads('default', {}, '').convertLeadOnce(),
  // @ts-expect-error: nor beside the workflows
  beside: () => control.convertLeadOnce(),
  // @ts-expect-error: nor does an activity send it past the ledger
  pastTheLedger: (runtime: AccountRuntime) => callRoute(runtime, 'leads.convert'),
  // @ts-expect-error: and nobody else books
  booked: () => control.settleSubject(),
};

test('a paid call of which a step is left out does not compile', () => {
  expect(Object.keys(leftOut)).toHaveLength(13);
});

test('what costs by the document may not be repeated', () => {
  const paid = Object.keys(routes).filter((name) => routes[name as RouteName].credits > 0);
  expect(paid.length).toBeGreaterThan(1);
  expect(paid.filter((name) => isRepeatable(name as RouteName))).toEqual([]);
  expect(Object.values(PAID).map(({ route }) => route)).toEqual(expect.arrayContaining(paid));
});
