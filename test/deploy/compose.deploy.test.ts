import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../../src/config';
import { DYNAMIC_CONFIG } from '../../src/dev-server/server-process';
import { startSandbox } from '../../src/sandbox';
import { buildOf } from '../../src/temporal/deployment';
import { encryptionKeys } from '../../src/temporal/encryption-keys';
import { untestedServer } from '../../src/temporal/tested-servers';
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

  test('is of a version that is tested, and so are its tools', () => {
    const versions = ['temporal', 'temporal-schema', 'temporal-namespace'].map(
      (name) => /^temporalio\/\S+:\$\{TEMPORAL_VERSION:-(\S+)\}$/.exec(service(name).image)?.[1],
    );
    expect(new Set(versions).size).toBe(1);
    expect(untestedServer(versions[0])).toBeUndefined();
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
      'codec-server: codec_secret',
      'codec-server: encryption_key',
      'postgres: postgres_password',
      'sandbox-worker: sandbox_token',
      'temporal-schema: postgres_password',
      'temporal-ui: codec_secret',
      'temporal: postgres_password',
      'worker: agent_api_token',
      'worker: aws_credentials',
      'worker: encryption_key',
    ]);
  });

  test('gives no container more of the machine than it needs', () => {
    for (const [name, given] of services())
      expect({ name, ...given }).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        pids_limit: expect.any(Number),
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
        tmpfs: expect.arrayContaining(['/tmp']),
      });
    const raised = services().filter(([, given]) => 'cap_add' in given || 'privileged' in given);
    expect(raised.map(([name]) => name)).toEqual(['postgres']);
    expect(
      services().filter(([, { image }]) => !/:(?:\$\{\w+:-)?\d+\.\d+/.test(image) && image !== 'audit-runner'),
    ).toEqual([]);
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

  testWith('docker-compose')('gives the worker what an upgrade asks for, as it stands in .env', () => {
    const env = { AUDIT_RUNNER_HOLD_PATCHES: 'true' };
    const { output } = run('env', [
      ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
      ...['docker-compose', 'config'],
    ]);
    expect(parse(output).services.worker.environment).toMatchObject(env);
    // It is one service, and each build needs its own.
    expect(buildOf(environment(service('worker')))).toBeUndefined();
    expect(service('worker').environment).not.toHaveProperty('AUDIT_RUNNER_DEPLOYMENT');
  });

  test('S4: a key that stands in .env, as for earlier compose files, is refused: nothing begins in the clear', () => {
    const { environment: written } = service('worker');
    expect(written.AUDIT_RUNNER_ENCRYPTION_KEY).toMatch(/^\$\{AUDIT_RUNNER_ENCRYPTION_KEY:-\}$/);
    const given = { ...environment(service('worker')), AUDIT_RUNNER_ENCRYPTION_KEY: 'a key' };
    expect(() => encryptionKeys(given)).toThrow('give the keys by one');
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
    expect(set.AUDIT_RUNNER_ENCRYPTION_KEY_FILE).toBe(service('worker').environment.AUDIT_RUNNER_ENCRYPTION_KEY_FILE);
    expect(ports).toEqual(['127.0.0.1:8234:8234']);
    expect(set.AUDIT_RUNNER_CODEC_SECRET_FILE).toBe('/run/secrets/codec_secret');
  });

  testWith('docker-compose').each([
    ['', undefined],
    ['0123456789abcdef', 'http://127.0.0.1:8234/0123456789abcdef'],
  ])("the Web UI with the secret '%s' tells browsers %s", (secret, endpoint) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'audit-runner-ui-'));
    try {
      writeFileSync(path.join(folder, 'codec_secret'), secret);
      writeFileSync(path.join(folder, 'start-ui-server.sh'), '#!/bin/sh\nprintf %s "$TEMPORAL_CODEC_ENDPOINT"\n', {
        mode: 0o755,
      });
      const { command, environment: set } = service('temporal-ui');
      const [script = ''] = command;
      const { output, status } = run(
        'env',
        [
          `CODEC_ADDRESS=${environment({ environment: set } as Service).CODEC_ADDRESS}`,
          'bash',
          '--norc',
          '-euc',
          script.replaceAll('$$', '$').replaceAll('/run/secrets', folder),
        ],
        { cwd: folder },
      );
      expect({ status, output }).toEqual({ status: 0, output: endpoint ?? '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
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
    expect(service('sandbox-namespace').environment.NAMESPACE).toBe(TEMPORAL_NAMESPACE);
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
