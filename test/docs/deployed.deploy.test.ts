/**
 * What administrators.md tells people to type to deploy, back up and restore, typed in a folder of its own. There is no
 * Docker where tests run: `fake-docker.sh` takes its place. So it is not seen that images are built, that containers start,
 * and what `pg_dumpall` and `psql` make of the database.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config';
import { encryptionKeyIds } from '../../src/temporal/encryption';
import { packageRoot } from '../../src/temporal/package-root';
import { untestedServer } from '../../src/temporal/tested-servers';
import { run, testWith } from '../deploy/support';
import { commands } from '../reference/commands';
import { blocks, sectionOf, textOf, withoutIndent } from './documents';
import { commandsOf, typedBy, typistsOf } from './typed';

const SELF = 'docs/deployed.deploy.test.ts';
const text = textOf('docs/administrators.md');
const TOKEN = 'aky_0123456789abcdefghijABCDEFGHIJ01';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-runner-deployed-'));
  mkdirSync(join(folder, 'bin'));
  cpSync(join(__dirname, 'fake-docker.sh'), join(folder, 'bin', 'docker'));
  mkdirSync(join(folder, 'data', 'books'), { recursive: true });
  writeFileSync(join(folder, 'data', 'books', '1.json'), 'an entry');
  writeFileSync(join(folder, 'database'), 'a dump');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The blocks of a section that are typed here, as they stand. */
const blocksOf = (heading: string): string[] =>
  blocks(sectionOf(text, heading), 'sh')
    .map((block) => withoutIndent(block, (/^ */.exec(block)?.[0] ?? '').length))
    .filter((block) => commandsOf(block).every((command) => typistsOf(command).some(({ by }) => by === SELF)));

/** With what a reader puts in the place of what a document leaves open. */
const filled = (block: string) => block.replaceAll('https://…', 'https://api.example.com');

const noted = (): string[] => readFileSync(join(folder, 'noted'), 'utf8').trim().split('\n');
const typedBefore: string[] = [];

/** Types a block into a shell, in a project. */
function type(project: string, block: string): string {
  const env = {
    ...{ PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder, CHECKOUT: packageRoot() },
    ...{ NOTED: join(folder, 'noted'), DATA: join(folder, 'data'), DATABASE: join(folder, 'database') },
  };
  const options = { cwd: join(folder, project), env, input: `${TOKEN}\n`, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', filled(block)], options);
  expect({ block, status, stderr }).toEqual({ block, status: 0, stderr: '' });
  typedBefore.push(...commandsOf(block));
  return stdout;
}

/** What docker-compose makes of the files of a project. */
const configuredIn = (project: string, ...flags: string[]) =>
  parse(run('docker-compose', [...flags, 'config'], { cwd: join(folder, project) }).output);
const configOf = (project: string, ...flags: string[]) => configuredIn(project, ...flags).services;

const DEPLOYED = ['docker-compose.yml', 'deploy'];
const [ofPackage = '', inCheckout = '', override = '', ...others] = blocksOf('## Deploy');

/** What is in a folder of secrets is readable in the containers, and the folder by its owner alone. */
function secretsOf(project: string): string[] {
  const secrets = join(folder, project, 'deploy', 'secrets');
  expect((statSync(secrets).mode & 0o777).toString(8)).toBe('700');
  return ['agent-api-token', 'postgres-password'].map((name) => {
    expect((statSync(join(secrets, name)).mode & 0o777).toString(8)).toBe('644');
    return readFileSync(join(secrets, name), 'utf8').trim();
  });
}

testWith('docker-compose')('a checkout is deployed, and given a configuration file', () => {
  mkdirSync(join(folder, 'checkout'));
  for (const name of DEPLOYED) cpSync(join(packageRoot(), name), join(folder, 'checkout', name), { recursive: true });
  type('checkout', inCheckout);
  expect(secretsOf('checkout')).toEqual([TOKEN, expect.stringMatching(/^[0-9a-f]{48}$/)]);
  type('checkout', override);
  const { environment, volumes } = configOf('checkout').worker;
  expect(environment).toMatchObject({
    AGENT_API_BASE_URL: 'https://api.example.com',
    AUDIT_RUNNER_CONFIG: '/etc/audit-runner/audit-runner.yaml',
  });
  expect(volumes).toContainEqual(expect.stringMatching(/\/checkout\/config:\/etc\/audit-runner:ro$/));
  for (const block of others) type('checkout', block);
  // Commands in a container are those of this program.
  const named = noted().flatMap((line) => /node bin\/audit-runner\.js (\S+)/.exec(line)?.[1] ?? []);
  expect(named).toEqual(['doctor', 'run']);
  const known = commands().map(({ name }) => name.split(' ')[1]);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

testWith('docker-compose')('so is a project that has installed the package', () => {
  const installed = join(folder, 'project', 'node_modules', 'audit-runner');
  mkdirSync(installed, { recursive: true });
  // What the package leaves out.
  const filter = (from: string) => !from.includes(join('deploy', 'secrets'));
  for (const name of DEPLOYED) cpSync(join(packageRoot(), name), join(installed, name), { recursive: true, filter });
  type('project', ofPackage);
  type('project', inCheckout);
  expect(secretsOf('project')).toHaveLength(2);
  expect(readFileSync(join(folder, 'project', 'deploy', 'secrets', '.gitignore'), 'utf8')).toBe('*\n');
  const { dockerfile } = configOf('project').worker.build;
  expect(existsSync(join(folder, 'project', dockerfile))).toBe(true);
});

testWith('docker-compose')('TLS leaves the worker its configuration file', () => {
  const [yaml = ''] = blocks(sectionOf(text, '### TLS'), 'yaml');
  writeFileSync(join(folder, 'checkout', 'docker-compose.tls.yml'), yaml);
  const [block = ''] = blocksOf('### TLS');
  type('checkout', block);
  const { environment, volumes } = configOf('checkout').worker;
  expect(environment).toMatchObject({
    AUDIT_RUNNER_CONFIG: '/etc/audit-runner/audit-runner.yaml',
    TEMPORAL_TLS_CLIENT_CERT_PATH: '/run/tls/client.pem',
  });
  expect(volumes.map((volume: string) => volume.split(':')[1]).sort()).toEqual([
    '/data',
    '/etc/audit-runner',
    '/run/tls',
  ]);
});

testWith('docker-compose')('the codec server gets a secret, and the Web UI its address', () => {
  const [key = '', inFile = ''] = blocksOf('## Encrypt');
  expect(encryptionKeyIds({ AUDIT_RUNNER_ENCRYPTION_KEY: type('checkout', key).trim() })).toHaveLength(1);
  type('checkout', inFile);
  const [codec = ''] = blocksOf('### Read encrypted runs');
  type('checkout', codec);
  const { services, secrets } = configuredIn('checkout', '--profile', 'codec');
  const textOfSecret = (name: string) => readFileSync(secrets[name].file, 'utf8').trim();
  expect(encryptionKeyIds({ AUDIT_RUNNER_ENCRYPTION_KEY: textOfSecret('encryption_key') })).toHaveLength(1);
  expect(textOfSecret('codec_secret')).toMatch(/^[0-9a-f]{48}$/);
  const given = (service: string) => services[service].secrets.map(({ source }: { source: string }) => source).sort();
  expect([given('codec-server'), given('temporal-ui')]).toEqual([['codec_secret', 'encryption_key'], ['codec_secret']]);
  expect(services['temporal-ui'].environment.CODEC_ADDRESS).toBe('http://127.0.0.1:8234');
});

testWith('docker-compose')(
  'a project of 0.2 gets a server in between and its key in a file, and is checked before it is brought out',
  () => {
    mkdirSync(join(folder, 'earlier'));
    for (const name of DEPLOYED) cpSync(join(packageRoot(), name), join(folder, 'earlier', name), { recursive: true });
    writeFileSync(join(folder, 'earlier', '.env'), 'AUDIT_RUNNER_HOLD_PATCHES=true\n');
    const [check = ''] = blocksOf('## Upgrade');
    type('earlier', check);
    expect(noted().slice(-2)).toEqual(['build worker', 'run --rm --no-deps worker deploy check']);
    expect(commands().map(({ name }) => name)).toContain('audit-runner deploy check');
    for (const block of blocksOf('### From the compose file of version 0.2')) type('earlier', block);
    const { services, secrets } = configuredIn('earlier');
    expect(services.temporal.image).toMatch(/:1\.30\.9$/);
    expect(services.worker.environment.AUDIT_RUNNER_HOLD_PATCHES).toBe('true');
    expect(readFileSync(secrets.encryption_key.file, 'utf8').trim()).toBe(TOKEN);
  },
);

testWith('docker-compose')('the Temporal server is brought to a version in between', () => {
  const [block = ''] = blocksOf('### The Temporal server of the compose file');
  const imagesOf = () =>
    ['temporal', 'temporal-schema'].map((name) => configOf('checkout')[name].image.replace(/^.*:/, ''));
  const newest = imagesOf();
  type('checkout', block);
  expect(imagesOf()).toEqual(['1.30.9', '1.30.9']);
  expect(new Set(newest).size).toBe(1);
  expect(untestedServer(newest[0])).toBeUndefined();
});

testWith('docker-compose')('what is backed up is restored', () => {
  const [database = '', storage = '', restore = ''] = blocksOf('## Back up and restore');
  type('checkout', database);
  type('checkout', storage);
  rmSync(join(folder, 'data', 'books'), { recursive: true });
  writeFileSync(join(folder, 'database'), '');
  type('checkout', restore);
  expect(readFileSync(join(folder, 'data', 'books', '1.json'), 'utf8')).toBe('an entry');
  expect(readFileSync(join(folder, 'database'), 'utf8')).toBe('a dump');
});

testWith('docker-compose')('a service or an option that is not there is refused', () => {
  const refused = (command: string) => () => type('checkout', command);
  expect(refused('docker compose exec postgre true')).toThrow('there is no service postgre');
  expect(refused('docker compose up --detached')).toThrow('up has no --detached');
});

testWith('docker-compose')('with the variables of the environment, each of these commands was typed', () => {
  const exported = typedBy(SELF).filter(({ command }) => command.startsWith('export '));
  mkdirSync(join(folder, '.config'));
  writeFileSync(join(folder, '.config', 'agent-api-token'), TOKEN);
  const lines = type('checkout', [...exported.map(({ command }) => command), 'env'].join('\n')).split('\n');
  const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s)));
  const { accounts, storageUrl } = loadConfig({ env, cwd: folder });
  expect(accounts.default?.baseUrl).toBe('https://api.example.com');
  expect(storageUrl).toBe('s3://bucket/prefix?endpoint=http://127.0.0.1:9000');

  const left = typedBy(SELF).filter(({ command }) => !typedBefore.includes(command));
  expect(left).toEqual([]);
});
