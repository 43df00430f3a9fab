/** What the documents tell people to type, typed as it stands, in their order. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';
import { leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { blocks, FOR_READERS, textOf } from './documents';

/** These go on until they are interrupted, and have tests of their own; the examples are played by `test/examples`. */
const APART = /^npx audit-runner (codec-server|dev|demo|worker)\b/;

/** Commands of one document, each with the lines of its quoted input. */
function typedIn(file: string): string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of blocks(textOf(file), 'sh').join('').split('\n')) {
    open += `${open && '\n'}${line.trim()}`;
    if ((open.match(/'/g) ?? []).length % 2 === 1) continue;
    commands.push(open);
    open = '';
  }
  return commands.filter((command) => command.startsWith('npx audit-runner') && !APART.test(command));
}

const TYPED = FOR_READERS.filter((file) => !file.startsWith('examples/')).flatMap((file) =>
  typedIn(file).map((command) => [file, command] as const),
);

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
  for (const [name, content] of Object.entries(files)) {
    const path = join(stage.folder, 'storage', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
});
afterAll(() => stage.close());

interface Said {
  code: number | null;
  text: string;
}

/**
 * In the shell of a reader who has the package installed.
 * @param until it would go on: then it is interrupted
 */
async function typed(command: string, until?: string): Promise<Said> {
  const npx = `npx() { shift; exec "${process.execPath}" "${join(packageRoot(), 'bin', 'audit-runner.js')}" "$@"; }\n`;
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, USER: 'ada', NO_COLOR: '1', ...stage.env };
  const shell = spawn('bash', ['-c', npx + command], { cwd: stage.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
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

/** What goes on, and with which words it says so. */
const GOES_ON: readonly [command: RegExp, says: string][] = [[/ run auditProject /, 'It goes on by itself when']];
/** What ends with 3, since a reader has something to do. */
const NOT_ALL_DONE = / (schedules plan|status)\b/;

test('there are many', () => {
  expect(TYPED.length).toBeGreaterThan(30);
});

test.each(TYPED)('%s: %s', async (_, command) => {
  const [, goesOn] = GOES_ON.find(([which]) => which.test(command)) ?? [];
  const { code, text } = await typed(await filled(command), goesOn);
  const right = goesOn === undefined ? (NOT_ALL_DONE.test(command) ? [0, 3] : [0]) : [130];
  expect([right.includes(code ?? -1), code, text]).toEqual([true, code, expect.not.stringMatching(/^\s+at /m)]);
  // What follows needs a run that waits, and an account that is free.
  if (/ (approve|stop) /.test(command)) pipeline = undefined;
  if (/ hold /.test(command)) await typed('npx audit-runner release default --reason over');
});
