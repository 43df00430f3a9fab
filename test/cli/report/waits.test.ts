import type { temporal } from '@temporalio/proto';
import { waitsOf } from '../../../src/cli/report/waits';

type Event = temporal.api.history.v1.IHistoryEvent;
/** Numbers as the server has them, where ours are small. */
const long = (value: number) => value as unknown as NonNullable<Event['eventId']>;

let events: Event[];
beforeEach(() => {
  events = [];
});
/** @param at seconds @returns the event's ID */
function add(at: number, event: Event): number {
  const id = events.length + 1;
  events.push({ eventId: long(id), eventTime: { seconds: long(at), nanos: 0 }, ...event });
  return id;
}
const attribute = (at: number, name: string, value: unknown) =>
  add(at, {
    upsertWorkflowSearchAttributesEventAttributes: {
      searchAttributes: { indexedFields: { [name]: { data: new TextEncoder().encode(JSON.stringify(value)) } } },
    },
  });

/** An activity that is scheduled, started the last time, and ended, at these seconds. */
function activity(name: string, queue: string, [scheduled, started, done]: [number, number, number], failure?: string) {
  const scheduledEventId = long(
    add(scheduled, { activityTaskScheduledEventAttributes: { activityType: { name }, taskQueue: { name: queue } } }),
  );
  const lastFailure = failure === undefined ? {} : { lastFailure: { applicationFailureInfo: { type: failure } } };
  add(started, { activityTaskStartedEventAttributes: { scheduledEventId, ...lastFailure } });
  add(done, { activityTaskCompletedEventAttributes: { scheduledEventId } });
}
function timer(from: number, to: number) {
  add(from, { timerStartedEventAttributes: { timerId: `${from}` } });
  add(to, { timerFiredEventAttributes: { timerId: `${from}` } });
}
const waits = () => Object.fromEntries(waitsOf(events));

const WRITES = 'agent-api.default.writes';

test('time in the queue of a rate class is that of its limit; the call itself is no wait', () => {
  activity('convertLeadOnce', WRITES, [0, 30, 100]);
  expect(waits()).toEqual({ quota: 30_000 });
});

test.each([
  ['AccountHold', WRITES, 'hold'],
  ['UpstreamFailing', WRITES, 'upstream'],
  ['Parked', WRITES, 'upstream'],
  ['Waiting', WRITES, 'quota'],
  ['Waiting', 'agent-api.default.polls', 'service'],
])('what was tried again after %s in %s waited for: %s', (failure, queue, cause) => {
  activity('call', queue, [0, 60, 61], failure);
  expect(waits()).toEqual({ [cause]: 60_000 });
});

test('control activities are no wait, but for that of a clear account: a hold, or the cap', () => {
  activity('tell', 'audit-runner', [0, 50, 51]);
  activity('awaitClearance', 'audit-runner', [60, 90, 90], 'Waiting');
  attribute(100, 'Stage', ['budget']);
  activity('awaitClearance', 'audit-runner', [100, 140, 140], 'Waiting');
  expect(waits()).toEqual({ hold: 30_000, budget: 40_000 });
});

test('a person is waited for from the question to the answer, and nothing else meanwhile', () => {
  attribute(0, 'Stage', 'approval');
  attribute(0, 'NeedsPerson', true);
  activity('look', 'agent-api.default.reads', [10, 20, 21]);
  timer(30, 40);
  attribute(100, 'NeedsPerson', false);
  attribute(110, 'Stage', 'converting');
  attribute(110, 'NeedsPerson', true);
  attribute(130, 'NeedsPerson', [false]);
  expect(waits()).toEqual({ approval: 100_000, person: 20_000 });
});

test('a timer is a settling time, unless a call is under way beside it', () => {
  timer(0, 15);
  const scheduledEventId = long(add(20, { activityTaskScheduledEventAttributes: { taskQueue: { name: WRITES } } }));
  timer(20, 35);
  add(40, { activityTaskStartedEventAttributes: { scheduledEventId } });
  add(41, { activityTaskCompletedEventAttributes: { scheduledEventId } });
  expect(waits()).toEqual({ settling: 15_000, quota: 20_000 });
});

test('a task that is taken up at once did not wait', () => {
  activity('look', 'agent-api.default.reads', [5, 5, 6]);
  expect(waits()).toEqual({});
});
