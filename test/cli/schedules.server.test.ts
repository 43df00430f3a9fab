/** `audit-runner schedules` against a real Temporal server; no worker is needed to see runs start. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { backfillCommand, pauseCommand, triggerCommand } from '../../src/cli/schedules/act';
import { applyCommand, planCommand } from '../../src/cli/schedules/apply';
import { listCommand } from '../../src/cli/schedules/list';
import { ownedPipelines, scheduleHandle } from '../../src/temporal/schedules';
import { startTestTemporal, type TestTemporal, temporalEnv } from '../support/temporal';
import { until } from '../support/until';
import { cliFolder } from './cli';

const cli = cliFolder();
const file = join(cli.folder, 'pipelines.yaml');
const options = { config: file, json: true };
let temporal: TestTemporal;

beforeAll(async () => {
  temporal = await startTestTemporal();
  // Of this test file alone: jest gives each an environment of its own.
  Object.assign(process.env, temporalEnv(temporal.config));
  writeFileSync(join(cli.folder, 'token'), `aky_${'a'.repeat(32)}`);
});
afterAll(async () => {
  await cli.close();
  await temporal.close();
});

const LEADS = { workflow: 'leadPipeline', input: { maxCredits: 5_000 }, cron: '0 7 * * MON-FRI' };
const SWEEP = { workflow: 'captureSweep', every: '1h' };

function write(pipelines: Record<string, object>, storageUrl = `file://${cli.folder}/storage`): void {
  const accounts = { default: { baseUrl: 'https://api.example.com', tokenFile: 'token', timeZone: 'Europe/Berlin' } };
  writeFileSync(file, stringify({ accounts, pipelines, storageUrl }));
}

/** Runs a command, and gives what it printed. */
async function said(command: () => Promise<number>): Promise<{ code: number; text: string; err: string }> {
  const texts = { text: '', err: '' };
  const catches = (stream: NodeJS.WriteStream, into: keyof typeof texts) =>
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      texts[into] += chunk;
      return true;
    });
  const out = catches(process.stdout, 'text');
  const err = catches(process.stderr, 'err');
  try {
    return { code: await command(), ...texts };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

async function json(command: () => Promise<number>) {
  const { code, text } = await said(command);
  return { code, ...JSON.parse(text) };
}

const actions = ({ changes }: { changes: { pipeline: string; action: string }[] }) =>
  Object.fromEntries(changes.map(({ pipeline, action }) => [pipeline, action]));

describe('plan and apply', () => {
  test('files that a run would refuse are told by the plan, which makes the schedule all the same', async () => {
    const storage = join(cli.folder, 'files');
    mkdirSync(storage);
    for (const name of ['there.pdf', 'no-ending', 'note.txt']) writeFileSync(join(storage, name), 'text');
    const cron = '0 7 * * *';
    write(
      {
        audits: {
          ...{ workflow: 'leadPipeline', cron },
          input: { maxCredits: 5_000, then: 'audit', audit: { documents: ['there.pdf', 'gone.pdf', 'no-ending'] } },
        },
        note: { workflow: 'ingestCapture', cron, input: { noteFile: 'gone.txt' } },
        well: { workflow: 'ingestCapture', cron, input: { noteFile: 'note.txt' } },
        batch: {
          workflow: 'backfill',
          cron,
          input: { operation: 'convertLead', file: { ref: 'gone.csv' }, maxItems: 1 },
        },
      },
      `file://${storage}`,
    );
    const plan = await json(() => planCommand(options));
    const notes = (name: string) => plan.changes.find(({ pipeline }: { pipeline: string }) => pipeline === name).notes;
    expect(notes('audits')).toEqual([
      expect.stringContaining("'gone.pdf' is not in the storage"),
      expect.stringContaining("'no-ending' is of a kind"),
    ]);
    expect(notes('note')).toEqual([expect.stringContaining("'gone.txt' is not in the storage")]);
    expect(notes('batch')).toEqual([expect.stringContaining("'gone.csv' is not in the storage")]);
    expect(notes('well')).toEqual([]);
    expect(plan.code).toBe(3);
  });

  test('what is not there is created once, and a second apply changes nothing', async () => {
    write({ leads: LEADS, sweep: SWEEP, off: { ...SWEEP, paused: true } });
    const plan = await json(() => planCommand(options));
    expect(plan.code).toBe(3);
    expect(actions(plan)).toEqual({ leads: 'create', sweep: 'create', off: 'create' });
    expect((await json(() => applyCommand(options))).code).toBe(0);
    const again = await json(() => applyCommand(options));
    expect(actions(again)).toEqual({ leads: 'unchanged', sweep: 'unchanged', off: 'unchanged' });
    expect(again).toMatchObject({ code: 0, outcomes: [] });
    expect((await json(() => planCommand(options))).code).toBe(0);
    const { state, info } = await scheduleHandle(temporal.client, 'off').describe();
    expect(state).toMatchObject({ paused: true, note: 'paused in the configuration' });
    expect(info.lastUpdatedAt).toBeUndefined();
  });

  test('one line of the file changes one schedule, and the difference is shown first', async () => {
    write({ leads: { ...LEADS, input: { maxCredits: 8_000 } }, sweep: SWEEP, off: { ...SWEEP, paused: true } });
    const { code, text } = await said(() => applyCommand({ config: file }));
    expect(code).toBe(0);
    expect(text).toMatch(/~ change {5}leads\n {6}input\.maxCredits: 5000 -> 8000\n/);
    expect(text).toContain('0 to create, 1 to change, 0 to remove, 2 unchanged.\nchanged leads\n');
    const updated = async (name: string) => (await scheduleHandle(temporal.client, name).describe()).info.lastUpdatedAt;
    expect(await updated('leads')).toBeInstanceOf(Date);
    expect([await updated('sweep'), await updated('off')]).toEqual([undefined, undefined]);
  });

  test('an input that its workflow would refuse is refused before anything is connected', async () => {
    write({ leads: { ...LEADS, input: { maxCredit: 5 } } });
    await expect(planCommand(options)).rejects.toThrow('pipelines.leads.input: field 1 of the input is unknown');
    const args = ['schedules', 'apply', '--config', file];
    const { code, stderr, stdout } = await cli.run(args, { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(stderr).toContain("did you mean 'maxCredits'?");
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test('a pipeline without a budget is shown to ask a person at each run', async () => {
    write({ asks: { workflow: 'leadPipeline', cron: '0 7 13 * FRI' } });
    const { text } = await said(() => planCommand({ config: file }));
    expect(text).toContain('note: a person must approve each run');
    expect(text).toContain('both that day of the month and that day of the week');
  });

  test("a person's pause stays, and is shown; the file's own wins when it changes", async () => {
    const handle = scheduleHandle(temporal.client, 'sweep');
    write({ leads: LEADS, sweep: { ...SWEEP, jitter: '1m' }, off: { ...SWEEP, paused: true } });
    await handle.pause('busy');
    const { text } = await said(() => applyCommand({ config: file }));
    expect(text).toContain('note: a person paused it, and apply leaves that (busy)');
    expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'busy' });

    write({ leads: LEADS, sweep: { ...SWEEP, jitter: '1m' }, off: SWEEP });
    const changed = await json(() => applyCommand(options));
    expect(changed.changes).toContainEqual(
      expect.objectContaining({ pipeline: 'off', fields: [{ field: 'paused', from: true, to: false }] }),
    );
    expect((await scheduleHandle(temporal.client, 'off').describe()).state).toMatchObject({ paused: false, note: '' });
    expect((await handle.describe()).state.paused).toBe(true);
  });

  test('what somebody else changed is told, and put back', async () => {
    write({ edited: SWEEP });
    await said(() => applyCommand(options));
    const handle = scheduleHandle(temporal.client, 'edited');
    await handle.update(({ action, policies, state }) => ({
      action,
      policies,
      state,
      spec: { intervals: [{ every: '5m' }] },
    }));
    const plan = await json(() => planCommand(options));
    const [edited] = plan.changes;
    expect(edited.fields).toContainEqual({ field: 'every', from: '5m', to: '1h' });
    expect(edited.notes).toEqual([expect.stringContaining('changed by somebody else')]);
    await said(() => applyCommand(options));
    expect((await handle.describe()).spec.intervals).toEqual([{ every: 3_600_000, offset: 0 }]);
  });

  test("somebody else's schedule under our ID is refused, and nothing is applied", async () => {
    const { action } = await scheduleHandle(temporal.client, 'sweep').describe();
    const spec = { intervals: [{ every: '1 day' }] };
    await temporal.client.schedule.create({ scheduleId: 'audit-runner.taken', spec, action });
    write({ taken: SWEEP, fresh: SWEEP });
    const { code, text, err } = await said(() => applyCommand({ config: file }));
    expect(code).toBe(2);
    expect(text).toContain('that audit-runner did not make: rename the pipeline');
    expect(err).toContain('Nothing was applied.');
    expect((await json(() => planCommand(options))).code).toBe(2);
    await expect(scheduleHandle(temporal.client, 'fresh').describe()).rejects.toThrow();
    await expect(pauseCommand('taken', true, {})).rejects.toThrow('leaves it alone');
  });

  test('what the server refuses is told in its words, and keeps nothing else back', async () => {
    // Node knows this spelling of a time zone.
    write({ small: { ...LEADS, timeZone: 'europe/berlin' }, sweep: SWEEP, other: SWEEP });
    const { code, text, err } = await said(() => applyCommand({ config: file }));
    expect(err.split('\n')).toEqual([
      expect.stringMatching(/^Applying schedules .* account default \(https:\/\/api\.example\.com\), on Temporal/),
      'pipelines.small: the Temporal server refuses it: unknown time zone europe/berlin',
      '',
    ]);
    expect(text).toContain('created other\n');
    expect(code).toBe(1);
  });

  test('what the file no longer has is removed only with --prune, and only what is ours', async () => {
    write({ leads: LEADS, sweep: SWEEP });
    await said(() => applyCommand(options));
    write({ sweep: SWEEP });
    await until(async () => (await ownedPipelines(temporal.client)).includes('leads'));
    const kept = await json(() => applyCommand(options));
    expect(actions(kept)).toMatchObject({ leads: 'leftOver', sweep: 'unchanged' });
    const plan = await json(() => planCommand({ ...options, prune: true }));
    expect({ code: plan.code, ...actions(plan) }).toMatchObject({ code: 3, leads: 'remove', sweep: 'unchanged' });
    await said(() => applyCommand({ ...options, prune: true }));
    await expect(scheduleHandle(temporal.client, 'leads').describe()).rejects.toThrow();
    const { scheduleId } = await temporal.client.schedule.getHandle('audit-runner.taken').describe();
    expect(scheduleId).toBe('audit-runner.taken');
  });

  test('a plan needs no token: whoever reviews it may not have one', async () => {
    write({ leads: LEADS });
    rmSync(join(cli.folder, 'token'));
    const { text } = await said(() => planCommand(options));
    writeFileSync(join(cli.folder, 'token'), `aky_${'a'.repeat(32)}`);
    expect(text).toContain('leads');
  });

  test('without a file nothing is planned: --prune would remove everything', async () => {
    const { code, stderr } = await cli.run(['schedules', 'apply', '--prune'], { TEMPORAL_ADDRESS: temporal.address });
    expect(stderr).toContain('here is no audit-runner.yaml');
    expect(code).toBe(2);
  });

  test('S4: with encryption on the schedule comes back too, and without its key a sentence says so', async () => {
    write({ sealed: LEADS });
    process.env.AUDIT_RUNNER_ENCRYPTION_KEY = randomBytes(32).toString('base64');
    try {
      // The others were made without a key, as before it was set.
      expect((await json(() => applyCommand(options))).outcomes).toEqual([{ pipeline: 'sealed' }]);
      const plan = await json(() => planCommand(options));
      expect(actions(plan)).toMatchObject({ sealed: 'unchanged', sweep: 'leftOver' });
      const { raw } = await scheduleHandle(temporal.client, 'sweep').describe();
      expect(raw).toBeDefined();
    } finally {
      delete process.env.AUDIT_RUNNER_ENCRYPTION_KEY;
    }
    await expect(planCommand(options)).rejects.toThrow('Is AUDIT_RUNNER_ENCRYPTION_KEY set here');
    await scheduleHandle(temporal.client, 'sealed').delete();
    await until(() =>
      ownedPipelines(temporal.client).then(
        (names) => !names.includes('sealed'),
        () => false,
      ),
    );
  });
});

describe('list, pause, resume, trigger, backfill', () => {
  beforeAll(async () => {
    write({ nightly: { ...LEADS, cron: '0 3 * * *', timeZone: 'UTC', description: 'By night.' } });
    await said(() => applyCommand(options));
    await until(async () => (await ownedPipelines(temporal.client)).includes('nightly'));
  });
  const nightly = async () => {
    const { schedules } = await json(() => listCommand({ json: true }));
    return schedules.find(({ pipeline }: { pipeline: string }) => pipeline === 'nightly');
  };

  test('list shows when it runs next', async () => {
    const { next, last, paused } = await nightly();
    expect(next[0]).toMatch(/T03:00:00\.000Z$/);
    expect({ last, paused }).toEqual({ last: [], paused: false });
  });

  test('pause and resume keep who and why, and a repetition changes nothing', async () => {
    const pause = (reason: string) => json(() => pauseCommand('nightly', true, { by: 'ada', reason, json: true }));
    const note = 'paused by ada: audit';
    expect(await pause('audit')).toEqual({ code: 0, pipeline: 'nightly', paused: true, note, changed: true });
    expect(await pause('again')).toMatchObject({ code: 0, note, changed: false });
    expect(await nightly()).toMatchObject({ paused: true, note, next: [] });
    const { text } = await said(() => listCommand({}));
    expect(text).toContain(`paused: ${note}`);
    await said(() => pauseCommand('nightly', false, { by: 'bob' }));
    expect(await nightly()).toMatchObject({ paused: false, note: 'resumed by bob' });
  });

  test('trigger starts a run with the input, marks and place of the pipeline; a second one is left out', async () => {
    const { code, outcome, workflowId } = await json(() => triggerCommand('nightly', { json: true }));
    expect({ code, outcome }).toEqual({ code: 0, outcome: 'started' });
    expect(workflowId).toMatch(/^lead-pipeline\.default\.nightly-\d{4}-/);
    const run = await temporal.client.workflow.getHandle(workflowId).describe();
    expect(run).toMatchObject({
      type: 'leadPipeline',
      taskQueue: 'audit-runner',
      status: { name: 'RUNNING' },
      memo: { pipeline: 'nightly' },
      priority: { priorityKey: 3 },
    });
    expect(await run.staticDetails()).toBe('By night.');
    const query = "RunKind = 'schedule' AND Account = 'default' AND WorkflowType = 'leadPipeline'";
    await until(async () => (await temporal.client.workflow.count(query)).count === 1);

    expect(await json(() => triggerCommand('nightly', { json: true }))).toMatchObject({ code: 3, outcome: 'skipped' });
    // A run's ID ends with its second: two of one second would be one.
    await until(() => !workflowId.endsWith(`${new Date().toISOString().slice(0, 19)}Z`));
    const beside = await json(() => triggerCommand('nightly', { overlap: 'allowAll', json: true }));
    expect(beside).toMatchObject({ code: 0, outcome: 'started' });

    await temporal.client.workflow.getHandle(workflowId).terminate();
    const { last, skipped } = await nightly();
    expect(skipped).toBe(1);
    expect(last.map(({ status }: { status: string }) => status)).toEqual(['RUNNING', 'TERMINATED']);
  });

  test('backfill starts what would have run between two moments', async () => {
    const span = { from: '2026-01-05T03:00:00Z', to: '2026-01-07', overlap: 'allowAll', json: true };
    expect(await json(() => backfillCommand('nightly', span))).toMatchObject({
      code: 0,
      times: ['2026-01-05T03:00:00.000Z', '2026-01-06T03:00:00.000Z'],
    });
    const id = (day: string) => `lead-pipeline.default.nightly-${day}T03:00:00Z`;
    for (const day of ['2026-01-05', '2026-01-06'])
      await until(async () => {
        const found = await temporal.client.workflow
          .getHandle(id(day))
          .describe()
          .catch(() => undefined);
        return found?.status.name === 'RUNNING';
      });
  });

  const wrong: [name: string, run: () => Promise<number>, sentence: string][] = [
    ['an unknown pipeline', () => triggerCommand('nightlyy', {}), "did you mean 'nightly'?"],
    [
      'a time that is none',
      () => backfillCommand('nightly', { from: 'x', to: '1h', overlap: 'skip' }),
      '--from: give a',
    ],
    [
      'an end before the start',
      () => backfillCommand('nightly', { from: '1h', to: '2h', overlap: 'skip' }),
      'lies after',
    ],
    [
      'the future',
      () => backfillCommand('nightly', { from: '1h', to: '2999-01-01', overlap: 'skip' }),
      'in the future',
    ],
    [
      'an empty span',
      () => backfillCommand('nightly', { from: '2026-01-05', to: '2026-01-05', overlap: 'skip' }),
      'has no time',
    ],
    [
      'too many times',
      () => backfillCommand('sweep', { from: '2025-01-01', to: '2026-01-01', overlap: 'skip' }),
      '1000 times or more',
    ],
  ];
  test.each(wrong)('%s is refused with a sentence', async (_, run, sentence) => {
    await expect(run()).rejects.toThrow(sentence);
  });

  test('the program itself: a wrong policy ends with code 2, a plan with differences with 3', async () => {
    const env = temporalEnv(temporal.config);
    expect(await cli.run(['schedules', 'trigger', 'nightly', '--overlap', 'x'], env)).toMatchObject({
      code: 2,
      stdout: '',
    });
    write({ nightly: { ...LEADS, cron: '0 4 * * *' } });
    const { code, stdout } = await cli.run(['schedules', 'plan', '--json', '--config', file], env);
    expect({ code, ...actions(JSON.parse(stdout)) }).toMatchObject({ code: 3, nightly: 'change' });
  });
});
