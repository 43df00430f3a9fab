import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../../src/config';
import { DYNAMIC_CONFIG } from '../../src/dev-server/server-process';
import { startSandbox } from '../../src/sandbox';
import { programOf } from '../../src/text/command';
import { compose, ROOT, read, run, type Service, service, testWith } from './support';

const DYNAMIC_CONFIG_FILE = './deploy/temporal-dynamic-config.yaml';
const SANDBOX_TOKEN = path.join(ROOT, 'deploy', 'sandbox-token');

/** Each setting once, for everything: what `--dynamic-config-value name=value` says to the dev server. */
const DynamicConfig = z.record(
  z.string(),
  z.tuple([z.strictObject({ value: z.union([z.number(), z.boolean()]), constraints: z.strictObject({}) })]),
);

const services = () => Object.entries(compose().services);
const workers = () => [service('worker'), service('sandbox-worker')];

/** The service's environment as it is with no variable set outside, and with a token file that is on this machine. */
const environment = ({ environment: written }: Service): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(written).map(([name, value]) => [name, value.replace(/\$\{\w+:-([^}]*)\}/g, '$1')]),
  ),
  AGENT_API_TOKEN_FILE: SANDBOX_TOKEN,
});

describe('the Temporal server of docker-compose', () => {
  test('has the settings that the limits and the ledger need, and no others', () => {
    const settings = DynamicConfig.parse(parse(read(DYNAMIC_CONFIG_FILE)));
    expect(settings).toEqual({
      'matching.numTaskqueueReadPartitions': [{ value: 1, constraints: {} }],
      'matching.numTaskqueueWritePartitions': [{ value: 1, constraints: {} }],
      'matching.useNewMatcher': [{ value: true, constraints: {} }],
      'matching.enableFairness': [{ value: true, constraints: {} }],
      'history.maxInFlightUpdates': [{ value: 1000, constraints: {} }],
    });
  });

  test('has the settings that the dev server has', () => {
    const settings = DynamicConfig.parse(parse(read(DYNAMIC_CONFIG_FILE)));
    const asFlags = Object.entries(settings).map(([name, [{ value }]]) => `${name}=${value}`);
    expect(asFlags.sort()).toEqual([...DYNAMIC_CONFIG].sort());
  });

  test('reads them from where they are mounted', () => {
    const { environment, volumes } = service('temporal');
    expect(volumes).toContain(`${DYNAMIC_CONFIG_FILE}:${environment.DYNAMIC_CONFIG_FILE_PATH}:ro`);
  });

  test('is the version that the limits were measured on', () => {
    expect(service('temporal').image).toBe('temporalio/auto-setup:1.29.1');
  });
});

describe('docker-compose.yml', () => {
  test('publishes ports on this machine alone', () => {
    const ports = services().flatMap(([, { ports }]) => ports);
    expect(ports).not.toEqual([]);
    expect(ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))).toEqual([]);
    expect(services().filter(([, { network_mode }]) => network_mode === 'host')).toEqual([]);
  });

  test('S4: holds no secret: those are files that git ignores, or come from outside', () => {
    const named = services().flatMap(([, { environment }]) => Object.entries(environment));
    const secret = named.filter(([name]) => /PASSWORD|PWD|TOKEN|SECRET|KEY/.test(name));
    expect(secret.map(([name]) => name)).toContain('AGENT_API_TOKEN_FILE');
    const inline = secret.filter(
      ([name, value]) => !(name.endsWith('_FILE') && value.startsWith('/run/secrets/')) && !/^\$\{\w+:-\}$/.test(value),
    );
    expect(inline).toEqual([]);
    expect(read('docker-compose.yml')).not.toMatch(/aky_[0-9A-Za-z]/);

    const { agent_api_token, postgres_password } = compose().secrets;
    for (const file of [agent_api_token?.file, postgres_password?.file])
      expect(run('git', ['check-ignore', file ?? '']).status).toBe(0);
    expect(run('git', ['check-ignore', 'docker-compose.yml']).status).toBe(1);
  });

  test('gives each service only the secrets that it reads', () => {
    const given = services().flatMap(([name, { secrets }]) => secrets.map(({ source }) => `${name}: ${source}`));
    expect(given.sort()).toEqual([
      'postgres: postgres_password',
      'sandbox-worker: sandbox_token',
      'temporal: postgres_password',
      'worker: agent_api_token',
    ]);
  });

  test('S2: stops a worker later than the 6 minutes in which calls in flight are heard out', () => {
    for (const { stop_grace_period } of workers()) {
      const [, minutes] = /^(\d+)m$/.exec(stop_grace_period ?? '') ?? [];
      expect(Number(minutes)).toBeGreaterThan(6);
    }
  });

  test('configures workers as the configuration is read', () => {
    const { accounts, storageUrl } = loadConfig({
      env: { ...environment(service('worker')), AGENT_API_BASE_URL: 'https://api.example.com' },
      cwd: path.join(ROOT, 'deploy'),
    });
    expect(Object.keys(accounts)).toEqual(['default']);
    expect(storageUrl).toBe('file:///data');
    for (const { volumes } of workers()) expect(volumes).toContainEqual(expect.stringMatching(/^[\w-]+:\/data$/));
  });

  test('does not start a worker for nobody knows whom: without a base address it ends with a sentence', () => {
    const env = environment(service('worker'));
    expect(() => loadConfig({ env, cwd: path.join(ROOT, 'deploy') })).toThrow('AGENT_API_BASE_URL is not set');
  });
});

test('each worker tells people commands that can be pasted outside of its container', () => {
  const told = services().flatMap(([name, { environment: set }]) =>
    set.AUDIT_RUNNER_COMMAND === undefined ? [] : [[name, programOf(set.AUDIT_RUNNER_COMMAND, undefined)]],
  );
  expect(told.sort()).toEqual(
    ['sandbox-worker', 'worker'].map((name) => [name, `docker compose exec ${name} node bin/audit-runner.js`]),
  );
});

describe('the codec profile', () => {
  test('decrypts for the Web UI of this machine, with the key of the workers', () => {
    const { command, environment: set, ports } = service('codec-server');
    expect(command).toEqual(expect.arrayContaining(['codec-server', '--encode', 'http://127.0.0.1:8233']));
    expect(set.AUDIT_RUNNER_ENCRYPTION_KEY).toBe(service('worker').environment.AUDIT_RUNNER_ENCRYPTION_KEY);
    expect(ports).toEqual(['127.0.0.1:8234:8234']);
    // What docs/administrators.md puts into .env.
    expect(service('temporal-ui').environment.TEMPORAL_CODEC_ENDPOINT).toMatch(/^\$\{AUDIT_RUNNER_CODEC_ENDPOINT:-\}$/);
    expect(set.AUDIT_RUNNER_CODEC_SECRET).toMatch(/^\$\{AUDIT_RUNNER_CODEC_SECRET:-\}$/);
  });
});

describe('the sandbox profile', () => {
  test('is on a loopback that it shares, since a token must not travel in the clear', () => {
    const worker = service('sandbox-worker');
    expect(worker.network_mode).toBe('service:sandbox');
    const cwd = path.join(ROOT, 'deploy');
    expect(loadConfig({ env: environment(worker), cwd }).accounts.default?.baseUrl).toBe('http://127.0.0.1:8080');
    const byName = { ...environment(worker), AGENT_API_BASE_URL: 'http://sandbox:8080' };
    expect(() => loadConfig({ env: byName, cwd })).toThrow('https://');
  });

  test('shares no namespace with real accounts', () => {
    const { TEMPORAL_NAMESPACE } = service('sandbox-worker').environment;
    expect(TEMPORAL_NAMESPACE).toBe('sandbox');
    expect(service('worker').environment.TEMPORAL_NAMESPACE ?? 'default').not.toBe(TEMPORAL_NAMESPACE);
    expect(service('sandbox-namespace').command.join()).toContain(`--namespace ${TEMPORAL_NAMESPACE} `);
  });

  test('starts nothing unasked', () => {
    const unasked = services().filter(
      ([name, { profiles }]) => name.startsWith('sandbox') !== profiles.includes('sandbox'),
    );
    expect(unasked).toEqual([]);
  });

  test('has the token that the sandbox makes', async () => {
    // With its defaults: none of its other options is in the command.
    expect(service('sandbox').command).toEqual([
      'sandbox',
      '--host',
      '0.0.0.0',
      '--port',
      '8080',
      '--control-port',
      '8081',
    ]);
    const sandbox = await startSandbox();
    await sandbox.close();
    expect(read('deploy/sandbox-token').trim()).toBe(sandbox.token);
  });
});

describe('docker-compose', () => {
  testWith('docker-compose').each([
    { profiles: 'none', flags: [] },
    { profiles: 'sandbox', flags: ['--profile', 'sandbox'] },
  ])('understands the file, profiles: $profiles', ({ flags }) => {
    expect(run('docker-compose', [...flags, 'config', '--quiet'])).toEqual({ status: 0, output: '' });
  });

  testWith('docker-compose')('is asked for the file as it is: one with a mistake is refused', () => {
    const input = 'services: { worker: { image: audit-runner, stop_grace_perod: 7m } }';
    const { status, output } = run('docker-compose', ['--file', '-', 'config', '--quiet'], { input });
    expect(status).not.toBe(0);
    expect(output).toContain('stop_grace_perod');
  });
});
