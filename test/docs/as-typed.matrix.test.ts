/** What the documents tell people to type, typed as it stands, in their order. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findServer } from '../../src/dev-server/find-server';
import { freePort } from '../../src/dev-server/free-port';
import { noteKeys } from '../../src/temporal/fleet-record';
import { packageRoot } from '../../src/temporal/package-root';
import { leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { planFor } from '../simulation/stories/kinds';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { textOf } from './documents';
import { typedBy } from './typed';

const TYPED = typedBy('docs/as-typed.matrix.test.ts').map(({ file, command }) => [file, command] as const);

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({
    sandbox: { leads: 200, credits: 1_000_000 },
    file: { pipelines: { daily: { workflow: 'leadPipeline', every: '1d', input: { maxConversions: 1 } } } },
  });
  await stage.startWorker();
  // The files that the documents speak of.
  const files: Record<string, string> = {
    'leads.csv': `ID\n${stage.sandbox.control.leads()[0]?.id}\n`,
    'harbour/order-process.txt': 'Orders come by e-mail and are typed in twice.',
    'harbour/hours.csv': 'task,hours\ntyping,12\n',
    'notes/2026-03-02.txt': 'Invoice intake goes first.',
  };
  for (const [name, content] of Object.entries(files)) keep(join('storage', name), content);
  keep('story.json', JSON.stringify(planFor('usual', 61)));
  ({ file: temporalCli } = await findServer(process.env, () => undefined));
});
afterAll(() => stage.close());

/** Of scripts of npm, the programs behind them: npm would build first, under the feet of other tests. */
const PROGRAMS = ['simulate', 'edges'].map((name) => {
  const [, arguments_ = ''] = String(JSON.parse(textOf('package.json')).scripts[name]).split(' && node ');
  return [name, `"${process.execPath}" ${arguments_.replace('dist/', `${packageRoot()}/dist/`)}`] as const;
});

/** The CLI with a server in it that this machine has. */
let temporalCli: string;

/** In the folder where the reader is. */
function keep(name: string, content: string): void {
  const path = join(stage.folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

interface Said {
  code: number | null;
  text: string;
}

/**
 * In the shell of a reader who has the package installed.
 * @param until it would go on: then it is interrupted
 */
async function typed(command: string, until?: string): Promise<Said> {
  const functions = [
    `npx() { shift; exec "${process.execPath}" "${join(packageRoot(), 'bin', 'audit-runner.js')}" "$@"; }`,
    ...PROGRAMS.map(([name, program]) => `${name}() { shift 3; exec ${program} "$@"; }`),
    'npm() { "$2" "$@"; }',
    `temporal() { exec "${temporalCli}" "$@"; }`,
  ];
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, USER: 'ada', NO_COLOR: '1', ...stage.env };
  const shell = spawn('bash', ['-c', [...functions, command].join('\n')], {
    cwd: stage.folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let isInterrupted = false;
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk) => {
      text += chunk;
      if (until === undefined || isInterrupted || !text.includes(until)) return;
      isInterrupted = true;
      shell.kill('SIGINT');
    });
  const [code] = await once(shell, 'close');
  return { code, text };
}

/** The pipeline of those commands that act on a run. */
let pipeline: string | undefined;

/** Waits for its approval. */
async function waiting(): Promise<string> {
  const run = await stage.temporal.client.workflow.start(leadPipeline, {
    ...{ workflowId: `waits-${Date.now()}`, taskQueue: 'audit-runner', args: [{ scoring: { minReadiness: 0 } }] },
  });
  await until(async () => /approve/.test((await run.query(progressQuery)).waiting ?? ''));
  return run.workflowId;
}

/** The last run of a type. */
async function last(type: string): Promise<string> {
  for await (const { workflowId } of stage.temporal.client.workflow.list({ query: `WorkflowType = '${type}'` }))
    return workflowId;
  throw new Error(`no ${type} was started`);
}

/** With what a reader puts in the place of what a document leaves open. */
async function filled(command: string): Promise<string> {
  if (command.includes('<run>')) pipeline ??= await waiting();
  const fills: readonly [string, string][] = [
    ['<run>', pipeline ?? ''],
    ['<account>', 'default'],
    ['backfill.default.…', command.includes('backfill.default.') ? await last('backfill') : ''],
    ['"projectId": "…"', `"projectId": "${stage.sandbox.control.projects()[0]?.id}"`],
  ];
  const text = fills.reduce((said, [open, put]) => said.replaceAll(open, put), command);
  expect(text).not.toContain('…');
  return text;
}

/** What goes on, with which words it says so, and how it ends when it is interrupted. */
const GOES_ON: readonly [command: RegExp, says: string, code: number][] = [
  [/ run auditProject /, 'It goes on by itself when', 130],
  [/^temporal server start-dev /, 'Server:  localhost', 0],
];
/** What ends with 3, since a reader has something to do. */
const NOT_ALL_DONE = / (schedules plan|status|backfill start --input @(plan|backfill)\.json)\b/;

/** What would take hours, find what nobody has seen yet, or take a port that others use. */
const bounded = async (command: string): Promise<string> =>
  command
    .replace(/--(seeds|minutes) \d+/, '--seeds 1 --from 61')
    .replace(/^temporal server start-dev /, `$&--headless --port ${await freePort()} `);

/** Before a command, what it speaks of. */
async function prepare(file: string, command: string): Promise<void> {
  if (command.startsWith('temporal schedule')) await noteKeys(stage.temporal.client, ['0123456789abcdef']);
  const [, input] = /@([\w-]+\.json)/.exec(command) ?? [];
  if (input === undefined) return;
  keep(input, textOf(join(dirname(file), input)));
  if (file.includes('csv-backfill')) keep('storage/leads.csv', textOf(join(dirname(file), 'leads.csv')));
}

test('there are many', () => {
  expect(TYPED.length).toBeGreaterThan(50);
});

test.each(TYPED)('%s: %s', async (file, command) => {
  await prepare(file, command);
  const [, says, ends = 0] = GOES_ON.find(([which]) => which.test(command)) ?? [];
  const { code, text } = await typed(await filled(await bounded(command)), says);
  const right = NOT_ALL_DONE.test(command) ? [ends, 3] : [ends];
  expect([right.includes(code ?? -1), code, text]).toEqual([true, code, expect.not.stringMatching(/^\s+at /m)]);
  // What follows needs a run that waits, and an account that is free.
  if (/ (approve|stop) /.test(command)) pipeline = undefined;
  if (/ hold /.test(command)) await typed('npx audit-runner release default --reason over');
});
