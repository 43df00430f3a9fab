/** Schedules on a real server: what is sent comes back as it was, so that it can be compared. */
import {
  type Applied,
  fingerprint,
  type ScheduleDefinition,
  toDefinition,
  toOptions,
} from '../../src/temporal/schedule-definition';
import {
  createSchedule,
  matchingTimes,
  ownedPipelines,
  readSchedule,
  type StoredSchedule,
  scheduleHandle,
  updateSchedule,
} from '../../src/temporal/schedules';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';
import { startTestTemporal, type TestTemporal } from '../support/temporal';
import { until } from '../support/until';

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal();
  await registerSearchAttributes(temporal.connection, temporal.namespace);
});
afterAll(() => temporal.close());

const applied: Applied = { pipeline: 'p', fingerprint: '', pausedInFile: false };
const definition = (changes: Partial<ScheduleDefinition> = {}): ScheduleDefinition => ({
  workflow: 'leadPipeline',
  input: { account: 'default', scoring: { exclude: { names: ['Test*'] } } },
  cron: ['0 7 * * MON-FRI'],
  timeZone: 'Europe/Berlin',
  jitter: '5m',
  overlap: 'skip',
  catchupWindow: '1h',
  description: 'Every morning.',
  summary: 'Convert leads',
  workflowId: 'lead-pipeline.default.p',
  taskQueue: 'audit-runner',
  priority: { priorityKey: 3, fairnessKey: 'lead-pipeline.default.p' },
  searchAttributes: { Account: 'default', RunKind: 'schedule' },
  ...changes,
});

async function stored(pipeline: string): Promise<StoredSchedule> {
  const found = await readSchedule(temporal.client, pipeline);
  if (found === undefined || found === 'foreign') throw new Error(`${pipeline}: ${found}`);
  return found;
}

const interval = (every: string, offset?: string) => {
  const { cron, ...rest } = definition({ timeZone: 'UTC', jitter: '0s' });
  return { ...rest, cron: [], every, ...(offset !== undefined && { offset }) };
};

test.each([
  ['calendars', definition({ cron: ['*/15 8-18 * * 1-5', '@monthly', '0 9 * 1-6/2 5-7'] })],
  ['an interval', interval('1d 2h 30m', '1m 30s')],
  ['the least there can be', { ...interval('1s'), searchAttributes: {}, input: {} }],
])('%s come back as they were sent', async (name, sent) => {
  const pipeline = name.replaceAll(' ', '-');
  await createSchedule(temporal.client, pipeline, sent, false);
  const found = await stored(pipeline);
  expect(found.definition).toEqual(sent);
  expect(found).toMatchObject({ pipeline, paused: false, note: '', changedElsewhere: false });
});

test('expressions mean what the server itself makes of them', async () => {
  const expressions = [
    '* * * * *',
    '*/15 8-18/2 * * MON-FRI',
    '10/20 0,12 1-15/7 JAN-jun 0',
    '5 4 1,31 2/3 1-6/2',
    '@weekly',
    '@yearly',
  ];
  const options = { ...toOptions(definition({ cron: expressions }), applied), scheduleId: 'ours' };
  const ours = await temporal.client.schedule.create(options);
  const theirs = await temporal.client.schedule.create({
    ...{ ...options, scheduleId: 'theirs' },
    spec: { cronExpressions: expressions, timezone: 'Europe/Berlin' },
  });
  const calendars = async (handle: typeof ours) =>
    (await handle.describe()).spec.calendars?.map((calendar) => ({ ...calendar, comment: '' }));
  expect(await calendars(ours)).toEqual(await calendars(theirs));
  // One that the server made is shown as it is: it has no expression that could be read back.
  const [first] = toDefinition(await theirs.describe()).cron;
  expect(first).toMatch(/^calendar \{/);
});

test('an update leaves a pause by a person, unless the file pauses or resumes it', async () => {
  await createSchedule(temporal.client, 'kept', definition(), false);
  await scheduleHandle(temporal.client, 'kept').pause('by a person');
  await updateSchedule(temporal.client, 'kept', definition({ jitter: '1m' }), false);
  expect(await stored('kept')).toMatchObject({ paused: true, note: 'by a person', definition: { jitter: '1m' } });
  await updateSchedule(temporal.client, 'kept', definition(), true);
  await updateSchedule(temporal.client, 'kept', definition(), false);
  expect(await stored('kept')).toMatchObject({ paused: false, note: '', changedElsewhere: false });
});

test('what somebody else changed is told', async () => {
  await createSchedule(temporal.client, 'edited', definition(), false);
  await scheduleHandle(temporal.client, 'edited').update((previous) => ({
    ...toOptions(toDefinition(previous), { ...applied, fingerprint: fingerprint(definition()) }),
    policies: { overlap: 'ALLOW_ALL', pauseOnFailure: true },
    state: { remainingActions: 3 },
  }));
  const { changedElsewhere, definition: found } = await stored('edited');
  expect(changedElsewhere).toBe(true);
  expect(found).toEqual(
    definition({ overlap: 'allowAll', catchupWindow: '365d', other: { remainingActions: 3, pauseOnFailure: true } }),
  );
});

test('a schedule without our mark is not ours', async () => {
  const options = toOptions(definition(), applied);
  await temporal.client.schedule.create({ ...options, scheduleId: 'audit-runner.theirs', memo: { owner: 'else' } });
  await createSchedule(temporal.client, 'mine', definition(), false);
  await until(async () => (await ownedPipelines(temporal.client)).includes('mine'));
  expect(await ownedPipelines(temporal.client)).not.toContain('theirs');
  expect(await readSchedule(temporal.client, 'theirs')).toBe('foreign');
  await expect(updateSchedule(temporal.client, 'theirs', definition(), false)).rejects.toThrow("somebody else's");
  expect(await readSchedule(temporal.client, 'none')).toBeUndefined();
});

test('times between two moments include both', async () => {
  await createSchedule(temporal.client, 'hourly', { ...interval('1h') }, true);
  const at = (hour: number) => new Date(Date.UTC(2026, 0, 5, hour));
  expect(await matchingTimes(temporal.client, 'hourly', at(7), at(9))).toEqual([at(7), at(8), at(9)]);
});
