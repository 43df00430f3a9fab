import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORKFLOW_TYPES } from '../../src/runs/workflow-types';
import { keepExamples } from '../../src/start-here/examples';
import { ensureStartHere, START_HERE } from '../../src/start-here/keep';
import { packageRoot } from '../../src/temporal/package-root';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { startHere } from '../../workflows';
import { refreshSignal } from '../../workflows/start-here';
import { detailsOf } from '../support/details';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

const taskQueue = 'audit-runner';
let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 5 } });
  await stage.startWorker();
});
afterAll(() => stage.close());

const handle = (workflowId: string) => stage.temporal.client.workflow.getHandle(workflowId);
const pageOf = (workflowId: string) => detailsOf(stage.temporal.client, workflowId);
const shows = (workflowId: string, text: string) =>
  until(() =>
    pageOf(workflowId).then(
      (page) => page.includes(text),
      () => false,
    ),
  );

test('is started once however often it is asked for', async () => {
  const { client, namespace } = stage.temporal;
  await ensureStartHere(client);
  await shows(START_HERE, `](namespaces/${namespace}/workflows/start-workflow?workflowType=leadPipeline&`);
  const { runId } = await handle(START_HERE).describe();
  await ensureStartHere(client);
  const { runs } = await keepExamples(client, 'default');
  for (const runOfExample of Object.values(runs)) await shows(START_HERE, `runId=${runOfExample}`);
  expect((await handle(START_HERE).describe()).runId).toBe(runId);
});

test('goes on as new', async () => {
  const run = await stage.temporal.client.workflow.start(startHere, {
    ...{ workflowId: 'other-page', taskQueue, args: [{ maxEvents: 30 }] },
    typedSearchAttributes: [{ key: searchAttributeKeys.runKind, value: 'page' }],
  });
  const now = () => handle('other-page').describe();
  await until(async () => {
    await handle('other-page').signal(refreshSignal);
    return (await now()).runId !== run.firstExecutionRunId;
  });
  await shows('other-page', `](namespaces/${stage.temporal.namespace}/`);
  const { typedSearchAttributes } = await now();
  expect(typedSearchAttributes.get(searchAttributeKeys.runKind)).toBe('page');
});

test.each([...Object.keys(WORKFLOW_TYPES), 'accountLedger'])(
  '%s started with {} runs, or says what is missing',
  async (type) => {
    const run = await stage.temporal.client.workflow.start(type, {
      workflowId: `empty-${type}`,
      taskQueue,
      args: [{}],
    });
    await until(async () => {
      const { typedSearchAttributes: known, status } = await run.describe();
      return status.name !== 'RUNNING' || known.get(searchAttributeKeys.runKind) === 'person';
    });
    if ((await run.describe()).status.name !== 'FAILED') return;
    const { cause } = await run.result().then(
      () => ({ cause: undefined }),
      (error: Error) => error,
    );
    expect(cause).toMatchObject({
      type: 'BadInput',
      message: expect.stringMatching(/cannot start with this input: .{20}/),
    });
  },
);

test('the server takes every filter that operators.md gives', async () => {
  const text = readFileSync(join(packageRoot(), 'docs/operators.md'), 'utf8');
  const [, section = ''] = text.split('\n## Find a run');
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => /^\| `[A-Z]/.test(line));
  const filters = rows.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`([A-Z][^`]*)`/g)].map(([, filter]) => filter ?? ''),
  );
  expect(filters.length).toBeGreaterThan(7);
  for (const filter of filters)
    expect((await stage.temporal.client.workflow.count(filter)).count).toBeGreaterThanOrEqual(0);
  expect((await stage.temporal.client.workflow.count('ExecutionStatus = "Failed"')).count).toBeGreaterThan(3);
});
