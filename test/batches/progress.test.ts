/** S7: what a batch says of how far it is holds also where its limits were lowered, or items are tried again. */
import { againIn, begin, type Running, rateOf, type State, totalOf } from '../../workflows/backfill/batch-state';

function state({ done = 0, failed = 0 }): State {
  const needs = { items: 1_000, conversions: 1_000, creations: 0, notes: 0, documents: 0, documented: 0 };
  const prepared = { needs, quarantined: 0, left: {}, notes: [] };
  const begun = begin({ folder: 'batches/b', operation: 'convertLead' }, prepared);
  return { ...begun, counts: { ...begun.counts, done, failed }, beganAt: Date.now() - 60_000 };
}
const running = (count: number, retry = false): Running[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ n, id: `lead-${n}`, workflowId: `run-${n}`, price: 0, at: 0, theirs: false, retry },
  }));

test('a limit of items below what has ended or is under way takes nothing back', () => {
  expect(totalOf(state({ done: 500 }), 400, running(20))).toBe(520);
  expect(totalOf(state({ done: 300 }), 400, running(20))).toBe(400);
  expect(totalOf(state({ done: 300 }), null, running(20))).toBe(1_000);
});

test('an item that is tried again counts once', () => {
  const all = state({ done: 997, failed: 3 });
  expect(totalOf(all, null, running(3, true))).toBe(1_000);
  expect(againIn(all, running(3, true))).toBe(3);
  all.lists.push({ name: 'retry-1', size: 3, next: 1 });
  expect(againIn(all, running(1, true))).toBe(3);
});

test('what is left is never less than nothing', () => {
  expect(rateOf(state({ done: 60 }), -10).leftMs).toBe(0);
  expect(rateOf(state({ done: 60 }), 30).leftMs).toBeGreaterThan(29_000);
});
