/** What `backfill status` says of one that has no result. */
import { details } from '../../src/cli/backfill';

const progress = {
  ...{ doing: 'convertLead for 3,000 items', since: '2026-01-31T08:00:00.000Z', done: 840, total: 3_000 },
  ...{ counts: { done: 840 }, credits: 840_000, underWayCount: 20, perMinute: 12, leftMs: 10_800_000, paused: false },
};
const textOf = (status: string) => details({ workflowId: 'nightly', status, needsPerson: false, progress });

test('one that runs says how fast it is, and when the rest ends', () => {
  expect(textOf('RUNNING')).toContain('12 a minute, about 3 h left at this rate');
  expect(textOf('RUNNING')).not.toContain('redrive');
});

test.each(['TERMINATED', 'FAILED', 'TIMED_OUT'])('one that was %s says how to go on, and of no rate', (status) => {
  expect(textOf(status)).toContain(`nightly: ${status}; it was at this`);
  expect(textOf(status)).toContain('audit-runner backfill redrive nightly');
  expect(textOf(status)).not.toContain('a minute');
});

test('one that somebody has paused as a whole is not over', () => {
  expect(textOf('PAUSED')).toContain('nightly: PAUSED; it was at this');
  expect(textOf('PAUSED')).toContain('unpaused');
  expect(textOf('PAUSED')).not.toMatch(/redrive|a minute/);
});

test('so it does where no worker answers', () => {
  const seen = { workflowId: 'nightly', needsPerson: false };
  expect(details({ ...seen, status: 'TERMINATED' })).toContain('audit-runner backfill redrive nightly');
  expect(details({ ...seen, status: 'TERMINATED', account: 'acme' })).toContain(
    'backfill redrive --account acme nightly',
  );
  expect(details({ ...seen, status: 'RUNNING' })).toBe('nightly: RUNNING; no worker answers');
  const stuck = 'the workflow task of nightly fails since 10:00 UTC (tries: 9): a key is missing. To mend it, …';
  expect(details({ ...seen, status: 'RUNNING', stuck })).toBe(`nightly: RUNNING; ${stuck}`);
});
