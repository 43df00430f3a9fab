/** Everything that the commands listen on, attacked as a web page in a browser on this machine could. */

import { connectClient } from '../../src/temporal/connect';
import { sandboxOf } from '../sandbox/helpers';
import { ANSWER_MS, attacksOn, type Listener, listenersOf, sendRaw } from '../support/listeners';
import { startTestTemporal, type TestTemporal, temporalEnv } from '../support/temporal';
import { type Cli, cliFolder } from './cli';

const folders: ReturnType<typeof cliFolder>[] = [];
const folder = () => {
  const one = cliFolder();
  folders.push(one);
  return one;
};
let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal();
});
afterEach(() => Promise.all(folders.splice(0).map((one) => one.close())));
afterAll(() => temporal.close());

const START = '/api/v1/namespaces/default/workflows/from-a-page';
const WORKFLOW = JSON.stringify({ workflowType: { name: 'leadPipeline' }, taskQueue: { name: 'audit-runner' } });
/** What would start a run, spend at the service, or change the sandbox. */
const TARGETS: readonly (readonly [method: string, target: string, body?: string])[] = [
  ['POST', START, WORKFLOW],
  ['GET', '/api/v1/namespaces/default/workflows'],
  ['GET', '/'],
  ['DELETE', '/api/projects/x'],
  ['POST', '/setCredits', '{"credits": 5}'],
  ['POST', '/clearFaults'],
  ['GET', '/stats'],
];
const isHidden = ({ address }: Listener) => address.startsWith('127.') && address !== '127.0.0.1';

interface Seen {
  http: number;
  metrics: number;
  hidden: number;
  other: number;
}

/** @returns how many of each kind there are; what gets through is in the failure. */
async function attack({ pid }: Cli): Promise<Seen> {
  const seen: Seen = { http: 0, metrics: 0, hidden: 0, other: 0 };
  const through: string[] = [];
  // Side by side: what speaks another protocol says nothing until the patience of who asks is over.
  const one = async (listener: Listener) => {
    const headers = [['Host', `127.0.0.1:${listener.port}`]] as const;
    const [own, metrics] = await Promise.all(['/', '/metrics'].map((target) => sendRaw(listener, { target, headers })));
    if (isHidden(listener)) seen.hidden++;
    // Of the Temporal server and of the SDK: names and numbers, which nothing changes.
    else if (metrics?.text.includes('# TYPE ')) {
      seen.metrics++;
      expect(metrics.text).not.toMatch(/aky_|@example\.com/);
    } else if (own?.status === 0) seen.other++;
    else {
      seen.http++;
      const all = TARGETS.flatMap(([method, target, body]) =>
        [...attacksOn(listener, target, method, body)].map(async ([name, request]) => {
          const { status, text } = await sendRaw(listener, request, ANSWER_MS);
          if (!(status >= 400 && status < 500) || /set-cookie|access-control-allow/i.test(text))
            through.push(`${listener.port} ${method} ${target}, ${name}: ${text.slice(0, 300)}`);
        }),
      );
      await Promise.all(all);
    }
  };
  await Promise.all(listenersOf(pid).map(one));
  expect(through).toEqual([]);
  return seen;
}

/** The Web UI answers itself, and nothing runs in the namespace that a page could have started. */
async function untouched(cli: Cli): Promise<void> {
  const [, ui = ''] = /(?:Web UI +|Web UI at )(http:\/\/\S+)/.exec(`${cli.stdout}${cli.stderr}`) ?? [];
  expect(new URL(ui).hostname).toBe('127.0.0.1');
  expect((await fetch(ui)).status).toBe(200);
  const [, address = ''] =
    /(?:Temporal +|Temporal server \S+ at )(127\.0\.0\.1:\d+)/.exec(`${cli.stdout}${cli.stderr}`) ?? [];
  const { client, close } = await connectClient({ config: { address, namespace: 'default' } });
  await expect(client.workflow.getHandle('from-a-page').describe()).rejects.toThrow(/not found/i);
  await close();
}

test('dev: its Temporal server, its Web UI and its sandbox take nothing from pages', async () => {
  const cli = folder().start(['dev', '--leads', '5']);
  await cli.said('Ctrl-C ends everything');
  // The HTTP API, the proxy before the Web UI, the sandbox and its control surface.
  expect(await attack(cli)).toMatchObject({ http: 4, hidden: 1, metrics: 1 });
  await untouched(cli);
  const [, control = ''] = /sandbox stats +(http:\/\/\S+)\/stats/.exec(cli.stdout) ?? [];
  expect(await (await fetch(`${control}/credits`)).json()).not.toEqual({ credits: 5 });
});

test('dev --real: the Web UI that starts runs for real accounts takes nothing from pages', async () => {
  const { baseUrl, token } = await sandboxOf();
  const cli = folder().start(['dev', '--real'], { AGENT_API_BASE_URL: baseUrl, AGENT_API_TOKEN: token });
  await cli.said('Ctrl-C ends everything');
  expect(await attack(cli)).toMatchObject({ http: 2, hidden: 1, metrics: 1 });
  await untouched(cli);
});

test('demo', async () => {
  const cli = folder().start(['demo', '--speed', '60', '--keep']);
  await cli.said('Pipeline ');
  expect(await attack(cli)).toMatchObject({ http: 4, hidden: 1, metrics: 1 });
  await untouched(cli);
});

test('sandbox', async () => {
  const cli = folder().start(['sandbox', '--leads', '5']);
  await cli.said('Use it:');
  expect(await attack(cli)).toEqual({ http: 2, hidden: 0, metrics: 0, other: 0 });
});

test('worker: it listens on nothing but the metrics that it is told to offer', async () => {
  const { baseUrl, token } = await sandboxOf();
  const env = { AGENT_API_BASE_URL: baseUrl, AGENT_API_TOKEN: token, ...temporalEnv(temporal.config) };
  const silent = folder().start(['worker'], env);
  await silent.said('worker is running');
  expect(listenersOf(silent.pid)).toEqual([]);
  const measured = folder().start(['worker'], { ...env, AUDIT_RUNNER_METRICS_ADDRESS: '127.0.0.1:0' });
  await measured.said('worker is running');
  expect(await attack(measured)).toEqual({ http: 0, hidden: 0, metrics: 1, other: 0 });
});
