import { LIMITS } from '../../src/agent-api/routes';
import { SlidingLog } from '../../src/sandbox/windows';
import { call, first, sandboxOf } from './helpers';

const NOTE = '/api/nucleus/capture/note';
const JOB = '/api/agent/jobs/3f2b8c1e-0d4a-4e7b-9a51-6c2d8e4f7a10';

describe('rate limits', () => {
  it.each([
    ['reads', 'GET', '/api/user/current', undefined],
    ['writes', 'POST', '/api/agent/readylinks', { title: 'x' }],
    ['polls', 'GET', JOB, undefined],
  ] as const)(
    'lets exactly the documented number of %s through and refuses the next',
    async (name, method, path, body) => {
      const sandbox = await sandboxOf({ limits: {} });
      const send = () => call(sandbox, method, path, { body });
      for (let count = 0; count < LIMITS[name].max; count++) expect((await send()).status).not.toBe(429);
      const refused = await send();
      expect(refused).toMatchObject({ status: 429, body: { error: expect.any(String) } });
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(50);
      expect(wait).toBeLessThanOrEqual(60);
    },
  );

  it('counts a note against the writes and against its hourly limit', async () => {
    const sandbox = await sandboxOf({ limits: { writes: { max: 2 }, notes: { max: 1 } } });
    const note = () => call(sandbox, 'POST', NOTE, { body: { content: 'x' } });
    expect((await note()).status).toBe(201);
    const refused = await note();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect((await call(sandbox, 'POST', '/api/agent/readylinks', { body: { title: 'x' } })).status).toBe(201);
    expect((await call(sandbox, 'POST', '/api/agent/readylinks', { body: { title: 'x' } })).status).toBe(429);
  });

  it('counts an audit against the writes, and against a limit of its own where there is one', async () => {
    for (const [limits, statuses] of [
      [{ writes: { max: 2 } }, [409, 409, 429]],
      [{ writes: { max: 3 }, audits: { max: 1 } }, [409, 429, 429]],
    ] as const) {
      const sandbox = await sandboxOf({ limits });
      const { id } = first(sandbox.control.projects());
      const audit = async () => (await call(sandbox, 'POST', `/api/agent/projects/${id}/audit-analysis/async`)).status;
      expect([await audit(), await audit(), await audit()]).toEqual(statuses);
    }
  });

  it('keeps classes and tokens apart', async () => {
    const sandbox = await sandboxOf({ limits: { reads: { max: 1 } } });
    const read = (token = sandbox.token) => call(sandbox, 'GET', '/api/user/current', { token });
    expect((await read()).status).toBe(200);
    expect((await read()).status).toBe(429);
    expect((await read(sandbox.readToken)).status).toBe(200);
    expect((await call(sandbox, 'GET', JOB)).status).toBe(404);
  });

  it('scales the window, says in real seconds how long to wait, and lets through again after that', async () => {
    const sandbox = await sandboxOf({ speed: 60, limits: { reads: { max: 3 } } });
    const read = () => call(sandbox, 'GET', '/api/user/current');
    for (let count = 0; count < 3; count++) expect((await read()).status).toBe(200);
    const refused = await read();
    expect(refused.headers.get('retry-after')).toBe('1');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await read()).status).toBe(200);
  });

  it('does not count a refused request against the limit, but in the statistics', async () => {
    const sandbox = await sandboxOf({ limits: { reads: { max: 2 } } });
    for (let count = 0; count < 5; count++) await call(sandbox, 'GET', '/api/user/current');
    const { windows, refused429, requests } = sandbox.control.stats();
    expect(windows).toEqual([expect.objectContaining({ rateClass: 'reads', largest: 5, limit: 2, windowMs: 60_000 })]);
    expect(refused429).toBe(3);
    expect(requests).toMatchObject({ total: 5, byRoute: { 'account.user': 5 }, byClass: { reads: 5 } });
    expect(requests.byStatus).toEqual({ 200: 2, 429: 3 });
  });

  it('still measures the windows with limits off', async () => {
    const sandbox = await sandboxOf({ limits: { reads: 'off' } });
    for (let count = 0; count < 110; count++)
      expect((await call(sandbox, 'GET', '/api/user/current')).status).toBe(200);
    expect(sandbox.control.stats().windows).toEqual([expect.objectContaining({ rateClass: 'reads', largest: 110 })]);
  });
});

describe('a window', () => {
  it('includes both of its ends', () => {
    const log = new SlidingLog(60_000);
    log.add(0);
    expect(log.count(60_000)).toBe(1);
    expect(log.count(60_000.001)).toBe(0);
  });

  it('says how long until there is room', () => {
    const log = new SlidingLog(60_000);
    for (const time of [0, 10_000, 20_000]) log.add(time);
    expect(log.waitFor(3, 30_000)).toBe(30_000);
    expect(log.waitFor(2, 30_000)).toBe(40_000);
  });

  it('forgets what has left it, however much it was', () => {
    const log = new SlidingLog(100);
    for (let time = 0; time < 10_000; time++) {
      log.add(time);
      expect(log.count(time)).toBe(Math.min(time + 1, 101));
    }
  });
});
