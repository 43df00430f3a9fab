import { isOwnPayment, ownerOf, ownOutcome, ownSend } from '../../src/paying/own-send';

const flight = (attempt: string) => ({ attempt, run: 'r', credits: 1_000, grantedAt: 1, overAt: 9 });
const settled = (attempt: string, more: object = {}) => ({
  ...{ subject: 'lead:1', attempt, run: 'r', at: 7, credits: 1_000, byLook: true },
  ...more,
});
const [mine, theirs] = ['convert-lead.default.1#x/1/u', 'convert-lead.default.12#x/1/u'];
const own = (state: Parameters<typeof ownSend>[0]) => ownSend(state, 'convert-lead.default.1');

it('S6: what a run has sent and does not know is its own, open or looked up by the ledger meanwhile', () => {
  expect(mine.startsWith(ownerOf('convert-lead.default.1'))).toBe(true);
  expect(own({ open: flight(mine) })).toEqual({ overAt: 9 });
  expect(own({ settled: settled(mine) })).toEqual({ overAt: 7 });
  expect(own({ open: flight(theirs), settled: settled(mine) })).toEqual({ overAt: 7 });
});

it('of a call that costs nothing a reply, or what it became, says that it happened', () => {
  expect(own({ settled: settled(mine, { credits: 0, ref: 'capture' }) })).toEqual({ overAt: 7 });
  expect(own({ settled: settled(mine, { credits: 0, byLook: false }) })).toEqual({ overAt: 7 });
});

it.each([
  ['nothing was sent', {}],
  ['another run has sent it', { open: flight(theirs), settled: settled(theirs) }],
  ['nothing came of it', { settled: settled(mine, { credits: 0 }) }],
])('nothing is left to find out where %s', (_, state) => {
  expect(own(state)).toBeUndefined();
});

it('what was over before the look that found nothing is not heard out again', () => {
  const outcome = (lookedAt?: number) =>
    ownOutcome({ open: flight(mine) }, { workflowId: 'convert-lead.default.1', run: 'r' }, lookedAt);
  expect([outcome(), outcome(9)]).toEqual(Array(2).fill({ kind: 'unknown', overAt: 9 }));
  expect(outcome(10)).toBeUndefined();
});

test.each([
  ['the books know of nobody, and it has heard out a send', undefined, { sent: true }, true],
  ['the books know of nobody', undefined, {}, false],
  ['this run paid', { run: 'w/1' }, {}, true],
  ['a run before it under its ID paid, which it has heard out', { run: 'w/0' }, { sent: true }, true],
  ['a run before it under its ID paid and has reported it', { run: 'w/0' }, {}, false],
  ['another run has paid since its own send came to nothing', { run: 'x/1', attempt: 'x#1' }, { sent: true }, false],
  ['a run before it under its ID paid, out of the budget of a batch', { run: 'batch/1' }, { sent: true }, false],
  ['the same, by a run of before', { run: 'batch/1' }, { sent: true, mindsBudget: () => false }, true],
  ['nothing was paid', { run: 'w/1', credits: 0 }, { sent: true }, false],
])('S6: whether a payment is its own to report: %s', (_, books, heard, own) => {
  const settled = books && { subject: 'lead:1', attempt: 'w#1', at: 1, credits: 1_000, byLook: true, ...books };
  expect(isOwnPayment(settled, { workflowId: 'w', run: 'w/1', sent: false, ...heard })).toBe(own);
});

test.each([
  ['its own budget', 'w/1', 'paid'],
  ['the budget of a run before it under its ID', 'w/0', 'paid'],
  ['the budget of a batch, which reports it: a look finds it', 'batch/1', 'unknown'],
])('S6: an own try that has paid out of %s', (_, run, kind) => {
  const state = { settled: settled('w#1/1/u', { run }) };
  expect(ownOutcome(state, { workflowId: 'w', run: 'w/1' })?.kind).toBe(kind);
  expect(ownOutcome(state, { workflowId: 'w', run: 'w/1', mindsBudget: () => false })?.kind).toBe('paid');
});
