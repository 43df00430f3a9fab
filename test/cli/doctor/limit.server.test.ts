/** `doctor` ends in time, and an account that is on hold is wrong. */
import { existsSync, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { doctorCommand } from '../../../src/cli/doctor';
import { statusQuery } from '../../../src/ledger/messages';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import { type Stage, startStage } from '../../support/stage';
import { until } from '../../support/until';
import { cliFolder } from '../cli';
import { blackHole } from '../worlds';

const cli = cliFolder();
afterAll(() => cli.close());

interface Seen {
  name: string;
  state: string;
  found: string;
  mend?: string;
}

test('S7: what hangs is unknown when the time is up, and the command ends', async () => {
  const [temporal, api] = [await blackHole(), await blackHole()];
  const before = { ...process.env };
  const lines: string[] = [];
  const out = jest.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  Object.assign(process.env, {
    TEMPORAL_ADDRESS: temporal.address,
    AGENT_API_BASE_URL: `http://${api.address}`,
    AGENT_API_TOKEN: `aky_${'h'.repeat(32)}`,
    STORAGE_URL: `file://${cli.folder}/storage`,
  });
  const storage = path.join(cli.folder, 'storage');
  await mkdir(storage);
  // The time is up when the storage has been looked at: how long that takes is the machine's affair.
  const limit = new AbortController();
  let ended = 0;
  const watcher = watch(storage, (_, name) => {
    if (!name?.startsWith('audit-runner-doctor-') || existsSync(path.join(storage, name)) || ended > 0) return;
    ended = performance.now() + 1_000;
    setTimeout(() => limit.abort(), 1_000);
  });
  try {
    expect(await doctorCommand({ json: true }, limit.signal)).toBe(0);
  } finally {
    out.mockRestore();
    process.env = before;
    watcher.close();
  }
  expect(performance.now() - ended).toBeLessThan(20_000);
  const { checks }: { checks: Seen[] } = JSON.parse(lines.join(''));
  const late = checks.filter(({ found }) => found.includes('before the time was up')).map(({ name }) => name);
  expect(late).toEqual(['server', 'token belongs to', 'tier', 'credits', 'leads', 'projects', 'scopes']);
  expect(checks.find(({ name }) => name === 'documents')).toMatchObject({ state: 'ok' });
  await Promise.all([temporal.close(), api.close()]);
});

describe('holds', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage({ sandbox: { leads: 0, projects: 0, captures: 0 } });
    await stage.startWorker();
    await until(() =>
      stage.spentByLedger().then(
        () => true,
        () => false,
      ),
    );
  });
  afterAll(() => stage.close());

  test('a token that the service no longer takes is wrong, with since when and what mends it: code 1', async () => {
    stage.sandbox.control.revokeToken({ token: stage.sandbox.token });
    await stage.temporal.client.workflow.start('callApi', {
      ...{ taskQueue: WORKFLOW_QUEUE, workflowId: 'meets-it' },
      args: [{ route: 'contacts.list' }],
    });
    const ledger = stage.temporal.client.workflow.getHandle(stage.ledgerId);
    await until(async () => (await ledger.query(statusQuery)).holds.length > 0);
    const { code, stdout } = await cli.run(['doctor', '--json'], stage.env);
    const { checks, ok }: { ok: boolean; checks: Seen[] } = JSON.parse(stdout);
    expect(checks.filter(({ state }) => state === 'wrong')).toContainEqual(
      expect.objectContaining({
        name: 'hold',
        found: expect.stringMatching(/on hold since \d{4}-.* the service does not accept the token.*401/),
        mend: expect.stringContaining('create a new token'),
      }),
    );
    expect({ ok, code }).toEqual({ ok: false, code: 1 });
  });
});
