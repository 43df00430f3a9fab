/** The database: made by the step of docker-compose.yml, taken over from an earlier server, and nothing lost by repeating it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { service } from '../deploy/support';
import { openProduction, type Production } from './support/production';

/** What the server of docker-compose.yml needs at least. */
const NEWEST = { temporal: '1.19', temporal_visibility: '1.14' };
/** What `temporalio/auto-setup:1.29.1` makes, the image of the compose file before. */
const BEFORE = { temporal: ['1.18', 'temporal'], temporal_visibility: ['1.9', 'visibility'] };

let production: Production;
beforeEach(async () => {
  production = await openProduction({});
});
afterEach(() => production.stop());

const versions = () => {
  const of = (database: string) => production.postgres.ask(database, 'SELECT curr_version FROM schema_version');
  return { temporal: of('temporal'), temporal_visibility: of('temporal_visibility') };
};
const namespaces = () => production.postgres.ask('temporal', 'SELECT name FROM namespaces ORDER BY name');

/** The step, with the same tool, as far as it went then. */
const asBefore = () => ({
  ...service('temporal-schema'),
  command: [
    [
      'SQL_PASSWORD="$$(cat /run/secrets/postgres_password)"; export SQL_PASSWORD',
      ...Object.entries(BEFORE).flatMap(([database, [version, schema]]) => [
        `temporal-sql-tool --database ${database} create`,
        `temporal-sql-tool --database ${database} setup-schema --version 0.0`,
        `temporal-sql-tool --database ${database} update-schema --schema-name postgresql/v12/${schema} --version ${version}`,
      ]),
    ].join('\n'),
  ],
});

test('an empty database is set up; to do it again changes nothing; S4: the password is in no output and in no log', async () => {
  const said = [await production.step('temporal-schema')];
  expect(versions()).toEqual(NEWEST);
  const history = () => production.postgres.ask('temporal', 'SELECT count(*) FROM schema_update_history');
  const before = history();
  await production.server.start();
  said.push(await production.step('temporal-namespace'));
  expect(namespaces()).toBe('default\ntemporal-system');
  for (const step of ['temporal-schema', 'temporal-namespace']) said.push(await production.step(step));
  expect([versions(), history(), namespaces()]).toEqual([NEWEST, before, 'default\ntemporal-system']);

  const password = readFileSync(join(production.secrets, 'postgres_password'), 'utf8').trim();
  const log = readFileSync(join(production.folder, 'temporal.log'), 'utf8');
  for (const text of [...said, log]) {
    expect(text).not.toBe('');
    expect(text).not.toContain(password);
  }
});

test('the database of the image auto-setup 1.29.1 is brought to the version of the server, which then starts', async () => {
  const { argv, env } = production.natively('temporal-schema', asBefore());
  const [program = '', ...args] = argv;
  execFileSync(program, args, { env, stdio: 'pipe' });
  expect(versions()).toEqual({ temporal: '1.18', temporal_visibility: '1.9' });
  await production.step('temporal-schema');
  expect(versions()).toEqual(NEWEST);
  await production.server.start();
  await production.step('temporal-namespace');
  expect(namespaces()).toBe('default\ntemporal-system');
});
