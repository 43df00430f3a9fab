import type { FAULTS, Sandbox } from '../../src/sandbox';
import { call, convertible, convertPath, first, sandboxOf, until } from './helpers';

const statusOf = (sandbox: Sandbox, leadId: string) =>
  sandbox.control.leads().find(({ id }) => id === leadId)?.surveyStatus;

async function faulty(fault: (typeof FAULTS)[number], details: object = {}) {
  const sandbox = await sandboxOf();
  const leadId = first(convertible(sandbox));
  sandbox.control.addFault({ route: 'leads.convert', fault, ...details });
  const answer = await call(sandbox, 'POST', convertPath(leadId)).catch(() => undefined);
  return { sandbox, leadId, answer };
}

describe('a fault', () => {
  it('replyLost commits and then loses the connection', async () => {
    const { sandbox, leadId, answer } = await faulty('replyLost');
    expect(answer).toBeUndefined();
    expect(statusOf(sandbox, leadId)).toBe('converted');
  });

  it('cutBeforeCommit loses the connection without an effect', async () => {
    const { sandbox, leadId, answer } = await faulty('cutBeforeCommit');
    expect(answer).toBeUndefined();
    expect(statusOf(sandbox, leadId)).toBe('completed');
    expect((await call(sandbox, 'POST', convertPath(leadId))).status).toBe(200);
  });

  it('cutThenCommit loses the connection first and commits later; until then the payment is in flight', async () => {
    const { sandbox, leadId, answer } = await faulty('cutThenCommit', { commitAfterMs: 600_000 });
    expect(answer).toBeUndefined();
    expect(statusOf(sandbox, leadId)).toBe('completed');
    expect((await call(sandbox, 'POST', convertPath(leadId))).status).toBe(200);
    expect(sandbox.control.stats().paidOverlapping).toEqual([{ subject: `lead:${leadId}`, requests: 2 }]);
  });

  it('cutThenCommit creates a project late, and a second one for who did not look first', async () => {
    const sandbox = await sandboxOf();
    sandbox.control.addFault({ route: 'projects.create', fault: 'cutThenCommit', commitAfterMs: 30 });
    const create = () => call(sandbox, 'POST', '/api/projects', { body: { clientName: 'Acme' } });
    await expect(create()).rejects.toThrow();
    await create();
    await until(() => sandbox.control.stats().paidTwice.length === 1);
  });

  it('delay waits before the commit, delayReply after it', async () => {
    for (const [fault, during] of [
      ['delay', 'completed'],
      ['delayReply', 'converted'],
    ] as const) {
      const sandbox = await sandboxOf();
      const leadId = first(convertible(sandbox));
      sandbox.control.addFault({ route: 'leads.convert', fault, delayMs: 600_000 });
      const answer = call(sandbox, 'POST', convertPath(leadId));
      await until(() => sandbox.control.stats().faults.length === 1);
      await until(() => statusOf(sandbox, leadId) === during);
      expect(sandbox.control.stats().requests.byStatus).toEqual({});
      sandbox.control.endDelays();
      expect((await answer).status).toBe(200);
      expect(statusOf(sandbox, leadId)).toBe('converted');
    }
  });

  it('status answers an error without an effect, statusAfterCommit with one', async () => {
    const before = await faulty('status', { status: 503 });
    expect(before.answer).toMatchObject({ status: 503, body: { error: expect.any(String) } });
    expect(statusOf(before.sandbox, before.leadId)).toBe('completed');
    const after = await faulty('statusAfterCommit', { status: 500 });
    expect(after.answer?.status).toBe(500);
    expect(statusOf(after.sandbox, after.leadId)).toBe('converted');
  });

  it('status 429 says how long to wait in seconds, by a date, or not at all', async () => {
    const waitOf = async (details: object) =>
      (await faulty('status', { status: 429, ...details })).answer?.headers.get('retry-after');
    expect(await waitOf({ retryAfter: 7 })).toBe('7');
    expect(await waitOf({})).toBeNull();
    const date = Date.parse((await waitOf({ retryAfter: 60, retryAfterForm: 'date' })) ?? '');
    expect(Math.abs(date - Date.now() - 60_000)).toBeLessThan(5000);
  });

  it('html answers like a proxy, without an effect', async () => {
    const { sandbox, leadId, answer } = await faulty('html');
    expect(answer?.status).toBe(502);
    expect(answer?.headers.get('content-type')).toContain('text/html');
    expect(statusOf(sandbox, leadId)).toBe('completed');
  });

  it('garbage commits and answers success with a body that is broken', async () => {
    const { sandbox, leadId, answer } = await faulty('garbage');
    expect(answer).toMatchObject({ status: 200, body: undefined });
    expect(statusOf(sandbox, leadId)).toBe('converted');
  });

  it('empty commits and answers success with nothing', async () => {
    const { sandbox, leadId, answer } = await faulty('empty');
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(statusOf(sandbox, leadId)).toBe('converted');
  });

  it('happens to its own route only, after as many requests and as often as it says', async () => {
    const sandbox = await sandboxOf();
    sandbox.control.addFault({ route: 'account.user', fault: 'status', status: 500, after: 1, times: 2 });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) {
      expect((await call(sandbox, 'GET', '/api/user/tier')).status).toBe(200);
      statuses.push((await call(sandbox, 'GET', '/api/user/current')).status);
    }
    expect(statuses).toEqual([200, 500, 500, 200, 200]);
    expect(sandbox.control.stats().faults).toHaveLength(2);
  });

  it('happens at random to a share of the requests, the same ones with the same seed', async () => {
    const faultRate = { share: 0.3, routes: ['account.user' as const], faults: ['status' as const] };
    const runs = await Promise.all(
      [5, 5, 6].map(async (seed) => {
        const sandbox = await sandboxOf({ seed, faultRate });
        const statuses: number[] = [];
        for (let count = 0; count < 60; count++)
          statuses.push((await call(sandbox, 'GET', '/api/user/current')).status);
        return statuses.join();
      }),
    );
    expect(runs[0]).toBe(runs[1]);
    expect(runs[0]).not.toBe(runs[2]);
    const failed = (runs[0] ?? '').split(',').filter((status) => status === '500').length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(32);
  });
});
