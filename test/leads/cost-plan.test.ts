import { LIMITS } from '../../src/agent-api/routes';
import { plan } from '../../src/leads/cost-plan';

const limits = LIMITS;

it('takes as long as the slowest class at its limit: 5,000 conversions at 20 a minute are 4 h 10 min', () => {
  expect(plan({ conversions: 5000, reads: 5011, limits, price: 1000 })).toEqual({
    calls: { writes: 5000, reads: 5011, polls: 0 },
    credits: 5_000_000,
    durationMs: 15_000_000,
    text: '5,000 conversions for 5,000,000 credits: 5,000 writes, 5,011 reads; about 4 h 10 min at the limits of the API.',
  });
});

it('counts reads and polls against their own limits', () => {
  expect(plan({ conversions: 1, reads: 1000, limits, price: 1000 }).durationMs).toBe(600_000);
  expect(plan({ conversions: 1, reads: 1, polls: 1200, limits, price: 1000 })).toMatchObject({
    durationMs: 600_000,
    text: '1 conversion for 1,000 credits: 1 write, 1 read, 1,200 job polls; about 10 min at the limits of the API.',
  });
});

it('says from when the time counts where nothing goes on', () => {
  const standstill =
    'on hold since 2026-11-21 08:00:00 UTC: a person put it on hold; it ends with the update `release`';
  const { text, durationMs } = plan({ conversions: 20, reads: 1, limits, price: 1000, standstill });
  expect(text).toBe(
    `20 conversions for 20,000 credits: 20 writes, 1 read; about 1 min at the limits of the API. It cannot begin now, and the time counts from when it can: ${standstill}.`,
  );
  expect(durationMs).toBe(60_000);
  expect(plan({ conversions: 0, reads: 0, limits, price: 1000, standstill }).text).toBe(
    'Nothing to do: no calls, no credits.',
  );
});

it('says so when there is nothing to do', () => {
  expect(plan({ conversions: 0, reads: 0, limits, price: 1000 })).toEqual({
    calls: { writes: 0, reads: 0, polls: 0 },
    credits: 0,
    durationMs: 0,
    text: 'Nothing to do: no calls, no credits.',
  });
});

it('refuses numbers that cannot be', () => {
  const none = { ...limits, writes: { max: 0, windowMs: 60_000 } };
  expect(() => plan({ conversions: -1, reads: 0, limits, price: 1 })).toThrow(RangeError);
  expect(() => plan({ conversions: 1, reads: Number.NaN, limits, price: 1 })).toThrow(RangeError);
  expect(() => plan({ conversions: 1, reads: 0, limits, price: -1 })).toThrow(RangeError);
  expect(() => plan({ conversions: 1, reads: 0, limits: none, price: 1 })).toThrow(RangeError);
});
