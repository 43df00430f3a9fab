import { type Route, type RouteName, routes } from '../../src/agent-api/routes';
import { Undocumented } from '../../src/agent-api/undocumented';
import { type Sandbox, variantOverrides } from '../../src/sandbox';
import { call, convertible, first, sandboxOf, until } from './helpers';

/** A complete answer of every route of the table, in an order in which each finds what it needs. */
async function everyAnswer(
  sandbox: Sandbox,
  names: Undocumented,
): Promise<Map<string, { status: number; body: unknown }>> {
  const answers = new Map<string, { status: number; body: unknown }>();
  const ask = async (name: RouteName, id: string, body?: unknown, form?: FormData) => {
    const { method, path } = routes[name];
    const answer = await call(sandbox, method, path.replace('{id}', id), {
      ...(body !== undefined && { body }),
      ...(form !== undefined && { form }),
    });
    answers.set(name, answer);
    return answer;
  };
  const idIn = (text: string, kind = 'id') =>
    first(new RegExp(`"${kind}":"([0-9a-f-]{36})"`).exec(text)?.slice(1) ?? []);

  for (const name of ['account.user', 'account.tier', 'account.credits', 'projects.list', 'leads.list'] as const)
    await ask(name, '');
  await ask('leads.get', first(convertible(sandbox)));
  await ask('leads.convert', first(convertible(sandbox)));
  const project = idIn((await ask('projects.create', '', { clientName: 'Acme', currency: 'EUR' })).text);
  await ask('projects.update', project, { description: 'New' });
  await ask('projects.uploadDocument', project, ...document(names));
  sandbox.control.completeInterviews({ projectId: project });
  await until(() => sandbox.control.projects().find(({ id }) => id === project)?.hasAnalysis);
  await ask('projects.get', project);
  const started = await ask('projects.auditAsync', project);
  await ask('jobs.get', idIn(started.text, 'jobId'));
  await ask('projects.audit', project);
  for (const name of ['projects.analysis', 'projects.opportunities', 'projects.deliverables'] as const)
    await ask(name, project);
  await ask('captures.submitNote', '', { [names.note.content]: 'Call back', [names.note.project]: project });
  const capture = idIn((await ask('captures.list', '')).text);
  await ask('captures.get', capture);
  await ask('captures.reprocess', capture);
  for (const [noun, body] of [
    ['readylinks', { title: 'Fair' }],
    ['assessmentConfigs', { name: 'Short' }],
    ['memories', { subject: 'Acme', content: 'Prefers mornings' }],
    ['contacts', { name: ' Carla ' }],
    ['insights', { title: 'Fridays are slow' }],
    ['suggestions', { title: 'Call back' }],
    ['captures', { channel: 'email', rawContent: 'The first gate is open' }],
  ] as const) {
    const id = idIn((await ask(`${noun}.create`, '', body)).text);
    await ask(`${noun}.list`, '');
    await ask(`${noun}.get`, id);
    await ask(`${noun}.update`, id, noun === 'captures' ? { rawContent: 'Other' } : { name: 'Other' });
    await ask(`${noun}.delete`, id);
  }
  const key = await call(sandbox, 'POST', '/api/user/api-keys', { session: 'sandbox-session', body: { label: 'x' } });
  return answers.set('apiKeys.create', key);
}

function document({ upload }: Undocumented): [unknown, FormData | undefined] {
  if (upload.encoding === 'json')
    return [
      { [upload.file]: 'aGVsbG8=', [upload.fileName ?? '']: 'a.txt', [upload.fileType ?? '']: 'text/plain' },
      undefined,
    ];
  const form = new FormData();
  form.append(upload.file, new Blob(['hello'], { type: 'text/plain' }), 'a.txt');
  return [undefined, form];
}

const variants = [
  ['a', Undocumented.parse({})],
  ['b', Undocumented.parse(variantOverrides)],
] as const;
const table: [string, Pick<Route, 'read'>][] = Object.entries(routes);

describe.each(variants)('variant %s', (variant, names) => {
  it('answers every route of the table, and its reader reads the answer', async () => {
    const sandbox = await sandboxOf({ variant });
    const answers = await everyAnswer(sandbox, names);
    for (const [name, route] of table) {
      const { status, body } = answers.get(name) ?? { status: 0, body: undefined };
      expect({ name, success: status >= 200 && status < 300, body }).toMatchObject({ name, success: true });
      expect(() => route.read(body, names)).not.toThrow();
    }
  });

  it('gives the readers the values that the control surface knows', async () => {
    const sandbox = await sandboxOf({ variant, credits: 7000, tier: 'enterprise' });
    const answers = await everyAnswer(sandbox, names);
    const read = <N extends RouteName>(name: N) => routes[name].read(answers.get(name)?.body, names);
    expect(read('account.user')).toEqual({ userId: sandbox.userId });
    expect(read('account.tier')).toEqual({ tier: 'enterprise' });
    expect(read('account.credits')).toEqual({ balance: 7000 });
    expect(read('leads.convert')).toMatchObject({ creditsUsed: 1000, pdfAttached: true });
    expect(read('projects.create')).toMatchObject({ clientName: 'Acme', currency: 'EUR', status: 'setup' });
    expect(read('projects.get')).toMatchObject({ documentsCount: 1, hasAnalysis: true, description: 'New' });
    expect(read('projects.auditAsync')).toEqual({ jobId: expect.any(String) });
    expect(read('projects.list')).toMatchObject({ total: 3, items: expect.any(Array) });
    expect(read('contacts.create')).toMatchObject({ name: 'Carla', relationshipType: null });
    expect(sandbox.control.credits()).toEqual({ credits: 5000 });
  });

  it('filters and pages the leads by the names of the variant', async () => {
    const sandbox = await sandboxOf({ variant, leads: 60 });
    const { leadsList } = names;
    const leads = async (query: Record<string, string>) => {
      const answer = await call(sandbox, 'GET', `/api/lead-generation/leads?${new URLSearchParams(query)}`);
      return routes['leads.list'].read(answer.body, names);
    };
    const all = await leads({ status: 'all', [leadsList.limit]: '500', [leadsList.sort]: 'created_at' });
    expect(all.items).toHaveLength(60);
    const page = await leads({
      status: 'all',
      [leadsList.limit]: '7',
      [leadsList.offset]: '10',
      [leadsList.sort]: 'created_at',
    });
    expect(page).toMatchObject({ limit: 7, offset: 10, total: 60 });
    expect(page.items.map(({ id }) => id)).toEqual(all.items.slice(10, 17).map(({ id }) => id));
    const link = first(all.items).staticSlugId ?? '';
    const ofLink = await leads({ status: 'all', [leadsList.surveyLink]: link });
    expect(ofLink.total).toBe(all.items.filter(({ staticSlugId }) => staticSlugId === link).length);
    const ascending = await leads({
      status: 'all',
      [leadsList.limit]: '500',
      [leadsList.sort]: 'business_name',
      [leadsList.direction]: 'asc',
    });
    const businesses = ascending.items.map(({ businessName }) => businessName).filter((name) => name != null);
    expect(businesses).toEqual([...businesses].sort());
  });
});

it('names no override that variant b would work without', async () => {
  const sandbox = await sandboxOf({ variant: 'b' });
  for (const name of ['account.user', 'account.tier', 'account.credits'] as const) {
    const { body } = await call(sandbox, 'GET', routes[name].path);
    expect(() => routes[name].read(body, Undocumented.parse({}))).toThrow('undocumented.account');
  }
  const path = '/api/lead-generation/leads';
  expect((await call(sandbox, 'GET', `${path}?limit=5`)).status).toBe(400);
  expect((await call(sandbox, 'GET', `${path}?pageSize=5`)).status).toBe(200);
});

it.each([['limit=0'], ['limit=501'], ['limit=x'], ['offset=-1'], ['sort=phone'], ['order=up'], ['status=new']])(
  'answers 400 to the lead list with %s',
  async (query) => {
    expect(await call(await sandboxOf(), 'GET', `/api/lead-generation/leads?${query}`)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    });
  },
);
