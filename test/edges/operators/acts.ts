/** What the Web UI and the `temporal` command can do, one line each. */
import type { Act } from './act';
import { completeWith, failActivities, hurryActivities, pauseActivities, resetActivities } from './activities';
import { HUGE, NESTED, UNREADABLE, WRONG } from './garbage';
import { garbage, lies, says } from './messages';
import { cancel, remove, reset, resetToEach, startAgain, startChanged, terminate, triggerTwice } from './runs';
import { TIMING } from './world';

/** To any run, a ledger too. */
const toBoth: readonly Act[] = [
  { name: 'cancel', perform: cancel },
  { name: 'terminate', perform: terminate },
  { name: 'start-again', perform: startAgain },
  { name: 'delete', perform: remove },
  { name: 'reset-first', perform: reset(0) },
  { name: 'reset-middle', perform: reset(0.5) },
  { name: 'reset-last', perform: reset(1) },
  { name: 'reset-each', perform: resetToEach },
  { name: 'signal-garbage', perform: garbage('signal', [...WRONG, ...HUGE, ...NESTED]), rare: true },
  { name: 'signal-unreadable', perform: garbage('signal', UNREADABLE), rare: true },
  { name: 'update-unreadable', perform: garbage('update', UNREADABLE), rare: true },
  { name: 'query-garbage', perform: garbage('query', [...WRONG, ...UNREADABLE]), rare: true },
];

/** To the run of a state. */
export const acts: readonly Act[] = [
  { name: 'nothing', perform: async () => undefined },
  ...toBoth,
  { name: 'update-garbage', perform: garbage('update', [...WRONG, ...HUGE, ...NESTED]) },
  { name: 'activity-reset', perform: resetActivities },
  { name: 'activity-pause', perform: pauseActivities },
  { name: 'activity-options', perform: hurryActivities },
  { name: 'activity-fail', perform: failActivities },
  { name: 'activity-complete', perform: completeWith([{ kind: 5 }]) },
  { name: 'schedule-twice', perform: triggerTwice, rare: true },
];

/** Nobody has paid anything by these books, and there is no cap. */
const empty = { account: 'default', timing: TIMING, budget: { perDay: null, balanceFloor: 0, timeZone: 'UTC' } };
const books = {
  ...empty,
  flights: { open: {}, settled: [], forgottenBefore: 0 },
  ...{ days: {}, runs: {}, bookings: [], holds: [], elsewhere: 0, parked: {}, permits: {} },
};

/** To the ledger of a state. */
export const ledgerActs: readonly Act[] = [
  ...toBoth,
  { name: 'by-hand-lifted', perform: startChanged((input) => ({ ...input, ...empty })) },
  {
    name: 'by-hand-state',
    perform: startChanged((input) => ({ ...input, ...empty, state: { probeEveryMs: 100, state: books } })),
  },
  { name: 'by-hand-not-lost', perform: startChanged(({ state: _, ...input }) => ({ ...input, lost: false })) },
  {
    name: 'by-hand-garbage',
    perform: startChanged((input) => ({ ...input, state: { probeEveryMs: 100, state: { flights: 5 } } })),
  },
  { name: 'by-hand-nothing', perform: startChanged(() => null) },
  { name: 'update-garbage', perform: garbage('update', [...WRONG, ...HUGE, ...NESTED]), rare: true },
  { name: 'lies', perform: lies, rare: true },
  { name: 'configure-lifted', perform: says('configure', empty), rare: true },
  { name: 'budget-lifted', perform: says('setBudget', { perDay: null, reason: 'case' }), rare: true },
];
