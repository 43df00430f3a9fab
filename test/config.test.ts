import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAgentApi } from '../src/agent-api';
import { type RouteName, routes } from '../src/agent-api/routes';
import { accountOf, apiOptions, ConfigError, loadConfig } from '../src/config';

const TOKEN = `aky_${'a'.repeat(32)}`;
const OTHER = `aky_${'b'.repeat(32)}`;
let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'config-'));
  writeFileSync(join(cwd, 'token'), `${TOKEN}\n`);
});
afterEach(() => rmSync(cwd, { recursive: true }));

/** Loads ./audit-runner.yaml with this content. */
function load(yaml: string, env: Record<string, string> = {}) {
  writeFileSync(join(cwd, 'audit-runner.yaml'), yaml);
  return loadConfig({ env, cwd });
}

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('~ in a path is the folder of the user, as a shell has it', () => {
  expect(load('storageUrl: ~/kept').storageUrl).toBe(pathToFileURL(join(homedir(), 'kept')).href);
  const [problem] = problemsOf(() =>
    load('accounts: { main: { baseUrl: https://a.example.com, tokenFile: ~/no-such } }'),
  );
  expect(problem).toContain(join(homedir(), 'no-such'));
});

describe('settings that had other names', () => {
  const account = (settings: string) =>
    `accounts: { main: { baseUrl: https://a.example.com, tokenFile: token, ${settings} } }`;

  it('are read and said to be old', () => {
    const config = load(account('unshown: { account: { balance: data.left } }'));
    expect(accountOf(config, 'main').undocumented.account.balance).toBe('data.left');
    expect(config.notices).toEqual(['accounts.main.unshown is called undocumented now; the old name is still read']);
    expect(load(account('undocumented: { account: { balance: data.left } }')).notices).toEqual([]);
  });

  it('are refused beside the present ones, since nobody can tell which is meant', () => {
    expect(problemsOf(() => load(account('unshown: {}, undocumented: {}')))[0]).toContain('accounts.main.unshown');
  });
});

describe('defaults', () => {
  it('an account needs a base address and a token; everything else has a default', () => {
    const config = load('accounts: { main: { baseUrl: https://api.example.com, tokenFile: token } }');
    const { token, credits, mayCall, undocumented, ...rest } = accountOf(config, 'main');
    expect(rest).toEqual({
      name: 'main',
      baseUrl: 'https://api.example.com',
      limits: {
        reads: { max: 100, windowMs: 60_000 },
        writes: { max: 20, windowMs: 60_000 },
        polls: { max: 120, windowMs: 60_000 },
        notes: { max: 30, windowMs: 3_600_000 },
        audits: { max: 20, windowMs: 60_000 },
      },
      timing: {
        paidTimeoutMs: 210_000,
        sendWindowMs: 5_000,
        settlingMs: 300_000,
        holdProbeMs: 60_000,
        pollMs: 5_000,
      },
      budget: { perRun: null, perDay: null, perMonth: null, balanceFloor: 0 },
      timeZone: 'UTC',
      showNames: 'business',
      speed: 1,
    });
    expect(token.read()).toBe(TOKEN);
    expect(credits('leads.convert')).toBe(1000);
    expect(credits('leads.get')).toBe(0);
    expect(undocumented.leadsList.surveyLink).toBe('staticSlugId');
    expect(config).toMatchObject({
      storageUrl: `file://${cwd}/.audit-runner/storage`,
      log: { level: 'info' },
      workers: { workflows: 40, reads: 60, writes: 80, polls: 60, other: 50 },
      file: join(cwd, 'audit-runner.yaml'),
    });
  });

  it('nothing at all is a configuration without accounts', () => {
    const config = loadConfig({ env: {}, cwd });
    expect(config.accounts).toEqual({});
    expect(config.file).toBeUndefined();
    expect(() => accountOf(config)).toThrow('no account is configured: set AGENT_API_BASE_URL and AGENT_API_TOKEN');
  });
});

describe('where it comes from', () => {
  const env = { AGENT_API_BASE_URL: 'https://api.example.com', AGENT_API_TOKEN: TOKEN };

  it('one account from the environment, by token or by file', () => {
    expect(accountOf(loadConfig({ env, cwd })).token.read()).toBe(TOKEN);
    const { AGENT_API_BASE_URL } = env;
    const byFile = loadConfig({ env: { AGENT_API_BASE_URL, AGENT_API_TOKEN_FILE: 'token' }, cwd });
    expect(accountOf(byFile).token.read()).toBe(TOKEN);
  });

  it('the file wins over the environment for the account default, and stands beside it otherwise', () => {
    const own = load('accounts: { default: { baseUrl: https://own.example.com, tokenFile: token } }', env);
    expect(accountOf(own).baseUrl).toBe('https://own.example.com');
    const beside = load('accounts: { b: { baseUrl: https://b.example.com, tokenEnv: B } }', { ...env, B: OTHER });
    expect(Object.keys(beside.accounts).sort()).toEqual(['b', 'default']);
  });

  it('half an account in the environment is a problem, unless the file uses that token', () => {
    expect(problemsOf(() => loadConfig({ env: { AGENT_API_TOKEN: TOKEN }, cwd }))).toEqual([
      'AGENT_API_BASE_URL is not set, but a token is',
    ]);
    expect(problemsOf(() => loadConfig({ env: { AGENT_API_BASE_URL: env.AGENT_API_BASE_URL }, cwd }))).toHaveLength(1);
    const yaml = 'accounts: { main: { baseUrl: https://api.example.com, tokenEnv: AGENT_API_TOKEN } }';
    expect(Object.keys(load(yaml, { AGENT_API_TOKEN: TOKEN }).accounts)).toEqual(['main']);
  });

  it('--config wins over AUDIT_RUNNER_CONFIG, which wins over ./audit-runner.yaml', () => {
    for (const name of ['audit-runner', 'env', 'flag'])
      writeFileSync(join(cwd, `${name}.yaml`), `storageUrl: s3://${name}`);
    const AUDIT_RUNNER_CONFIG = 'env.yaml';
    expect(loadConfig({ env: {}, cwd }).storageUrl).toBe('s3://audit-runner');
    expect(loadConfig({ env: { AUDIT_RUNNER_CONFIG }, cwd }).storageUrl).toBe('s3://env');
    expect(loadConfig({ env: { AUDIT_RUNNER_CONFIG }, file: 'flag.yaml', cwd }).storageUrl).toBe('s3://flag');
    expect(() => loadConfig({ env: {}, file: 'none.yaml', cwd })).toThrow('there is no configuration file');
  });

  it('AUDIT_RUNNER_ENCRYPTION_REQUIRE wins over the file, and is true or false', () => {
    const required = (yaml: string, said?: string) =>
      load(yaml, said === undefined ? {} : { AUDIT_RUNNER_ENCRYPTION_REQUIRE: said }).encryption.require;
    const file = 'encryption: { require: true }';
    expect([required(''), required('', ''), required('', 'true')]).toEqual([false, false, true]);
    expect([required(file), required(file, ''), required(file, 'false')]).toEqual([true, true, false]);
    expect(problemsOf(() => required('', 'yes'))[0]).toContain('encryption.require');
    expect(problemsOf(() => required('encryption: { require: 1 }'))[0]).toContain('encryption.require');
  });

  it('STORAGE_URL and LOG_LEVEL win over the file', () => {
    const config = load('{ storageUrl: s3://file, log: { level: warn } }', {
      STORAGE_URL: '/data',
      LOG_LEVEL: 'debug',
    });
    expect(config).toMatchObject({ storageUrl: 'file:///data', log: { level: 'debug' } });
    expect(problemsOf(() => load('', { LOG_LEVEL: 'loud' }))[0]).toContain('log.level');
  });

  it('a storage that cannot be is a problem like any other, and its credentials are not printed', () => {
    const text = problemsOf(() => load('storageUrl: s3://AKIATEST:secret@bucket')).join('\n');
    expect(text).toMatch(/^storageUrl: .*AWS_ACCESS_KEY_ID/);
    expect(text).not.toMatch(/AKIATEST|secret@/);
    const env = { STORAGE_URL: 's3://bucket', AWS_ENDPOINT_URL: 'https://key:secret@minio.example.com' };
    expect(problemsOf(() => load('', env))).toEqual([expect.stringContaining('storageUrl: The endpoint')]);
  });

  it('an empty file is as none', () => expect(load('# nothing yet\n').accounts).toEqual({}));
});

describe('speed', () => {
  it('divides windows and timings for a sandbox on this machine; the send window stays at a second at least', async () => {
    const yaml = 'accounts: { s: { baseUrl: "http://127.0.0.1:9", tokenFile: token, speed: 100 } }';
    const account = accountOf(load(yaml), 's');
    expect(account.limits.writes).toEqual({ max: 20, windowMs: 600 });
    expect(account.timing).toEqual({
      paidTimeoutMs: 2_100,
      sendWindowMs: 1_000,
      settlingMs: 3_000,
      holdProbeMs: 600,
      pollMs: 50,
    });
    await createAgentApi(apiOptions(account)).close();
  });

  it('is refused elsewhere, as is a shorter time limit of paid calls', () => {
    const yaml = `accounts: { main: { baseUrl: https://api.example.com, tokenFile: token, speed: 2, timing: { paidTimeoutMs: 1000 } } }`;
    expect(problemsOf(() => load(yaml))).toEqual([
      'accounts.main.speed: other than 1 only for a sandbox on this machine',
      'accounts.main.timing.paidTimeoutMs: at least 200000',
    ]);
  });
});

describe('problems, all at once and in sentences', () => {
  const main = (rest: string) => `accounts: { main: { baseUrl: https://api.example.com, tokenFile: token, ${rest} } }`;

  it.each([
    ['limit: {}', 'accounts.main.limit: there is no such setting; did you mean limits?'],
    ['limits: { read: {} }', 'accounts.main.limits.read: there is no such setting; did you mean reads?'],
    ['credits: { lead.convert: 5 }', 'did you mean leads.convert?'],
    [
      'undocumented: { leadsList: { sorting: x } }',
      'accounts.main.undocumented.leadsList.sorting: there is no such setting',
    ],
    ['budget: { perDay: "5" }', 'accounts.main.budget.perDay: expected number, received string'],
    ['timeZone: Europe/Berln', 'accounts.main.timeZone: not a time zone; expected an IANA name'],
    ['timeZone: "+01:00"', 'accounts.main.timeZone: not a time zone'],
    ['tokenEnv: X', 'accounts.main: where the token is must be named by either tokenFile or tokenEnv'],
    ['tokenfile: x', 'accounts.main.tokenfile: there is no such setting; did you mean tokenFile?'],
  ])('%s', (yaml, sentence) => {
    expect(problemsOf(() => load(main(yaml))).join('\n')).toContain(sentence);
  });

  it.each([
    ['account: {}', 'account: there is no such setting; did you mean accounts?'],
    ['accounts: { "Main 1": { baseUrl: https://a.example, tokenFile: token } }', 'lower-case letters'],
    ['accounts: { a: { tokenFile: token } }', 'accounts.a.baseUrl: expected string'],
    ['accounts: { a: { baseUrl: "http://api.example.com", tokenFile: token } }', 'must start with https://'],
    ['accounts: { a: { baseUrl: nonsense, tokenFile: token } }', 'not a URL'],
    ['accounts: { a: { baseUrl: https://a.example, tokenFile: none } }', 'accounts.a: the token file'],
    ['accounts: [', 'audit-runner.yaml: '],
    ['- a list', "expected settings such as 'accounts:'"],
    ['a: *nowhere', 'audit-runner.yaml: '],
  ])('%s', (yaml, sentence) => {
    expect(problemsOf(() => load(yaml)).join('\n')).toContain(sentence);
  });

  it('are listed together', () => {
    const error = problemsOf(() => load(`${main('limit: {}, timeZone: X')}\nstorage: x`));
    expect(error).toHaveLength(3);
  });

  it('S1: two accounts with the same token are refused', () => {
    const yaml = `accounts:
  a: { baseUrl: https://api.example.com, tokenFile: token }
  b: { baseUrl: https://api.example.com, tokenEnv: B }`;
    expect(problemsOf(() => load(yaml, { B: TOKEN }))).toEqual([
      'accounts.b: has the same token as accounts.a; one account per token',
    ]);
  });

  it.each([
    ['in the file', `accounts: { a: { baseUrl: https://a.example, token: ${TOKEN} } }`],
    ['as a token file', `accounts: { a: { baseUrl: https://a.example, tokenFile: ${TOKEN} } }`],
    ['as the name of a variable', `accounts: { a: { baseUrl: https://a.example, tokenEnv: ${TOKEN} } }`],
    ['as a key', `${TOKEN}: 1`],
    ['as an account', `accounts: { ${TOKEN}: 1 }`],
    ['in broken YAML', `accounts: { a: [ ${TOKEN}`],
    ['in the base address', `accounts: { a: { baseUrl: "https://${TOKEN}@a.example", tokenFile: token } }`],
  ])('S4: a token %s is not printed', (_, yaml) => {
    const text = problemsOf(() => load(yaml)).join('\n');
    expect(text).not.toBe('');
    expect(text).not.toContain('aaaa');
  });

  it.each([
    ['an address in the place of its variable', 'urlEnv: https://hooks.example/AAAA-secret'],
    ['a signing secret in that place', 'url: https://a.example, secretEnv: whsec_AAAAsecret0123456'],
    ['one without its prefix', 'url: https://a.example, secretEnv: AAAAsecret0123456aZ'],
    ['one of base64 in that place', 'url: https://a.example, secretEnv: AAAAsecret+0123456789w=='],
    ['a name as an address that nobody has set', 'urlEnv: AAAAsecret0123456aZ'],
  ])('S4: %s is not printed', (_, notify) => {
    const text = problemsOf(() => load(`notify: { ${notify} }`)).join('\n');
    expect(text).toMatch(/^notify\.(url|secret)Env: (the name of a variable|there is no variable of the name given)/);
    expect(text).not.toContain('secret0');
    expect(text).not.toContain('AAAA');
  });

  it('names a variable that is not set, and one that holds something else', () => {
    const notify = 'notify: { url: https://a.example, secretEnv: NOTIFY_SECRET }';
    expect(problemsOf(() => load(notify))).toEqual(['notify.secretEnv: there is no variable NOTIFY_SECRET']);
    expect(problemsOf(() => load(notify, { NOTIFY_SECRET: 'short' }))).toEqual([
      'notify.secretEnv: NOTIFY_SECRET holds no signing secret (whsec_ and base64)',
    ]);
  });

  it('S4: a malformed token is not printed either', () => {
    const env = { AGENT_API_BASE_URL: 'https://api.example.com', AGENT_API_TOKEN: 'my-secret-word' };
    const text = problemsOf(() => loadConfig({ env, cwd })).join('\n');
    expect(text).toContain('the environment variable AGENT_API_TOKEN does not hold a token');
    expect(text).not.toContain('secret');
  });

  it('an account of another name is answered with those there are', () => {
    const config = load(main(''));
    expect(() => accountOf(config, 'mian')).toThrow("did you mean 'main'? There are main");
  });
});

describe('callApi.allow', () => {
  const mayCall = (setting: string) => {
    const config = load(`accounts: { main: { baseUrl: https://a.example.com, tokenEnv: A${setting} } }`, { A: TOKEN });
    return (route: RouteName) => accountOf(config, 'main').mayCall(route);
  };

  test('by default, everything but what deletes', () => {
    const may = mayCall('');
    expect(may('contacts.create')).toBe(true);
    const names = Object.keys(routes) as RouteName[];
    expect(names.filter((name) => !may(name))).toEqual(names.filter((name) => name.endsWith('.delete')));
  });

  test('what is named, or its group; what deletes by its own name alone', () => {
    const may = mayCall(', callApi: { allow: [contacts.*, memories.delete, leads.get] }');
    expect(may('contacts.list')).toBe(true);
    expect(may('contacts.delete')).toBe(false);
    expect(may('memories.delete')).toBe(true);
    expect(may('memories.list')).toBe(false);
    expect(may('leads.get')).toBe(true);
    expect(mayCall(', callApi: { allow: [] }')('leads.get')).toBe(false);
  });

  test('a route that is not there is refused with the one that is meant', () => {
    expect(problemsOf(() => mayCall(', callApi: { allow: [contact.*] }'))).toEqual([
      "accounts.main.callApi.allow.0: there is no route 'contact.*'; did you mean 'contacts.*'? `npx audit-runner api` lists all routes",
    ]);
  });
});
