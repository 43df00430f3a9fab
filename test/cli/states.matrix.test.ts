/** Every command against every state of the world around it: a sentence with the address and the mend, never a stack. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../../src/dev-server/free-port';
import { newNamespace, temporalEnv, testServer } from '../support/temporal';
import { cliFolder, type Ended } from './cli';
import { answers, blackHole, garbage, type World } from './worlds';

const cli = cliFolder();
const TOKEN = `aky_${'s'.repeat(32)}`;
const BASE_URL = 'http://127.0.0.1:1';

const CONFIG = {
  accounts: { default: { baseUrl: BASE_URL, tokenFile: 'token' } },
  pipelines: { sweep: { workflow: 'captureSweep', every: '1h' } },
};

/** What a command does in a namespace that nothing has prepared. */
interface Fresh {
  code: number;
  says: string;
  /** It goes on until it is interrupted, after it has said this. */
  until?: string;
}

const lead = '{"leadId": "11111111-1111-4111-8111-111111111111"}';
const FROM_TO = ['--from', '2d', '--to', '1d'];
const noRun = { code: 2, says: 'no run with the ID x' };
const UNPREPARED = { code: 4, says: 'run `npx audit-runner setup`' };
const noSchedule = { code: 2, says: "there is no schedule of a pipeline 'x'" };
const interrupted = (says: string) => ({ code: 130, says, until: 'Run call-api' });
const detached = (says: string) => ({ code: 0, says: `${says} for account default (${BASE_URL})` });

const COMMANDS: readonly [command: string, args: readonly string[], fresh: Fresh][] = [
  ['run', ['convertLead', '--detach', '--input', lead], detached('Starting convertLead')],
  ['run', ['leadPipeline', '--detach', '--input', '{"dryRun": true}'], detached('spends nothing)')],
  ['run', ['leadPipeline', '--attach', '--id', 'x', '--detach'], noRun],
  ['run', ['leadPipeline', '--attach', '--id', 'x'], noRun],
  ['api', ['contacts.list'], interrupted('the run goes on')],
  [
    'api',
    ['contacts.create', '--input', '{"body": {"name": "A"}}'],
    interrupted(`Calling contacts.create for account default (${BASE_URL})`),
  ],
  [
    'backfill start',
    ['--detach', '--input', '{"operation": "convertLead", "leads": {}}'],
    detached('Starting backfill'),
  ],
  ['backfill redrive', ['x', '--detach'], detached('Starting backfill')],
  ['backfill status', [], { code: 0, says: 'No backfill is under way' }],
  ['backfill status', ['x'], { code: 2, says: 'there is no backfill under way with the ID x' }],
  ['status', [], { code: 4, says: 'run `npx audit-runner setup`' }],
  ['approve', ['x'], noRun],
  ['reject', ['x'], noRun],
  ['pause', ['x'], noRun],
  ['resume', ['x'], noRun],
  ['stop', ['x'], noRun],
  ['answer', ['x', 'decide'], noRun],
  ['cancel', ['x'], noRun],
  ['change-limits', ['x', '--max-credits', '5'], noRun],
  ['retry-failed', ['x'], noRun],
  ['set-budget', ['default', '--per-day', '5', '--reason', 'x'], UNPREPARED],
  ['hold', ['default', '--reason', 'x'], UNPREPARED],
  ['release', ['default', '--reason', 'x'], UNPREPARED],
  ['setup', [], { code: 0, says: 'search attributes  Account' }],
  ['spend', [], { code: 1, says: 'there is no ledger yet' }],
  ['spend', ['--account', 'default'], { code: 4, says: 'run `npx audit-runner setup`' }],
  ['report', [], { code: 1, says: 'there is no ledger yet' }],
  ['report', ['--account', 'default'], { code: 4, says: 'run `npx audit-runner setup`' }],
  ['schedules plan', [], { code: 3, says: 'sweep' }],
  ['schedules apply', [], { code: 0, says: `Applying schedules of runs for account default (${BASE_URL})` }],
  ['schedules list', [], { code: 0, says: 'There are no schedules' }],
  ['schedules pause', ['x'], noSchedule],
  ['schedules resume', ['x'], noSchedule],
  ['schedules trigger', ['x'], noSchedule],
  ['schedules backfill', ['x', ...FROM_TO], noSchedule],
  ['doctor', [], { code: 1, says: 'mend: `npx audit-runner setup` registers them' }],
  ['worker', [], { code: 0, says: '', until: 'worker is running' }],
];

const worlds = new Map<string, World>();
const addressOf = (world: string) => worlds.get(world)?.address ?? '';

beforeAll(async () => {
  writeFileSync(join(cli.folder, 'token'), TOKEN, { mode: 0o600 });
  writeFileSync(join(cli.folder, 'audit-runner.yaml'), stringify(CONFIG));
  worlds.set('nothing listens', { address: `127.0.0.1:${await freePort()}`, close: async () => undefined });
  worlds.set('something else listens', await garbage());
  worlds.set('nobody ever answers', await blackHole());
  worlds.set('everything is refused', await answers(() => [7, 'Request unauthorized.']));
  worlds.set('the namespace is missing', { address: testServer(), close: async () => undefined });
});

afterAll(async () => {
  await cli.close();
  await Promise.all([...worlds.values()].map((world) => world.close()));
});

/** What no command ever says. */
function expectPlain({ stdout, stderr }: Ended): void {
  expect(`${stdout}${stderr}`).not.toMatch(/^\s+at /m);
  expect(`${stdout}${stderr}`).not.toContain(TOKEN);
}

/** Each plays dozens of processes. */
jest.setTimeout(400_000);

const SERVERS: readonly [world: string, found: string, mend: string][] = [
  ['nothing listens', 'no Temporal server answers at', 'start it, or set TEMPORAL_ADDRESS'],
  ['something else listens', 'no Temporal server answers at', 'TEMPORAL_TLS=true where it needs TLS (it is off here)'],
  ['nobody ever answers', 'no Temporal server answers at', 'TEMPORAL_TLS=true where it needs TLS (it is off here)'],
  ['everything is refused', 'refuses us in namespace', 'check TEMPORAL_API_KEY'],
  ['the namespace is missing', "has no namespace 'none'", 'set TEMPORAL_NAMESPACE'],
];

/** One command of each file of `src/cli`. */
const FILES = COMMANDS.filter(([command], n) => {
  const same = COMMANDS.findIndex(([earlier]) => earlier.split(' ')[0] === command.split(' ')[0]);
  return same === n || command === 'schedules list';
});

test.each(SERVERS)('where %s each command says so, with the address and the mend', async (world, found, mend) => {
  const address = addressOf(world);
  const env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'none', NO_COLOR: '1' };
  // All of them where a command could hang; each process takes most of a second of a core.
  const some = world === 'nobody ever answers' ? COMMANDS : FILES;
  // A worker waits for what may come.
  const those = some.filter(([command]) => command !== 'worker' || world === 'everything is refused');
  const ends = await inTurn(those, ([command, args]) => cli.run([...command.split(' '), ...args], env));
  for (const { item, end } of ends) {
    const [command] = item;
    expectPlain(end);
    const isDoctor = command === 'doctor';
    const lines = `${end.stdout}${end.stderr}`.split('\n');
    expect([command, lines.filter((line) => line.includes(found) && line.includes(address))]).toEqual([
      command,
      [expect.any(String)],
    ]);
    expect([command, lines.filter((line) => line.includes(isDoctor ? 'mend: ' : found))]).toEqual([
      command,
      expect.arrayContaining([expect.stringContaining(mend)]),
    ]);
    expect([command, end.code]).toEqual([command, isDoctor ? 1 : 4]);
  }
});

test('where nothing has been prepared each command prepares it, or says what is missing', async () => {
  const ends = await inTurn(COMMANDS, async ([command, args, fresh]) => {
    // One for each: what prepares it must not help another.
    const env = { ...temporalEnv(await newNamespace({ bare: true })), NO_COLOR: '1' };
    const run = cli.start([...command.split(' '), ...args], env);
    if (fresh.until !== undefined) {
      await run.said(fresh.until);
      run.signal('SIGINT');
    }
    return run.ended;
  });
  for (const { item, end } of ends) {
    const [command, , fresh] = item;
    expectPlain(end);
    expect([command, `${end.stdout}${end.stderr}`]).toEqual([command, expect.stringContaining(fresh.says)]);
    expect([command, end.code]).toEqual([command, fresh.code]);
  }
});

test('where nobody may register search attributes they are named, with where to make them', async () => {
  const managed = await answers((path) => {
    if (path.includes('OperatorService')) return [7, 'Request unauthorized.'];
    // What it lacks it takes neither at a start nor in a query.
    if (/Start|CountWorkflow/.test(path))
      return [3, 'Namespace none has no mapping defined for search attribute Account'];
    if (path.includes('DescribeSchedule')) return [5, 'schedule not found'];
    // An older server: it has no limits of queues to wait for.
    return path.includes('UpdateTaskQueueConfig') ? [12, 'unknown method'] : undefined;
  });
  try {
    const env = { TEMPORAL_ADDRESS: managed.address, TEMPORAL_NAMESPACE: 'none' };
    for (const args of [['run', 'convertLead', '--input', lead], ['setup']]) {
      const end = await cli.run(args, env);
      expectPlain(end);
      expect(end.stderr).toContain(
        "in namespace 'none' until its settings have these: Account (Keyword), LeadId (Keyword)",
      );
      expect(end.code).toBe(4);
    }
  } finally {
    await managed.close();
  }
});

/** Processes at once: they wait more than they work. */
const AT_ONCE = 10;

/** Runs it for all, a few at a time; in their order. */
async function inTurn<T>(items: readonly T[], run: (item: T) => Promise<Ended>): Promise<{ item: T; end: Ended }[]> {
  const ends: { item: T; end: Ended }[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [n, item] of left) ends[n] = { item, end: await run(item) };
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return ends;
}
