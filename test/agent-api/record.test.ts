import { type RouteName, routes } from '../../src/agent-api';
import { Undocumented, UnreadableBody } from '../../src/agent-api/undocumented';
import { call, first, sandboxOf } from '../sandbox/helpers';

const read = (name: RouteName, body: unknown) => routes[name].read(body, Undocumented.parse({}));
const memo = { stakeholderName: 'Dana', stakeholderRole: 'Operations', memo: 'What changes' };
const dashboard = { projectId: 'p1', isComplete: true, executiveSummary: 'Good', stakeholderMemos: [memo] };

describe('deliverables', () => {
  it.each([
    ['the documented envelope', { success: true, data: dashboard }],
    ['no envelope', dashboard],
    ['an array of one', [dashboard]],
    ['an envelope in the envelope', { success: true, data: { deliverables: dashboard } }],
    ['an envelope of another name', { deliverables: dashboard }],
    ['an envelope that has a field of the same name', { projectId: 'p1', generatedAt: null, data: dashboard }],
  ])('are what %s holds', (_, body) => {
    expect(read('projects.deliverables', body)).toEqual(dashboard);
  });

  it('may lack all but one of their fields', () => {
    const body = { success: true, data: { risks: [] } };
    expect(read('projects.deliverables', body)).toEqual({ risks: [] });
  });

  it.each([
    { success: true, data: {} },
    { success: true, data: { summary: 'Good' } },
    { success: true, data: null },
    { success: false, error: 'None yet' },
    {},
    'none',
  ])('are not found where no field of theirs is: %j', (body) => {
    expect(() => read('projects.deliverables', body)).toThrow(UnreadableBody);
    expect(() => read('projects.deliverables', body)).toThrow('the reply holds no deliverables');
  });

  it.each(['a', 'b'] as const)(
    'are read from variant %s of the sandbox, before and after an audit',
    async (variant) => {
      const sandbox = await sandboxOf({ variant });
      const { id } = first(sandbox.control.projects());
      const ask = async (name: RouteName, method = 'GET') =>
        call(sandbox, method, routes[name].path.replace('{id}', id));
      const none = await ask('projects.deliverables');
      if (none.status === 200) expect(read('projects.deliverables', none.body)).toMatchObject({ isComplete: false });
      else expect(none.status).toBe(404);
      await ask('projects.audit', 'POST');
      expect(read('projects.deliverables', (await ask('projects.deliverables')).body)).toMatchObject({
        projectId: id,
        isComplete: true,
        executiveSummary: expect.any(String),
        opportunities: expect.arrayContaining([expect.objectContaining({ impactScore: expect.any(Number) })]),
        risks: expect.arrayContaining([expect.objectContaining({ title: expect.any(String) })]),
        stakeholderMemos: expect.arrayContaining([expect.objectContaining({ memo: expect.any(String) })]),
      });
      expect(read('projects.analysis', (await ask('projects.analysis')).body)).toMatchObject({ opportunityCount: 8 });
      expect(read('projects.get', (await ask('projects.get')).body)).toMatchObject({ id, hasDeliverables: true });
    },
  );
});

describe('an envelope that would do for the record', () => {
  it('is not mistaken for the analysis, whose status it seems to have', () => {
    const running = { status: 'running' };
    const complete = {
      id: 'a1',
      status: 'complete',
      executiveSummary: 'Good',
      synthesis: { data: { status: 'done' } },
    };
    expect(read('projects.analysis', { status: 'success', data: complete })).toEqual(complete);
    expect(read('projects.analysis', { status: 'ok', analysis: running })).toEqual(running);
    expect(read('projects.analysis', { status: 'ok', data: { analysis: running } })).toEqual(running);
  });

  it('is not mistaken for the project, whose ID it seems to have', () => {
    const project = { id: 'p1', clientName: 'Acme', hasAnalysis: false };
    expect(read('projects.get', { id: 'request-1', data: { project } })).toEqual(project);
  });

  it('is not looked for in a record that stands bare', () => {
    const complete = { id: 'a1', status: 'complete', executiveSummary: 'Good', result: { status: 'ok' } };
    expect(read('projects.analysis', complete)).toEqual(complete);
    const project = { id: 'p1', clientName: 'Acme', hasAnalysis: true, data: { id: 'other' } };
    expect(read('projects.get', project)).toEqual(project);
  });
});

describe('the balance', () => {
  it('is what remains, however the name is written, and never what the period allows', () => {
    const period = { total_credits: 500_000, used_credits: 20_000, remaining_credits: 480_000 };
    expect(read('account.credits', { success: true, data: period })).toEqual({ balance: 480_000 });
    expect(read('account.credits', { RemainingCredits: 7 })).toEqual({ balance: 7 });
    expect(() => read('account.credits', { total: 500_000, used: 20_000 })).toThrow('undocumented.account.balance');
  });

  it.each([
    { credits: 10_000, used: 9_500, remaining: 500 },
    { data: { credits: 10_000, creditsUsed: 9_500, creditsRemaining: 500 } },
    { credits: 10_000, availableCredits: 500 },
    { credits: 500, subscription: { remaining: 17 }, user: { balance: 0 } },
    { credits: 500 },
    { credits: { credits: 500 } },
  ])('S3: is what is left, not what a period allows: %j', (body) => {
    expect(read('account.credits', body)).toEqual({ balance: 500 });
  });

  it.each([
    { plan: { credits: 10_000 }, wallet: { left: 500 } },
    { credits: 10_000, used: 9_500 },
    { credits: 10_000, creditsSpent: 3_000 },
    { credits: 10_000, usage: { used: 3_000 } },
  ])('S3: is not guessed from %j', (body) => {
    expect(() => read('account.credits', body)).toThrow('undocumented.account.balance');
  });

  it.each([
    [25_000, 25_000],
    ['25000.00', 25_000],
    [' 25000 ', 25_000],
    ['-3', -3],
    ['25,000.00', 25_000],
    ['1,250,000', 1_250_000],
    ['25.000,50', 25_000.5],
    ['25 000', 25_000],
    ["1'250'000.00", 1_250_000],
  ])('is read from %j', (balance, value) => {
    expect(read('account.credits', { balance })).toEqual({ balance: value });
    expect(read('account.credits', { data: { credits: { remaining: balance } } })).toEqual({ balance: value });
    const named = Undocumented.parse({ account: { balance: 'wallet.left' } });
    expect(routes['account.credits'].read({ wallet: { left: balance } }, named)).toEqual({ balance: value });
  });

  it.each(['25,000', '25,00', 'many', '', '1,25,000', '25000 credits', null, true, {}])(
    'is not guessed from %j',
    (balance) => {
      expect(() => read('account.credits', { balance })).toThrow("name its field with 'undocumented.account.balance'");
    },
  );
});

describe('S3: the credits that a conversion used', () => {
  const used = (creditsUsed: unknown) =>
    read('leads.convert', { success: true, data: { auditId: 'p1', creditsUsed, pdfAttached: true } });

  it.each([
    [1_000, 1_000],
    [0.5, 1],
    [999.5, 1_000],
    ['2300', 2_300],
  ])('%j are booked as %i', (said, booked) => {
    expect(used(said)).toMatchObject({ auditId: 'p1', creditsUsed: booked });
  });

  it.each([0, '0', 1e300, -1, 1_000_000_001, 'many', null, undefined, {}])(
    '%j are none: the price is booked',
    (said) => {
      expect(used(said)).toMatchObject({ auditId: 'p1', creditsUsed: undefined });
    },
  );
});
