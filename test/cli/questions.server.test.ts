/** Whoever follows a run at a terminal, or asks for the status, sees what is asked and can paste what answers it. */
import { detailsOf } from '../support/details';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { type Cli, cliFolder } from './cli';

const UI = 'http://ui.example:8233';

const cli = cliFolder();
const CALLED = cli.called;
let stage: Stage;
let env: Record<string, string>;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 60 }, account: { budget: { perDay: 40_000, balanceFloor: 0 } } });
  env = { ...stage.env, TEMPORAL_UI_URL: UI, AUDIT_RUNNER_COMMAND: CALLED, NO_COLOR: '1', USER: 'ada' };
  const worker = cli.start(['worker'], { ...env, LOG_LEVEL: 'info' });
  await worker.said('worker is running');
});
afterAll(async () => {
  await cli.close();
  await stage.close();
});

/** Pastes what was printed into a shell. */
const paste = (line: string) => cli.startProgram('sh', ['-c', line], env).ended;

/** What a terminal of this many columns got, until this was written. */
async function shownAt(columns: number, command: string, last: string, after = ''): Promise<string> {
  const run = cli.startAtTerminal(`stty cols ${columns}; exec ${command}`, env);
  await run.said(after);
  await until(() => run.stdout.slice(run.stdout.indexOf(after)).includes(last));
  run.signal('SIGTERM');
  return (await run.ended).stdout;
}

/** Of a line that is drawn over, at a terminal. */
const END_OF_LINE = '…\u001b[?7h';

const commandsIn = (text: string): string[] =>
  text.split(/\r?\n/).flatMap((line) => (line.startsWith(`  ${CALLED} `) ? [line.trim()] : []));

const handleOf = (workflowId: string) => stage.temporal.client.workflow.getHandle(workflowId);

async function pageOf(workflowId: string): Promise<string> {
  const { runId } = await handleOf(workflowId).describe();
  return `${UI}/namespaces/${stage.temporal.namespace}/workflows/${workflowId}/${runId}/user-metadata`;
}

const APPROVAL = ['run', 'leadPipeline', '--input', '{"approval": "all", "maxConversions": 3}'];

async function asked(run: Cli): Promise<string> {
  await run.said('Answer, in another terminal');
  await until(() => commandsIn(run.stderr).length > 0);
  return run.stderr;
}

test('a pipeline asks in full and once: the leads, why these, what is left, its page, and what to paste', async () => {
  const run = cli.start([...APPROVAL, '--id', 'in-a-pipe'], env);
  const text = await asked(run);
  expect(text).toContain('A person is asked to approve 3 conversions for 3,000 credits');
  // What stands there is the page of the run: these are the facts that it must not lose on its way to the terminal.
  const lines = text.split('\n').filter((line) => line.startsWith('  - ') && line.includes('meets all rules'));
  expect(lines).toHaveLength(3);
  const known = stage.sandbox.control.leads();
  for (const line of lines) {
    const lead = known.find(({ id }) => line.includes(`lead \`${id}\``));
    expect(line).toContain(`${lead?.businessName}`);
    expect(line).toContain(`readiness ${lead?.aiReadinessScore} (at least 60`);
    expect(line).not.toContain('**');
  }
  expect(text).toMatch(/3 of the \d+ leads that meet all rules, by the limit `maxConversions` \(3\)\./);
  expect(text).toContain('40,000 of 40,000 credits are left');
  expect(text).toContain(await pageOf('in-a-pipe'));
  expect(text).not.toContain('See also');
  expect(commandsIn(text)).toEqual([`${CALLED} approve in-a-pipe`, `${CALLED} reject in-a-pipe`]);
  // The page, which the workflow writes, calls the program as the worker was told to.
  expect(await detailsOf(stage.temporal.client, 'in-a-pipe')).toContain(`\`${CALLED} approve in-a-pipe\``);

  // Asked for again and again meanwhile.
  const status = await cli.run(['status'], env);
  expect(status.stdout).toContain('in-a-pipe (leadPipeline, at approval, begun ');
  expect(status.stdout).toContain('Approval is needed within');
  expect(status.stdout).toContain(await pageOf('in-a-pipe'));
  expect(commandsIn(status.stdout)).toEqual(commandsIn(text));
  const { needsPerson } = JSON.parse((await cli.run(['status', '--json'], env)).stdout);
  expect(needsPerson).toMatchObject([
    { workflowId: 'in-a-pipe', question: expect.stringContaining('Approval is'), commands: commandsIn(text) },
  ]);

  const [approve = ''] = commandsIn(text);
  expect(await paste(approve)).toMatchObject({ code: 0, stdout: expect.stringContaining('Approved') });
  const ended = await run.ended;
  expect(ended.code).toBe(0);
  expect(ended.stderr.split('A person is needed').length - 1).toBe(1);
});

test('where a default has decided, that is said', async () => {
  const input = '{"maxCredits": 100000, "approval": "all", "scoring": {"minReadiness": 0}}';
  const looked = cli.start(['run', 'leadPipeline', '--id', 'by-default', '--input', input], env);
  const which = /10 of the \d+ leads that meet all rules, by the default limit `maxConversions` \(10\)/;
  expect(await asked(looked)).toMatch(which);
  looked.signal('SIGINT');
  await looked.ended;
  const detached = await cli.run(['run', 'leadPipeline', '--id', 'by-default', '--attach', '--detach'], env);
  expect(detached.code).toBe(3);
  expect(commandsIn(detached.stderr)).toContain(`${CALLED} approve by-default`);
  await handleOf('by-default').terminate();
});

test('at a narrow terminal all of it stands above the line that is drawn over, uncut', async () => {
  const started = `${CALLED} ${APPROVAL.slice(0, 3).join(' ')} '${APPROVAL[3]}' --id at-a-terminal`;
  const stdout = await shownAt(60, started, END_OF_LINE, 'reject at-a-terminal');
  const [first = ''] = commandsIn(stdout);
  expect(first).toBe(`${CALLED} approve at-a-terminal`);
  expect(stdout).toContain(`Its page: ${await pageOf('at-a-terminal')}`);
  // The line that is drawn over comes after it, as wide as the terminal at most.
  const below = stdout.split('reject at-a-terminal').at(-1) ?? '';
  const [line = ''] = below.split('\u001b[?7l')[1]?.split('\u001b') ?? [];
  expect(line).toMatch(/^\[ +\] A person is asked to approve 3 conv.*…$/);
  expect(line.length).toBeLessThan(60);
  await handleOf('at-a-terminal').terminate();
});

test('a batch asks as a pipeline does', async () => {
  const input = '{"operation": "convertLead", "leads": {}, "approval": "all"}';
  const run = cli.start(['backfill', 'start', '--id', 'batch', '--input', input], env);
  const text = await asked(run);
  expect(text).toMatch(/A person is asked to approve \d+ items for [\d,]+ credits/);
  expect(commandsIn(text)).toEqual([`${CALLED} approve batch`, `${CALLED} reject batch`]);
  expect(await paste(`${CALLED} reject batch`)).toMatchObject({ code: 0 });
  expect((await run.ended).stdout).toContain('rejected');
});

test('a question whether something happened: a command for each answer', async () => {
  stage.sandbox.control.addFault({ route: 'contacts.create', fault: 'replyLost' });
  const input = JSON.stringify({ route: 'contacts.create', body: { name: 'Prospect' } });
  const run = cli.start(['run', 'callApi', '--id', 'lost', '--input', input], env);
  const text = await asked(run);
  expect(text).toContain('It is unknown whether `contacts.create` was done');
  const answers = ['itHappened', 'sendAgain', 'giveUp'].map(
    (decision) => `${CALLED} answer lost decide --input '{"decision": "${decision}"}'`,
  );
  expect(commandsIn(text)).toEqual(answers);
  expect(await paste(answers[0] ?? '')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Noted: itHappened'),
  });
  expect((await run.ended).code).toBe(0);
});

test('an ID that a shell would obey is in no command', async () => {
  const workflowId = "x'; touch obeyed; '";
  const run = cli.start([...APPROVAL, '--id', workflowId], env);
  const text = await asked(run);
  expect(commandsIn(text)).toEqual([`${CALLED} approve <run>`, `${CALLED} reject <run>`]);
  expect(text).not.toContain(`approve ${workflowId}`);
  await handleOf(workflowId).terminate();
});

test('S4: what somebody writes as the reason of a hold is shown at a terminal, and obeyed by none', async () => {
  const reason = '\u001b]0;owned\u0007\u001b[2J\u009b2J\u202eno aky_abcdefghijklmnop';
  const held = await cli.run(['hold', 'default', '--reason', reason], env);
  expect(held.code).toBe(0);
  const [lead] = stage.sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  const input = JSON.stringify({ leadId: lead?.id });
  const started = `${CALLED} run convertLead --id held --input '${input}'`;
  // Wide enough for the sentence with its reason.
  const stdout = await shownAt(400, started, ']0;owned');
  expect(stdout).toContain('\ufffd]0;owned\ufffd\ufffd[2J\ufffd2J\ufffdno [redacted]');
  for (const obeyed of ['\u001b]', '\u0007', '\u001b[2J', '\u009b', '\u202e']) expect(stdout).not.toContain(obeyed);
  await handleOf('held').terminate();
  expect((await cli.run(['release', 'default', '--reason', 'over'], env)).code).toBe(0);
});
