/** S3: the budget in the configuration file is in force without a restart, and a file that cannot be used changes nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { accountOf, loadConfig, watchCeilings } from '../src/config';
import { until } from './support/until';

let cwd: string;
let warnings: string[];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ceilings-'));
  warnings = [];
  writeFileSync(join(cwd, 'token'), `aky_${'a'.repeat(32)}`);
});
afterEach(() => rmSync(cwd, { recursive: true }));

const NONE = { perRun: null, perMonth: null };
const write = (budget: string) =>
  writeFileSync(
    join(cwd, 'audit-runner.yaml'),
    `accounts: { main: { baseUrl: 'http://127.0.0.1:1', tokenFile: token${budget} } }`,
  );

/** What the file says of `main` now. */
function watch(budget: string) {
  write(budget);
  const config = loadConfig({ env: {}, cwd });
  const log = pino({ level: 'warn' }, { write: (line: string) => warnings.push(line) });
  const ceilings = watchCeilings(config, log);
  return () => ceilings(accountOf(config, 'main'));
}

test('a lower cap and a higher floor are in force at once, looser ones when the file has stayed the same for a while', async () => {
  const now = watch(', budget: { perDay: 20000, balanceFloor: 10 }');
  expect(now().budget).toEqual({ ...NONE, perDay: 20_000, balanceFloor: 10 });
  write(', budget: { perDay: 12000, balanceFloor: 500, perRun: 7000, perMonth: 90000 }');
  const stricter = { perDay: 12_000, balanceFloor: 500, perRun: 7_000, perMonth: 90_000 };
  expect(now().budget).toEqual(stricter);
  write(', timeZone: Europe/Berlin, budget: { perDay: 30000 }');
  expect(now()).toEqual({ budget: stricter, timeZone: 'UTC' });
  await until(() => now().budget.perDay === 30_000);
  expect(now()).toEqual({ budget: { ...NONE, perDay: 30_000, balanceFloor: 0 }, timeZone: 'Europe/Berlin' });
  write('');
  expect(now().budget.perDay).toBe(30_000);
  await until(() => now().budget.perDay === null);
});

test.each([
  ['is no YAML', '{{{'],
  ['is half written', 'accounts: { main: { baseUrl: '],
  [
    'has a wrong value',
    `accounts: { main: { baseUrl: 'http://127.0.0.1:1', tokenFile: token, budget: { perDay: -1 } } }`,
  ],
  ['is empty', ''],
  ['lacks the account', `accounts: { other: { baseUrl: 'http://127.0.0.1:1', tokenFile: token } }`],
  ['is gone', undefined],
])('a file that %s leaves the last budget in force, and is said once', (_, text) => {
  const now = watch(', budget: { perDay: 20000 }');
  now();
  const file = join(cwd, 'audit-runner.yaml');
  if (text === undefined) rmSync(file);
  else writeFileSync(file, text);
  for (let times = 0; times < 3; times++) expect(now().budget.perDay).toBe(20_000);
  expect(warnings).toHaveLength(1);
  write(', budget: { perDay: 100 }');
  expect(now().budget.perDay).toBe(100);
});
