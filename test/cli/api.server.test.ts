import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '../../src/agent-api/routes';
import { type ApiOptions, apiCommand } from '../../src/cli/api';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { newNamespace, temporalEnv } from '../support/temporal';
import { cliFolder } from './cli';

const cli = cliFolder();
let sandbox: Sandbox;
let env: Record<string, string>;

beforeAll(async () => {
  sandbox = await startSandbox();
  env = {
    AGENT_API_BASE_URL: sandbox.baseUrl,
    AGENT_API_TOKEN: sandbox.token,
    ...temporalEnv(await newNamespace()),
  };
  await cli.start(['worker'], env).said('account is ready');
});

afterAll(async () => {
  await cli.close();
  await sandbox.close();
});

const api = (...args: string[]) => cli.run(['api', ...args], env);

test('without a route it lists all of them, and says which have a workflow of their own', async () => {
  const { code, stdout } = await cli.run(['api']);
  expect(code).toBe(0);
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(1 + Object.keys(routes).length);
  const line = (name: string) => lines.find((one) => one.startsWith(`${name} `));
  expect(line('contacts.create')).toMatch(/POST \/api\/nucleus\/contacts +write +Create a contact$/);
  expect(line('leads.convert')).toMatch(/workflow convertLead$/);
  expect(line('apiKeys.create')).toMatch(/not with a token$/);

  const listed: { name: string; callable: boolean }[] = JSON.parse((await cli.run(['api', '--json'])).stdout);
  expect(listed.map(({ name }) => name)).toEqual(Object.keys(routes));
  expect(listed.find(({ name }) => name === 'leads.convert')).toMatchObject({
    ...{ method: 'POST', scope: 'write', workflow: 'convertLead', callable: false },
  });
});

const wrong: [name: string, route: string, options: ApiOptions, sentence: string][] = [
  ['an unknown route', 'contact.list', {}, "did you mean 'contacts.list'?"],
  ['a route with a workflow of its own', 'leads.convert', { id: 'l' }, 'workflow of its own: start convertLead.'],
  ['a route that no token may call', 'apiKeys.create', {}, 'needs a browser session'],
  ['a missing id', 'projects.get', {}, "id is missing; route 'projects.get' needs it"],
  ['an id that is given twice', 'projects.get', { id: 'a', input: '{"id": "b"}' }, 'given twice'],
  ['an unknown parameter', 'leads.list', { query: ['limt=5'] }, "did you mean 'query.limit'?"],
  ['a parameter without a value', 'leads.list', { query: ['limit'] }, 'give --query as name=value'],
  ['another route in the input', 'leads.list', { input: '{"route": "leads.get"}' }, 'give one of them'],
  ['an input that is no object', 'leads.list', { input: '[1]' }, '--input is not one JSON object'],
];
test.each(wrong)('%s is refused with a sentence before anything is connected', async (_, route, options, sentence) => {
  await expect(apiCommand(route, options)).rejects.toThrow(sentence);
});

test('S4: a wrong body ends with code 2, a sentence for each field, and nothing of what it holds', async () => {
  const body = { nam: 'Anna Prospect', email: 'anna at prospect' };
  const { code, stdout, stderr } = await api('contacts.create', '--input', JSON.stringify({ body }));
  expect(stderr).toContain('body.name is missing; give text of at least 1 character.');
  expect(stderr).toContain('body.email cannot be sent as it is; allowed is an e-mail address.');
  expect(stderr).toContain("field 1 of body is unknown (3 characters); did you mean 'body.name'?");
  expect(stderr.trim().split('\n')).toHaveLength(3);
  expect(stderr).not.toMatch(/anna/i);
  expect(stdout).toBe('');
  expect(code).toBe(2);
  expect(sandbox.control.stats().requests.byRoute['contacts.create']).toBeUndefined();
});

test('a read prints the reply alone on standard output', async () => {
  const { code, stdout, stderr } = await api('leads.list', '--query', 'limit=2', '--query', 'sort=created_at');
  expect(JSON.parse(stdout).data).toHaveLength(2);
  expect(stderr).toMatch(/^Calling leads\.list for account default .*, on Temporal \S+, namespace \S+\.$/m);
  expect(stderr).toContain('outcome  done');
  expect(code).toBe(0);
});

test('an input from a file; an equal call creates nothing more and prints the reply of the first', async () => {
  writeFileSync(join(cli.folder, 'contact.json'), '{"body": {"name": "Anna", "email": "anna@example.com"}}');
  const first = await api('contacts.create', '--input', '@contact.json');
  expect(JSON.parse(first.stdout)).toMatchObject({ name: 'Anna', email: 'anna@example.com' });
  expect(first.code).toBe(0);
  const second = await api('contacts.create', '--input', '@contact.json', '--json');
  expect(JSON.parse(second.stdout)).toMatchObject({
    workflowId: expect.stringMatching(/^call-api\.default\.contacts\.create\.[0-9a-f]{12}$/),
    result: { outcome: 'done', reason: 'alreadyDone' },
    reply: JSON.parse(first.stdout),
  });
  expect(second.code).toBe(0);
  expect(sandbox.control.stats().requests.byRoute['contacts.create']).toBe(1);
});

test('a refusal by the service ends with code 3 and nothing on standard output', async () => {
  const { code, stdout, stderr } = await api('projects.get', '--id', 'no-such-project');
  expect(stderr).toContain('refused: no record has this ID (http404)');
  expect(stdout).toBe('');
  expect(code).toBe(3);
});

test('an interruption leaves the run and says how to look again', async () => {
  sandbox.control.addFault({ route: 'projects.list', fault: 'delay', delayMs: 5_000 });
  const run = cli.start(['api', 'projects.list'], env);
  await run.said('Run call-api.default.projects.list.');
  run.signal('SIGINT');
  const { code, stderr } = await run.ended;
  expect(stderr).toMatch(/audit-runner run callApi --attach --id call-api\.default\.projects\.list\./);
  expect(code).toBe(130);
});
