import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkAccount } from '../../src/cli/doctor/check-account';
import { NO_LEDGERS } from '../../src/cli/doctor/clearance';
import { sandboxAccount } from '../../src/cli/local';
import { type RunOptions, runCommand } from '../../src/cli/run';
import { freePort } from '../../src/dev-server/free-port';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { newNamespace, temporalEnv } from '../support/temporal';
import { cliFolder } from './cli';

const cli = cliFolder();
let sandbox: Sandbox;
let temporal: ReturnType<typeof temporalEnv>;

beforeAll(async () => {
  sandbox = await startSandbox();
  // As on the first day: no worker has prepared it.
  temporal = temporalEnv(await newNamespace({ bare: true }));
});

afterAll(async () => {
  await cli.close();
  await sandbox.close();
});

describe('run', () => {
  const wrong: [name: string, type: string, options: RunOptions, sentence: string][] = [
    ['a wrong field', 'leadPipeline', { input: '{"maxConversion": 5}' }, "did you mean 'maxConversions'?"],
    ['a missing field', 'convertLead', {}, 'leadId is missing'],
    ['text that is no JSON', 'leadPipeline', { input: '{maxCredits: 5}' }, '--input is not JSON'],
    ['a file that is not there', 'leadPipeline', { input: '@none.json' }, 'none.json cannot be read'],
    ['an unknown workflow type', 'leadPipline', {}, "did you mean 'leadPipeline'?"],
    ['two accounts', 'leadPipeline', { account: 'a', input: '{"account": "b"}' }, 'give one of them'],
    ['--attach without an ID', 'leadPipeline', { attach: true }, 'give its --id'],
  ];
  test.each(wrong)('%s is refused with a sentence before anything is connected', async (_, type, options, sentence) => {
    await expect(runCommand(type, options)).rejects.toThrow(sentence);
  });

  test.concurrent('a wrong input ends with code 2 and nothing on standard output', async () => {
    const args = ['run', 'leadPipeline', '--input', '{"maxCredits": "many", "maxConversion": 1}'];
    const { code, stdout, stderr } = await cli.run(args, { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(stderr).toContain('maxCredits was given text of 4 characters');
    expect(stderr.trim().split('\n')).toHaveLength(2);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test.concurrent('an unknown option ends with code 2', async () => {
    expect(await cli.run(['run', 'leadPipeline', '--detatch'])).toMatchObject({ code: 2, stdout: '' });
  });

  test.concurrent('an unreachable Temporal server ends with code 4', async () => {
    const { code, stderr } = await cli.run(['run', 'leadPipeline'], {
      TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}`,
    });
    expect(stderr).toContain('no Temporal server answers');
    expect(code).toBe(4);
  });

  test.concurrent('an interruption leaves the run and says how to look again; a second start with its ID starts nothing', async () => {
    writeFileSync(join(cli.folder, 'input.json'), '{"dryRun": true}');
    const args = ['run', 'leadPipeline', '--account', 'acme', '--id', 'again'];
    const run = cli.start([...args, '--input', '@input.json'], temporal);
    await run.said('Run again');
    run.signal('SIGINT');
    const interrupted = await run.ended;
    expect(interrupted.stderr).toContain('the run goes on');
    expect(interrupted.stderr).toContain('audit-runner run leadPipeline --attach --id again');
    expect(interrupted.code).toBe(130);

    const second = await cli.run([...args, '--detach', '--json'], temporal);
    expect(second.stderr).toContain('nothing new was started');
    expect(JSON.parse(second.stdout)).toEqual({ workflowId: 'again', status: 'RUNNING', needsPerson: false });
    expect(second.code).toBe(0);
  });
});

describe('doctor', () => {
  const limit = new AbortController().signal;
  const beside = () => ({ owners: new Map<string, string>(), ...NO_LEDGERS, limit, planned: [] });
  const check = async (env: Record<string, string>) => {
    const account = { AGENT_API_BASE_URL: sandbox.baseUrl, AGENT_API_TOKEN: sandbox.token };
    const { code, stdout } = await cli.run(['doctor', '--json'], { ...temporal, ...account, ...env });
    const { checks }: { checks: { name: string; state: string; found: string; mend?: string }[] } = JSON.parse(stdout);
    return { code, find: (name: string) => checks.find((c) => c.name === name), text: stdout };
  };
  const asked = () => sandbox.control.stats().requests.total;

  // Of these no requests are counted.
  test.concurrent('a token that may write is told, and a missing worker and queue limit are named', async () => {
    const { code, find } = await check({});
    expect(find('scopes')).toMatchObject({ state: 'ok' });
    expect(find('workers')).toMatchObject({ state: 'wrong', mend: expect.stringContaining('audit-runner worker') });
    expect(find('limit of agent-api.default.writes')).toMatchObject({
      state: 'warning',
      found: 'none; expected 19.45 a minute',
    });
    expect(find('matching settings')).toMatchObject({ state: 'ok' });
    expect(find('search attributes')).toMatchObject({ state: 'ok' });
    expect(code).toBe(1);
  });

  test.concurrent('an address where nobody listens is named', async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const { code, find } = await check({ AGENT_API_BASE_URL: address });
    expect(find('token belongs to')).toMatchObject({ state: 'wrong', mend: expect.stringContaining(address) });
    expect(find('tier')).toMatchObject({ state: 'unknown' });
    expect(code).toBe(1);
  });

  test.concurrent('an address at which there is something else ends the questions at the first answer', async () => {
    for (const baseUrl of [sandbox.controlUrl, `${sandbox.baseUrl}/api`]) {
      const found = await checkAccount(sandboxAccount({ baseUrl, token: sandbox.token }, 1), beside());
      expect(found.filter(({ state }) => state === 'wrong')).toEqual([
        expect.objectContaining({ mend: `check the base address ${baseUrl}: it is what stands before /api` }),
      ]);
    }
  });

  test.concurrent('an answer that cannot be read names the setting that mends it', async () => {
    const other = await startSandbox({ variant: 'b' });
    const found = await checkAccount(sandboxAccount(other, 1), beside());
    await other.close();
    const mend = (about: string) => found.find(({ name }) => name === about)?.mend;
    expect(mend('credits')).toContain('undocumented.account.balance');
    expect(mend('leads')).toContain('undocumented.leadsList');
  });

  test.concurrent('a configuration that cannot be used does not hide the rest', async () => {
    const { code, find } = await check({ AGENT_API_TOKEN: 'aky_no' });
    expect(find('readable')).toMatchObject({ state: 'wrong' });
    expect(find('server')).toMatchObject({ state: 'ok' });
    expect(code).toBe(1);
  });

  test('a read-only token is told from one that may write, in six requests', async () => {
    const before = asked();
    const { code, find, text } = await check({ AGENT_API_TOKEN: sandbox.readToken });
    expect(find('scopes')).toMatchObject({ state: 'wrong', mend: expect.stringContaining('scopes read and write') });
    expect(find('credits')).toMatchObject({ state: 'ok', found: '50,000' });
    expect(text).not.toContain(sandbox.readToken);
    expect(asked() - before).toBe(6);
    expect(code).toBe(1);
  });

  test('the kill switch ends the questions at the first answer', async () => {
    sandbox.control.setAgentApi({ enabled: false });
    const before = asked();
    const { code, find } = await check({});
    sandbox.control.setAgentApi({ enabled: true });
    expect(find('kill switch')).toMatchObject({ state: 'wrong', found: expect.stringContaining('PAT_DISABLED') });
    expect(find('tier')).toMatchObject({ state: 'unknown' });
    expect(asked() - before).toBe(1);
    expect(code).toBe(1);
  });

  test('a plan that can convert nothing is told from one that can, without a write that could cost', async () => {
    const account = sandboxAccount(sandbox, 1);
    const verdict = async () => (await checkAccount(account, beside())).find(({ name }) => name.startsWith('workflow'));
    sandbox.control.setTier({ tier: 'lead_generation' });
    expect(await verdict()).toMatchObject({ state: 'wrong', found: expect.stringContaining('leads.convert') });
    sandbox.control.setTier({ tier: 'team' });
    expect(await verdict()).toMatchObject({ state: 'ok' });
    expect(sandbox.control.stats().requests.byRoute['leads.convert']).toBeUndefined();
  });
});

test.concurrent('spend without a ledger says who opens one', async () => {
  const { code, stderr } = await cli.run(['spend', '--account', 'acme'], temporal);
  expect(stderr).toContain("there is no ledger of account 'acme' yet");
  expect(code).toBe(1);
});

test.concurrent('the sandbox prints its addresses and tokens, answers with them, and ends on SIGTERM', async () => {
  const run = cli.start(['sandbox', '--leads', '3', '--json']);
  await run.said('controlUrl');
  const { baseUrl, token, readToken, otherToken } = JSON.parse(run.stdout);
  const whose = async (bearer: string) => {
    const reply = await fetch(`${baseUrl}/api/user/current`, { headers: { authorization: `Bearer ${bearer}` } });
    expect(reply.status).toBe(200);
    return reply.text();
  };
  expect(await whose(readToken)).toBe(await whose(token));
  expect(await whose(otherToken)).not.toBe(await whose(token));
  run.signal('SIGTERM');
  expect((await run.ended).code).toBe(0);
});

test.concurrent('a wrong option of the sandbox ends with code 2', async () => {
  const { code, stderr } = await cli.run(['sandbox', '--speed', '0']);
  expect(stderr).toContain('--speed');
  expect(code).toBe(2);
});

test.concurrent('--version and --help answer on standard output', async () => {
  expect(await cli.run(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(await cli.run(['run', '--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Exit codes:') });
});
