/** S4: notices go to where they were meant to go, in the clear to nobody but this machine. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NotifyFile, toReceiver } from '../../src/config/notify';
import type { Notice } from '../../src/notify/message';
import { deliver, NotDelivered } from '../../src/notify/receiver';

const problemsOf = (url: string, env: Record<string, string> = {}) => {
  const read = NotifyFile.safeParse(env.HOOK === undefined ? { url } : { urlEnv: 'HOOK' });
  if (!read.success) return read.error.issues.map(({ message }) => message);
  const made = toReceiver(read.data, env);
  return 'problems' in made ? made.problems : [];
};

test.each([
  'http://hooks.example/secret',
  'http://localhost.example/secret',
  'ftp://hooks.example/secret',
  'https://user:pass@hooks.example/secret',
  'no address, secret',
])('a receiver at %s is refused, in the file and by a variable, and not quoted', (address) => {
  for (const problems of [problemsOf(address), problemsOf('', { HOOK: address })]) {
    expect(problems).not.toEqual([]);
    expect(problems.join()).not.toContain('secret');
  }
});

test.each(['https://hooks.example/secret', 'http://127.0.0.1:8080/', 'http://localhost:8080/'])(
  'one at %s is taken',
  (address) => {
    expect([problemsOf(address), problemsOf('', { HOOK: address })]).toEqual([[], []]);
  },
);

const NOTICE: Notice = {
  kind: 'personNeeded',
  account: 'a',
  workflowType: 'convertLead',
  workflowId: 'w',
  runId: 'r',
  nth: 1,
};

describe('a receiver that answers', () => {
  let asked: string[] = [];
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const isHook = request.url === '/hook';
      response.writeHead(isHook ? 307 : 204, isHook ? { location: '/elsewhere' } : {}).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const to = (path: string) => ({ url: `${url}${path}`, format: 'standard', kinds: ['personNeeded'] }) as const;

  test('with a redirect has not got the notice, and where it points to gets nothing', async () => {
    const sent = deliver(to('/hook'), NOTICE, undefined);
    await expect(sent).rejects.toThrow(NotDelivered);
    await expect(sent).rejects.not.toThrow(/127\.0\.0\.1/);
    expect(asked).toEqual(['/hook']);
  });

  test('with 204 has it', async () => {
    await deliver(to('/there'), NOTICE, undefined);
    expect(asked).toEqual(['/there']);
  });
});
