import type { Sandbox } from '../../src/sandbox';
import { call, first, sandboxOf, until } from './helpers';

const note = async (sandbox: Sandbox, content: string) => {
  const { text } = await call(sandbox, 'POST', '/api/nucleus/capture/note', { body: { content } });
  return `/api/nucleus/captures/${/"id":"([^"]+)"/.exec(text)?.[1]}`;
};
const reaches = (sandbox: Sandbox, path: string, status: string) =>
  until(async () => (await call(sandbox, 'GET', path)).text.includes(`"status":"${status}"`));

describe('captures', () => {
  it('go from pending through processing to processed, and then have items', async () => {
    const sandbox = await sandboxOf({ captures: 0, durations: { extraction: 60 } });
    sandbox.control.setBackgroundWork({ stands: true });
    const path = await note(sandbox, 'Call Carla');
    expect((await call(sandbox, 'GET', path)).body).toMatchObject({
      capture: { status: 'pending', channel: 'text_note', rawContent: 'Call Carla', userId: sandbox.userId },
      items: [],
    });
    sandbox.control.setBackgroundWork({ stands: false });
    await until(() => first(sandbox.control.captures()).status === 'processing');
    await reaches(sandbox, path, 'processed');
    const { body } = await call(sandbox, 'GET', path);
    expect(body).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ itemType: 'decision' })]) });
  });

  it('fail as often as their text says, and are processed after being asked again', async () => {
    const sandbox = await sandboxOf();
    const path = await note(sandbox, 'Hard to read [fails 2]');
    for (let count = 0; count < 2; count++) {
      await reaches(sandbox, path, 'failed');
      expect((await call(sandbox, 'POST', path)).body).toEqual({ queued: true });
    }
    await reaches(sandbox, path, 'processed');
  });

  it('wait for a person when their text says so', async () => {
    const sandbox = await sandboxOf();
    await reaches(sandbox, await note(sandbox, '[review] unclear'), 'needs_review');
  });

  it('follow the newest extraction alone when asked again in the middle of one', async () => {
    const sandbox = await sandboxOf({ captures: 0, durations: { extraction: 60 } });
    const path = await note(sandbox, 'Twice');
    const status = () => first(sandbox.control.captures()).status;
    await until(() => status() === 'processing');
    sandbox.control.setBackgroundWork({ stands: true });
    await call(sandbox, 'POST', path);
    expect(status()).toBe('pending');
    sandbox.control.setBackgroundWork({ stands: false });
    expect(await until(() => status() !== 'pending' && status())).toBe('processing');
    expect(await until(() => status() !== 'processing' && status())).toBe('processed');
  });

  it('are listed newest first by filter and page, at most 100 at once', async () => {
    const sandbox = await sandboxOf({ captures: 12 });
    const list = (query: string) => call(sandbox, 'GET', `/api/nucleus/captures${query}`);
    const all = (await list('?limit=100')).text.match(/"rawContent":"[^"]+"/g);
    expect(all).toHaveLength(12);
    expect((await list('?limit=5&offset=10')).text.match(/"rawContent":"[^"]+"/g)).toEqual(all?.slice(10));
    expect((await list('?channel=email')).text.match(/"channel":"[^"]+"/g)).toEqual(Array(3).fill('"channel":"email"'));
    const project = first(sandbox.control.projects()).id;
    expect((await list(`?projectId=${project}`)).text.match(/"rawContent"/g)).toHaveLength(6);
    expect((await list('?limit=101')).status).toBe(400);
    expect((await list('?status=done')).status).toBe(400);
  });

  it('are made by every note, also by the same one again, and the statistics show it', async () => {
    const sandbox = await sandboxOf();
    for (let count = 0; count < 2; count++) await note(sandbox, 'Same');
    expect(sandbox.control.captures().filter(({ rawContent }) => rawContent === 'Same')).toHaveLength(2);
    expect(sandbox.control.stats().notesDoubled).toEqual([expect.objectContaining({ rawContent: 'Same', times: 2 })]);
  });
});

describe('the other records', () => {
  it('stores an unknown relationshipType of a contact as null, and answers 201 with the contact itself', async () => {
    const sandbox = await sandboxOf();
    const create = (body: object) => call(sandbox, 'POST', '/api/nucleus/contacts', { body });
    expect(await create({ name: '  Carla ', relationshipType: 'enemy' })).toMatchObject({
      status: 201,
      body: { id: expect.any(String), name: 'Carla', relationshipType: null },
    });
    expect((await create({ name: 'Carla', relationshipType: 'partner' })).body).toMatchObject({
      relationshipType: 'partner',
    });
    for (const body of [{}, { name: '  ' }, { name: 'Carla', email: 'nobody' }])
      expect((await create(body)).status).toBe(400);
  });

  it('filters memories by their type', async () => {
    const sandbox = await sandboxOf();
    const { body } = await call(sandbox, 'GET', '/api/nucleus/memories?type=pattern');
    expect(body).toEqual({ memories: [expect.objectContaining({ type: 'pattern' })] });
  });

  it('keeps what is written to a survey link, until it is deleted', async () => {
    const sandbox = await sandboxOf();
    const created = await call(sandbox, 'POST', '/api/agent/readylinks', { body: { title: 'Fair', slug: 'fair' } });
    const path = `/api/agent/readylinks/${/"id":"([^"]+)"/.exec(created.text)?.[1]}`;
    await call(sandbox, 'PATCH', path, { body: { title: 'Trade fair' } });
    expect((await call(sandbox, 'GET', path)).body).toMatchObject({ title: 'Trade fair', slug: 'fair' });
    expect((await call(sandbox, 'DELETE', path)).status).toBe(200);
    expect((await call(sandbox, 'GET', path)).status).toBe(404);
    expect((await call(sandbox, 'DELETE', path)).status).toBe(404);
  });
});

describe('assessment configs', () => {
  const path = '/api/agent/assessment-configs';
  const questions = Array.from({ length: 51 }, (_, index) => `q${index + 1}`);

  it.each([
    ['an unknown field', { colour: 'red' }],
    ['a name that is too long', { name: 'x'.repeat(101) }],
    ['a question ID that is none', { questionOrder: ['q1', 'question'] }],
    ['a weight above 10', { scoringWeights: { q1: 10.5 } }],
    ['overrides above 10 KB in UTF-8', { defaultQuestionOverrides: { q1: 'é'.repeat(5200) } }],
    ['no active question', { hiddenQuestions: questions.slice(0, 25) }],
    ['too few scored questions', { hiddenQuestions: questions.slice(2, 25) }],
    ['too many questions', { questionOrder: questions }],
  ])('refuse %s with VALIDATION_ERROR and stay as they are', async (_, body) => {
    const sandbox = await sandboxOf();
    const before = await call(sandbox, 'GET', path);
    const id = /"id":"([^"]+)"/.exec(before.text)?.[1];
    expect(await call(sandbox, 'PATCH', `${path}/${id}`, { body })).toMatchObject({
      status: 400,
      body: { error: expect.any(String), code: 'VALIDATION_ERROR' },
    });
    expect((await call(sandbox, 'GET', path)).text).toBe(before.text);
  });

  it('are changed in part, count their active questions, and refuse an empty update', async () => {
    const sandbox = await sandboxOf();
    const id = /"id":"([^"]+)"/.exec((await call(sandbox, 'GET', path)).text)?.[1];
    const changed = await call(sandbox, 'PATCH', `${path}/${id}`, { body: { name: 'Short', hiddenQuestions: ['q1'] } });
    expect(changed).toMatchObject({ status: 200, body: { data: { name: 'Short', questionCount: 24 } } });
    expect((await call(sandbox, 'PATCH', `${path}/${id}`, { body: {} })).status).toBe(400);
  });
});
