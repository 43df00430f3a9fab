import os from 'node:os';
import { ServerClock } from '../../src/temporal/server-clock';

const elapsed = jest.spyOn(performance, 'now');
const uptime = jest.spyOn(os, 'uptime').mockReturnValue(0);
afterAll(() => jest.restoreAllMocks());

test('goes by the server, and is never ahead of it, whatever this machine takes for the time', () => {
  const wall = jest.spyOn(Date, 'now').mockReturnValue(25 * 3_600_000);
  const clock = new ServerClock();
  elapsed.mockReturnValue(700);
  clock.heard(1_000, 500);
  expect(clock.now()).toBe(1_000);
  elapsed.mockReturnValue(5_700);
  expect(clock.now()).toBe(6_000);
  wall.mockReturnValue(0);
  expect(clock.now()).toBe(6_000);
});

test('an answer that took long tells less than an earlier one, but not for ever', () => {
  const clock = new ServerClock();
  elapsed.mockReturnValue(100);
  clock.heard(1_000, 90);
  elapsed.mockReturnValue(20_100);
  clock.heard(6_000, 5_100);
  expect(clock.now()).toBe(21_000);
  elapsed.mockReturnValue(1_000_100);
  clock.heard(990_000, 990_100);
  expect(clock.now()).toBe(990_000);
});

test('it goes on while the machine is suspended', () => {
  const clock = new ServerClock();
  elapsed.mockReturnValue(100);
  clock.heard(1_000, 90);
  // More than any machine was up for when this process began.
  const bootedMs = 1e12;
  uptime.mockReturnValue(bootedMs / 1_000);
  const before = clock.now();
  uptime.mockReturnValue((bootedMs + 8 * 3_600_000) / 1_000);
  expect(clock.now() - before).toBe(8 * 3_600_000);
  uptime.mockReturnValue(0);
});
