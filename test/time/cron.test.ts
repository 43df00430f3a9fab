import { CronError, namesBothDays, parseCron } from '../../src/time/cron';

const one = (value: number) => [{ start: value, end: value, step: 1 }];
const ANY = {
  minute: [{ start: 0, end: 59, step: 1 }],
  hour: [{ start: 0, end: 23, step: 1 }],
  dayOfMonth: [{ start: 1, end: 31, step: 1 }],
  month: [{ start: 1, end: 12, step: 1 }],
  dayOfWeek: [{ start: 0, end: 6, step: 1 }],
};

it.each([
  ['* * * * *', {}],
  ['5 7 * * *', { minute: one(5), hour: one(7) }],
  ['*/15 8-18/2 * * *', { minute: [{ start: 0, end: 59, step: 15 }], hour: [{ start: 8, end: 18, step: 2 }] }],
  ['10/20 * * * *', { minute: [{ start: 10, end: 59, step: 20 }] }],
  ['0,30 * 1,15 * *', { minute: [...one(0), ...one(30)], dayOfMonth: [...one(1), ...one(15)] }],
  ['* * * jan-Mar *', { month: [{ start: 1, end: 3, step: 1 }] }],
  ['* * * * MON-FRI', { dayOfWeek: [{ start: 1, end: 5, step: 1 }] }],
  ['* * * * 7', { dayOfWeek: one(0) }],
  ['* * * * 5-7', { dayOfWeek: [{ start: 5, end: 6, step: 1 }, ...one(0)] }],
  ['* * * * 4-7/2', { dayOfWeek: [{ start: 4, end: 6, step: 2 }] }],
  ['  0   0 * * *  ', { minute: one(0), hour: one(0) }],
  ['@weekly', { minute: one(0), hour: one(0), dayOfWeek: one(0) }],
  ['@yearly', { minute: one(0), hour: one(0), dayOfMonth: one(1), month: one(1) }],
])('reads %p', (text, fields) => {
  expect(parseCron(text)).toEqual({ ...ANY, ...fields });
});

it.each([
  ['', 'five fields'],
  ['* * * *', 'five fields'],
  ['0 0 0 * * *', 'five fields'],
  ['60 * * * *', "'60' is no minute; allowed are 0 to 59"],
  ['* 24 * * *', "'24' is no hour"],
  ['* * 0 * *', "'0' is no day of the month"],
  ['* * * 13 *', "'13' is no month; allowed are 1 to 12 or JAN to DEC"],
  ['* * * * 8', "'8' is no day of the week; allowed are 0 to 6 or SUN to SAT"],
  ['* * * * MON-FRY', "'MON-FRY' is no day of the week"],
  ['10-5 * * * *', "'10-5' is no minute"],
  ['*/0 * * * *', "'*/0' is no minute"],
  ['1, * * * *', "'' is no minute"],
  ['* * L * *', "'L' is no day of the month"],
  ['-1 * * * *', "'-1' is no minute"],
  ['1e1 * * * *', "'1e1' is no minute"],
  ['*5 * * * *', "'*5' is no minute"],
  ['@every 5m', 'every: 10m'],
  ['CRON_TZ=UTC 0 7 * * *', 'timeZone'],
])('refuses %p', (text, sentence) => {
  expect(() => parseCron(text)).toThrow(CronError);
  expect(() => parseCron(text)).toThrow(sentence);
});

it('tells expressions that name both days, of which Temporal takes those that are both', () => {
  expect(
    ['0 7 13 * FRI', '0 7 13 * *', '0 7 * * FRI', '0 7 * * 0-6'].map((text) => namesBothDays(parseCron(text))),
  ).toEqual([...[true, false, false, false]]);
});
