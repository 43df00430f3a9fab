import { call, convertible, convertPath, first, sandboxOf } from './helpers';

const create = { body: { clientName: 'Acme', description: 'ref-1' } };

describe('paying', () => {
  it('converts with all effects, and refuses the second time without a code and without a change', async () => {
    const sandbox = await sandboxOf();
    const leadId = first(convertible(sandbox));
    const lead = sandbox.control.leads().find(({ id }) => id === leadId);
    const { body, status } = await call(sandbox, 'POST', convertPath(leadId));
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: true, data: { auditId: expect.any(String), creditsUsed: 1000, pdfAttached: true } },
    });
    const project = sandbox.control.projects().at(-1);
    expect(project).toMatchObject({
      clientName: lead?.businessName ?? lead?.clientName,
      status: 'setup',
      documentsCount: 1,
      businessAnalysis: [expect.objectContaining({ source: 'survey' })],
    });
    expect(body).toMatchObject({ data: { auditId: project?.id } });
    expect(sandbox.control.leads().find(({ id }) => id === leadId)?.surveyStatus).toBe('converted');

    const again = await call(sandbox, 'POST', convertPath(leadId));
    expect(again).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    expect(again.body).not.toHaveProperty('code');
    expect(sandbox.control.credits()).toEqual({ credits: 49_000 });
    expect(sandbox.control.stats()).toMatchObject({ conversions: 1, paidTwice: [] });
  });

  it('does not pay for a lead twice when two conversions are in flight, and counts that they were', async () => {
    const sandbox = await sandboxOf({ durations: { convert: 250 } });
    const leadId = first(convertible(sandbox));
    const answers = await Promise.all([1, 2].map(() => call(sandbox, 'POST', convertPath(leadId))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(sandbox.control.stats()).toMatchObject({
      paidTwice: [],
      paidOverlapping: [{ subject: `lead:${leadId}`, requests: 2 }],
    });
  });

  it('pays twice where a conversion is checked as it arrives, and counts it', async () => {
    const sandbox = await sandboxOf({ convertCheck: 'atArrival', durations: { convert: 250 } });
    const leadId = first(convertible(sandbox));
    await Promise.all([1, 2].map(() => call(sandbox, 'POST', convertPath(leadId))));
    expect(sandbox.control.stats()).toMatchObject({
      conversions: 2,
      paidTwice: [{ subject: `lead:${leadId}`, times: 2, credits: 2000 }],
    });
  });

  it('does not de-duplicate projects, and counts the same body paid for twice', async () => {
    const sandbox = await sandboxOf();
    for (const sent of [create, create, { body: { ...create.body, description: 'ref-2' } }])
      expect((await call(sandbox, 'POST', '/api/projects', sent)).status).toBe(201);
    const { paidTwice, payments, creditsSpent } = sandbox.control.stats();
    expect(paidTwice).toEqual([{ subject: expect.stringMatching(/^project:Acme#/), times: 2, credits: 2000 }]);
    expect(payments).toHaveLength(3);
    expect(creditsSpent[sandbox.userId]).toBe(3000);
  });

  it('answers 402 without a code when credits do not suffice, and takes none', async () => {
    const sandbox = await sandboxOf({ credits: 999 });
    for (const [path, sent] of [
      [convertPath(first(convertible(sandbox))), {}],
      ['/api/projects', create],
    ] as const)
      expect(await call(sandbox, 'POST', path, sent)).toMatchObject({
        status: 402,
        body: { error: expect.any(String) },
      });
    expect(sandbox.control.credits()).toEqual({ credits: 999 });
    sandbox.control.setCredits({ credits: 1000 });
    expect((await call(sandbox, 'POST', '/api/projects', create)).status).toBe(201);
  });

  it('answers 403 with the tier body on a plan that may not run audits, and lets it read', async () => {
    const sandbox = await sandboxOf({ tier: 'lead_generation' });
    for (const [path, sent] of [
      [convertPath(first(convertible(sandbox))), {}],
      ['/api/projects', create],
    ] as const)
      expect(await call(sandbox, 'POST', path, sent)).toMatchObject({
        status: 403,
        body: { currentTier: 'lead_generation', requiredTier: 'professional', upgradeUrl: expect.any(String) },
      });
    expect((await call(sandbox, 'GET', '/api/lead-generation/leads')).status).toBe(200);
    sandbox.control.setTier({ tier: 'professional' });
    expect((await call(sandbox, 'POST', '/api/projects', create)).status).toBe(201);
  });

  it('answers 400 without a code while the AI provider key is missing, and changes nothing', async () => {
    const sandbox = await sandboxOf();
    sandbox.control.setAiKey({ present: false });
    const leadId = first(convertible(sandbox));
    const refused = await call(sandbox, 'POST', convertPath(leadId));
    expect(refused.status).toBe(400);
    expect(refused.body).not.toHaveProperty('code');
    expect(sandbox.control.credits()).toEqual({ credits: 50_000 });
    sandbox.control.setAiKey({ present: true });
    expect((await call(sandbox, 'POST', convertPath(leadId))).status).toBe(200);
  });

  it('charges a person who converts in the web app, and says who paid', async () => {
    const sandbox = await sandboxOf();
    const leadId = first(convertible(sandbox));
    const { projectId } = sandbox.control.convertLead({ leadId });
    expect((await call(sandbox, 'GET', `/api/projects/${projectId}`)).status).toBe(200);
    expect((await call(sandbox, 'POST', convertPath(leadId))).status).toBe(400);
    expect(sandbox.control.stats().payments).toEqual([expect.objectContaining({ by: 'person', credits: 1000 })]);
    expect(() => sandbox.control.convertLead({ leadId })).toThrow('already');
  });

  it('moves a converted lead in a list by updated_at, and leaves it in its place by created_at', async () => {
    const sandbox = await sandboxOf();
    const ids = async (sort: string) => {
      const path = `/api/lead-generation/leads?status=all&limit=500&order=asc&sort=${sort}`;
      return [...(await call(sandbox, 'GET', path)).text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id);
    };
    const [created, updated] = [await ids('created_at'), await ids('updated_at')];
    const leadId = first(convertible(sandbox).filter((id) => id !== updated.at(-1)));
    await call(sandbox, 'POST', convertPath(leadId));
    expect(await ids('created_at')).toEqual(created);
    expect(await ids('updated_at')).toEqual([...updated.filter((id) => id !== leadId), leadId]);
  });

  it.each([
    [{}],
    [{ clientName: 'x'.repeat(201) }],
    [{ clientName: 'x', industry: 'x'.repeat(101) }],
    [{ clientName: 'x', companySize: 'x'.repeat(51) }],
    [{ clientName: 'x', description: 'x'.repeat(2001) }],
    [{ clientName: 'x', currency: 'EURO' }],
  ])('creates no project from a body that breaks the documented constraints (%#)', async (body) => {
    const sandbox = await sandboxOf();
    expect((await call(sandbox, 'POST', '/api/projects', { body })).status).toBe(400);
    expect(sandbox.control.stats().payments).toEqual([]);
  });

  it.each([
    [{}, 'EMPTY_PATCH'],
    [{ colour: 'red' }, 'EMPTY_PATCH'],
    [{ description: 7 }, 'INVALID_DESCRIPTION_TYPE'],
    [{ description: null }, 'INVALID_DESCRIPTION_TYPE'],
    [{ description: 'x'.repeat(5001) }, 'DESCRIPTION_TOO_LONG'],
  ])('refuses a change of a project by its code (%#)', async (body, code) => {
    const sandbox = await sandboxOf();
    const { id } = first(sandbox.control.projects());
    expect(await call(sandbox, 'PATCH', `/api/projects/${id}`, { body })).toMatchObject({
      status: 400,
      body: { code },
    });
    expect(first(sandbox.control.projects())).toMatchObject({ id, description: null });
  });
});
