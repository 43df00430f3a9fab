import { startOfDay } from '../../../src/cli/report/days';

test.each([
  ['UTC', '2026-03-10T00:00:00Z', '2026-03-10T00:00:00Z'],
  ['UTC', '2026-03-10T23:59:59Z', '2026-03-10T00:00:00Z'],
  ['Europe/Berlin', '2026-03-29T22:30:00+02:00', '2026-03-29T00:00:00+01:00'],
  ['Europe/Berlin', '2026-03-30T00:30:00+02:00', '2026-03-30T00:00:00+02:00'],
  ['Europe/Berlin', '2026-10-25T23:59:00+01:00', '2026-10-25T00:00:00+02:00'],
  ['America/New_York', '2026-11-01T12:00:00-05:00', '2026-11-01T00:00:00-04:00'],
])('in %s the day of %s began at %s, also where clocks are changed', (zone, moment, start) => {
  expect(new Date(startOfDay(Date.parse(moment), zone))).toEqual(new Date(start));
});
