/**
 * The production of docker-compose.yml, without containers: PostgreSQL, the Temporal server with the file's own variables and
 * settings, TLS with certificates of clients, an encrypted namespace with two workers, a codec server, the sandbox. In the
 * middle of everything a worker, the Temporal server and PostgreSQL are killed and started again.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { freePort } from '../../src/dev-server/free-port';
import { statusQuery } from '../../src/ledger/messages';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { type Connected, connectClient, connectionConfig } from '../../src/temporal/connect';
import { ledgerId } from '../../src/temporal/ledger-id';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { auditProject, type backfill, ingestCapture, leadPipeline } from '../../workflows';
import { cliFolder } from '../cli/cli';
import { WorkerProcess } from '../e2e/support/worker-process';
import { QUICK } from '../support/stage';
import { withWhatRunsSay } from '../support/told';
import { until } from '../support/until';
import { type Production, startProduction } from './support/production';
import { makeCertificates, tlsOverride } from './support/tls';

const LIMIT_MS = 600_000;
const CODEC_SECRET = randomBytes(24).toString('hex');
/** What must not be readable in the database. */
const SECRET_WORDS = 'the flood in the archive';
const PIPELINE = { leads: 5, concurrency: 2 };
const BATCH = { leads: 10, window: 3 };

const cli = cliFolder();
const tls = join(cli.folder, 'tls');
const storage = join(cli.folder, 'storage');
const processes: WorkerProcess[] = [];
let production: Production;
let sandbox: Sandbox;
let temporal: Connected;
/** Of the service `worker`, and so of every command in its container. */
let env: Record<string, string>;
let codecPort: number;

/** The secrets of the compose file, and the configuration that its override mounts. */
function configure(): void {
  const secrets = { agent_api_token: sandbox.token, codec_secret: CODEC_SECRET, aws_credentials: '' };
  const all = { ...secrets, encryption_key: randomBytes(32).toString('base64') };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(production.secrets, name), text, { mode: 0o600 });
  const account = { baseUrl: sandbox.baseUrl, tokenFile: join(production.secrets, 'agent_api_token'), ...QUICK };
  const timing = { ...QUICK.timing, sendWindowMs: 5_000, paidTimeoutMs: 10_000 };
  const file = join(cli.folder, 'audit-runner.yaml');
  writeFileSync(file, stringify({ accounts: { default: { ...account, timing, budget: { perDay: 1_000_000 } } } }));
  env = { ...production.natively('worker').env, AUDIT_RUNNER_CONFIG: file, NO_COLOR: '1' };
}

async function start(says: string, ...made: ConstructorParameters<typeof WorkerProcess>): Promise<WorkerProcess> {
  const started = new WorkerProcess(...made);
  processes.push(started);
  await started.said(says);
  return started;
}
const startWorker = () => start('account is ready', env);

const run = (...args: string[]) => cli.run(args, env);
const stats = () => sandbox.control.stats();
const sent = () => stats().requests.byRoute['leads.convert'] ?? 0;
/** The next conversions take a while: they are under way when something is killed. */
const linger = (times: number) =>
  sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 1_500, times });

interface Results {
  pipeline: unknown;
  audit: unknown;
  note: unknown;
  batch: unknown;
}

/** Everything at once, with one after the other of what it needs killed while conversions are under way. */
async function play(worker: WorkerProcess): Promise<Results> {
  const { client } = temporal;
  const leads = sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  const surveyLink = leads[0]?.staticSlugId;
  const others = leads.filter(({ staticSlugId }) => staticSlugId !== surveyLink).slice(0, BATCH.leads);
  writeFileSync(join(storage, 'leads.csv'), `leadId\n${others.map(({ id }) => id).join('\n')}\n`);
  writeFileSync(join(storage, 'orders.txt'), 'Orders come by fax.');
  const taskQueue = WORKFLOW_QUEUE;
  const scoring = { minReadiness: 0 };
  linger(3);
  const pipeline = await client.workflow.start(leadPipeline, {
    ...{ taskQueue, workflowId: 'pipeline' },
    args: [{ surveyLink, maxConversions: PIPELINE.leads, concurrency: PIPELINE.concurrency, scoring }],
  });
  const audit = await client.workflow.start(auditProject, {
    ...{ taskQueue, workflowId: 'audit' },
    args: [{ project: { clientName: 'Harbour Logistics' }, documents: ['orders.txt'], prerequisitesDeadline: '5m' }],
  });
  const note = await client.workflow.start(ingestCapture, {
    ...{ taskQueue, workflowId: 'note' },
    args: [{ note: `Write about ${SECRET_WORDS}.` }],
  });
  const input = { operation: 'convertLead', file: { ref: 'leads.csv' }, window: BATCH.window, maxCredits: 100_000 };
  const detached = await run('backfill', 'start', '--detach', '--json', '--input', JSON.stringify(input));
  const { workflowId } = z.object({ workflowId: z.string() }).parse(JSON.parse(detached.stdout));

  await until(() => sent() >= 2);
  await worker.kill();
  await startWorker();

  linger(2);
  await until(() => sent() >= 7);
  await production.server.kill();
  await production.server.start();

  linger(2);
  await until(() => sent() >= 11);
  await production.postgres.server.kill();
  await production.postgres.server.start();

  return {
    pipeline: await pipeline.result(),
    audit: await audit.result(),
    note: await note.result(),
    batch: await client.workflow.getHandle<typeof backfill>(workflowId).result(),
  };
}

let results: Results;
beforeAll(async () => {
  makeCertificates(tls);
  mkdirSync(storage);
  [production, sandbox, codecPort] = await Promise.all([
    startProduction({
      override: tlsOverride(),
      // Two workers would want the same port for their metrics; what listens does so on this machine alone.
      paths: { '/run/tls': tls, 'file:///data': `file://${storage}`, '0.0.0.0:9464': '', '0.0.0.0': '127.0.0.1' },
    }),
    startSandbox({
      ...{ leads: 80, projects: 0, captures: 0, credits: 100_000, limits: 'off', convertCheck: 'atArrival' },
      durations: { convert: 50, upload: 0, audit: 100, extraction: 50, documentAnalysis: 0, interviewAnalysis: 0 },
    }),
    freePort(),
  ]);
  configure();
  temporal = await connectClient({ config: connectionConfig({ env }), env });
  const codec = production.natively('codec-server');
  const [worker] = await Promise.all([
    startWorker(),
    startWorker(),
    start('may ask', codec.env, [...codec.argv, '--port', String(codecPort)]),
  ]);
  try {
    results = await play(worker);
  } catch (error) {
    throw await withWhatRunsSay(temporal.client, error);
  }
}, LIMIT_MS);

afterAll(async () => {
  await Promise.all(processes.map((one) => one.kill()));
  await temporal?.close();
  await cli.close();
  await sandbox?.close();
  await production?.stop();
});

test('S6: everything ends as it should, whatever was killed meanwhile', () => {
  expect(results).toMatchObject({
    pipeline: { ended: 'done', counts: { converted: PIPELINE.leads } },
    audit: { outcome: 'audited', projectId: expect.any(String) },
    note: { outcome: 'processed', captureId: expect.any(String) },
    batch: { ended: 'done', items: BATCH.leads, counts: { done: BATCH.leads } },
  });
});

test('S1, S2, S8: nobody paid twice, and service, ledger and books agree', async () => {
  const { paidTwice, paidOverlapping, conversions, creditsSpent } = stats();
  const paid = PIPELINE.leads + BATCH.leads;
  expect({ paidTwice, paidOverlapping, conversions }).toEqual({
    paidTwice: [],
    paidOverlapping: [],
    conversions: paid,
  });
  // And one project.
  const spent = (paid + 1) * 1_000;
  expect(creditsSpent[sandbox.userId]).toBe(spent);
  const ledger = temporal.client.workflow.getHandle(ledgerId(sandbox.userId));
  await until(async () => (await ledger.query(statusQuery).catch(() => undefined))?.spentToday === spent);
  expect(await run('books', 'verify')).toMatchObject({ code: 0 });
  const shown = await run('books', 'show', '--json');
  expect(shown.stdout).toContain(String(spent));
});

test('doctor has nothing to mend', async () => {
  const { stdout } = await run('doctor', '--json');
  const Checks = z.object({ checks: z.array(z.object({ name: z.string(), state: z.string(), found: z.string() })) });
  const { checks } = Checks.parse(JSON.parse(stdout));
  expect(checks.filter(({ state }) => state !== 'ok')).toEqual([]);
  const found = (name: string) => checks.find((check) => check.name === name)?.found;
  expect(found('encryption')).toMatch(/^on, with the key /);
  expect(found('matching settings')).toMatch(/^1 partition/);
});

test('only those who have a certificate are let in', async () => {
  const { TEMPORAL_TLS_CLIENT_CERT_PATH: certificate, TEMPORAL_TLS_CLIENT_KEY_PATH: key, ...stranger } = env;
  expect([certificate, key]).toEqual([join(tls, 'client.pem'), join(tls, 'client.key')]);
  expect(await run('status', '--json')).toMatchObject({ code: 0 });
  const refused = await cli.run(['status', '--json'], stranger);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining(production.address) });
});

test('S4: what runs were given cannot be read in the database, and can with the codec server', async () => {
  const inDatabase = (words: string) =>
    Number(
      production.postgres.ask(
        'temporal',
        `SELECT count(*) FROM history_node WHERE position('${words}'::bytea IN data) > 0`,
      ),
    );
  // What is not hidden is found.
  expect(inDatabase('ingestCapture')).toBeGreaterThan(0);
  expect(inDatabase(SECRET_WORDS)).toBe(0);

  /** What the stock command shows of the run's history: all payloads, which it writes in base64. */
  const shown = async (...options: string[]) => {
    const { stdout } = await cli.startProgram(
      'temporal',
      ['workflow', 'show', '--workflow-id', 'note', '--output', 'json', ...options],
      production.natively('temporal-namespace').env,
    ).ended;
    return [...stdout.matchAll(/"data": "([^"]+)"/g)].map(([, data = '']) => Buffer.from(data, 'base64').toString());
  };
  const having = (payloads: readonly string[]) => payloads.filter((text) => text.includes(SECRET_WORDS));
  const endpoint = (secret: string) => ['--codec-endpoint', `http://127.0.0.1:${codecPort}/${secret}`];
  const encrypted = await shown();
  expect([encrypted.length > 10, having(encrypted)]).toEqual([true, []]);
  expect(having(await shown(...endpoint(CODEC_SECRET)))).not.toEqual([]);
  expect(having(await shown(...endpoint('a-secret-of-somebody-else')))).toEqual([]);
});
