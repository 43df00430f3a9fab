import { useStage } from './call-api.stage';

describe.each(['a', 'b'] as const)('replies and bodies, against variant %s of the undocumented shapes', (variant) => {
  const { start, call, fault, stored, timesThere, contact, create, eventsWith } = useStage(variant);

  test.concurrent('S4: a read goes to the storage, and the history has none of it but IDs', async () => {
    const body = contact();
    await call(create(body));
    const run = await start({ route: 'contacts.list' });
    const { ref, bytes, url, ...result } = await run.result();
    expect(result).toMatchObject({ route: 'contacts.list', outcome: 'done', status: 200, credits: 0 });
    expect(result.summary?.ids).toHaveLength(result.summary?.records ?? -1);
    expect(stored(ref)).toContain(body.email);
    expect(Buffer.byteLength(stored(ref))).toBe(bytes);
    expect(url).toMatch(/^file:/);
    expect(await eventsWith(run, body.email)).toEqual([]);
  });

  test.concurrent('S4: the body of a call is in the first event of the history alone', async () => {
    const body = contact();
    const run = await start(create(body));
    const result = await run.result();
    expect(result).toMatchObject({ outcome: 'done', status: 201, credits: 0 });
    expect(JSON.parse(stored(result.ref))).toMatchObject(body);
    expect(await timesThere(body.email)).toBe(1);
    expect(await eventsWith(run, body.email)).toEqual([1]);
    expect(await eventsWith(run, body.name)).toEqual([1]);
  });

  test.concurrent('a change is made, and asked for by its identifier', async () => {
    const made = await call({ route: 'readylinks.create', body: { title: contact().name } });
    const [id = ''] = made.summary?.ids ?? [];
    const changed = await call({ route: 'readylinks.update', id, body: { title: 'Other' } });
    expect(changed).toMatchObject({ outcome: 'done', summary: { ids: [id] } });
    expect(stored((await call({ route: 'readylinks.get', id })).ref)).toContain('Other');
  });

  test.concurrent('a reply is stored as it came, whatever else is read of it', async () => {
    const { ref } = await call({ route: 'account.user' });
    expect(stored(ref)).toContain('@');
  });

  test.concurrent('a deletion whose answer is lost is done; one of what was never there is refused', async () => {
    const made = await call(create(contact()));
    const [id = ''] = made.summary?.ids ?? [];
    fault('contacts.delete', { fault: 'replyLost' });
    const gone = await call({ route: 'contacts.delete', id });
    expect(gone).toMatchObject({ outcome: 'done', reason: 'alreadyGone', status: 404 });
    expect(await call({ route: 'contacts.delete', id })).toMatchObject({ outcome: 'refused', reason: 'http404' });
  });
});

describe('callApi', () => {
  const on = useStage('a');
  const { start, call, calls, fault, contact, create, waitsFor, eventsWith } = on;

  test('a deletion that the configuration does not name is refused before anything is called', async () => {
    const before = calls('insights.delete');
    const { cause } = await call({ route: 'insights.delete', id: 'one' }).catch((error) => error);
    expect(cause).toMatchObject({
      type: 'BadInput',
      message: expect.stringContaining(
        "route 'insights.delete' is not allowed for callApi: it deletes, and is off until the configuration names it (add 'insights.delete' to accounts.default.callApi.allow and restart the workers).",
      ),
    });
    expect(calls('insights.delete')).toBe(before);
  });

  test('all that is wrong with a call is told at once, before anything is called, without what the body holds', async () => {
    const run = await start({
      route: 'assessmentConfigs.update',
      maxCredits: -1,
      body: { name: 'Anna Prospect '.repeat(10), scoringWeights: { q1: 11 }, questionOder: [] },
    });
    const { cause } = await run.result().catch((error) => error);
    expect(cause).toMatchObject({ type: 'BadInput' });
    for (const sentence of [
      'maxCredits was given a negative whole number of 1 digit; allowed is a whole number of at least 0.',
      "id is missing; route 'assessmentConfigs.update' needs it: PATCH /api/agent/assessment-configs/{id}.",
      'body.name cannot be sent as it is; allowed is text of 1 to 100 characters.',
      'body.scoringWeights[field 1] cannot be sent as it is; allowed is a number from 0 to 10.',
      "field 3 of body is unknown (12 characters); did you mean 'body.questionOrder'?",
    ])
      expect(cause.message).toContain(sentence);
    expect(await eventsWith(run, 'Anna Prospect')).toEqual([1]);
    expect(calls('assessmentConfigs.update')).toBe(0);
    expect(
      (await run.fetchHistory()).events?.filter((event) => event.activityTaskScheduledEventAttributes),
    ).toHaveLength(1);
  });

  test('a refusal by the service is a result with its reason', async () => {
    expect(await call({ route: 'projects.get', id: 'no-such' })).toMatchObject({
      ...{ outcome: 'refused', reason: 'http404', status: 404 },
    });
    fault('contacts.create', { fault: 'status', status: 400 });
    const body = contact();
    expect(await call(create(body))).toMatchObject({ outcome: 'refused', reason: 'http400', status: 400 });
    // Nothing has happened, so an equal call is made.
    expect(await call(create(body))).toMatchObject({ outcome: 'done' });
  });

  test.each(['contacts.list', 'contacts.create'] as const)(
    'S7: %s waits for a 429 and the kill switch',
    async (route) => {
      const body = route === 'contacts.create' && { body: contact() };
      fault(route, { fault: 'status', status: 429, retryAfter: 1 });
      on.stage.sandbox.control.setAgentApi({ enabled: false });
      const run = await start({ route, ...body });
      await waitsFor(run, 'on hold');
      on.stage.sandbox.control.setAgentApi({ enabled: true });
      expect(await run.result()).toMatchObject({ outcome: 'done' });
    },
  );

  test('S7: a read goes on when the service answers again', async () => {
    fault('insights.list', { fault: 'status', status: 503, times: 2 });
    fault('insights.list', { fault: 'html' });
    fault('insights.list', { fault: 'garbage' });
    expect(await call({ route: 'insights.list' })).toMatchObject({ outcome: 'done' });
    expect(calls('insights.list')).toBe(5);
  });
});
