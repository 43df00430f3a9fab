/** What people read of an activity that has failed. */
import {
  ActivityFailure,
  ApplicationFailure,
  type RetryState,
  TimeoutFailure,
  type TimeoutType,
} from '@temporalio/common';
import { failureText } from '../../workflows/shared/failures';

const ofActivity = (cause?: Error) =>
  new ActivityFailure('Activity task failed', 'keepAct', '1', 'TIMEOUT' as RetryState, undefined, cause);
const timedOut = (type: string, cause?: Error) => {
  const failure = new TimeoutFailure(`activity ${type} timeout`, undefined, type as TimeoutType);
  return ofActivity(Object.assign(failure, { cause }));
};

test.each([
  ['our own words', ofActivity(ApplicationFailure.create({ message: 'the folder is full' })), 'the folder is full'],
  ['what failed in the workflow itself', new Error('no such text'), 'no such text'],
  [
    'no worker that took it',
    timedOut('SCHEDULE_TO_START'),
    'no worker has answered in time (is one running that has this account?)',
  ],
  [
    'no worker in all the time',
    timedOut('SCHEDULE_TO_CLOSE'),
    'no worker has answered in time (is one running that has this account?)',
  ],
  ['a worker that was killed', timedOut('HEARTBEAT'), 'the worker that had begun it has not answered in time'],
  ['the last try', timedOut('SCHEDULE_TO_CLOSE', new Error('the folder is full')), 'the folder is full'],
])('of %s', (_, error, text) => {
  expect(failureText(error)).toBe(text);
});
