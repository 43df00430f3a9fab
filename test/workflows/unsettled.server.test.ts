/** Runs that are gone with a call of which nobody can tell what became of it: who began them waits, says so, and ends. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RouteName } from '../../src/agent-api/routes';
import { subjectQuery } from '../../src/ledger/messages';
import { leadSubject } from '../../src/paying/subject';
import { auditProjectId, convertLeadId } from '../../src/runs/run-ids';
import { type accountLedger, backfill, leadPipeline } from '../../workflows';
import { detailsOf } from '../support/details';
import { completedLeads, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
let worker: Awaited<ReturnType<Stage['startWorker']>>;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 60, credits: 100_000 } });
  worker = await stage.startWorker();
});
afterAll(() => stage.close());

const GONE = 'Under way, though the run was ended by hand or has failed';
const client = () => stage.temporal.client;
const page = (workflowId: string) => detailsOf(client(), workflowId);

/** A batch of one item. */
async function batch(workflowId: string, operation: 'convertLead' | 'auditProject', row: object) {
  await mkdir(join(stage.folder, 'storage'), { recursive: true });
  const ref = `${workflowId}.jsonl`;
  await writeFile(join(stage.folder, 'storage', ref), `${JSON.stringify(row)}\n`);
  return client().workflow.start(backfill, {
    ...{ workflowId, taskQueue: 'audit-runner' },
    args: [{ operation, file: { ref }, maxCredits: 1_000 }],
  });
}

/** Does what an earlier batch left undone. */
const redrive = (input: { redriveOf: string; defaults?: Record<string, unknown> }) =>
  client().workflow.execute(backfill, {
    ...{ workflowId: `${input.redriveOf}-again`, taskQueue: 'audit-runner' },
    args: [{ maxCredits: 1_000, ...input }],
  });

/** Starts a run, and ends that of its item by hand in a call; the service does not tell what became of it. */
async function loseRun<T>(
  start: () => Promise<T>,
  item: () => Promise<string>,
  sends: RouteName,
  tells: RouteName,
): Promise<T> {
  const { control } = stage.sandbox;
  const sent = () => control.stats().faults.filter(({ route }) => route === sends).length;
  const before = sent();
  control.addFault({ route: sends, fault: 'delayReply', delayMs: 60_000 });
  const run = await start();
  await until(() => sent() > before);
  control.addFault({ route: tells, fault: 'status', status: 404, times: 10_000 });
  await client()
    .workflow.getHandle(await item())
    .terminate('a person ended it');
  return run;
}

afterEach(() => stage.sandbox.control.clearFaults());

test('S3 S6 S7: a conversion of a batch waits for a person; a redrive pays for it no second time', async () => {
  const [leadId = ''] = completedLeads(stage);
  const run = await loseRun(
    () => batch('leads', 'convertLead', { leadId }),
    async () => convertLeadId('default', leadId),
    ...(['leads.convert', 'leads.get'] as const),
  );
  await until(async () => (await page('leads')).includes(GONE));
  const result = await run.result();
  expect(result).toMatchObject({ ended: 'done', credits: 0, counts: { waiting: 1 } });
  expect(result.reasons).toEqual({ 'waiting: person: notSettled': 1 });
  expect(stage.figures()).toMatchObject({ conversions: 1, spent: 1_000 });
  stage.sandbox.control.clearFaults();
  expect(await redrive({ redriveOf: 'leads' })).toMatchObject({ credits: 0, counts: { alreadyDone: 1 } });
  expect(stage.figures()).toMatchObject({ conversions: 1, spent: 1_000 });
}, 180_000);

test('S6 S7: a project of a batch waits for a person', async () => {
  const run = await loseRun(
    () => batch('projects', 'auditProject', { project: { clientName: 'Not Told' }, reference: 'R-1' }),
    async () => auditProjectId('default', 'R-1'),
    ...(['projects.create', 'projects.list'] as const),
  );
  await until(async () => (await page('projects')).includes(GONE));
  expect(await run.result()).toMatchObject({ ended: 'done', credits: 0, counts: { waiting: 1 } });
  const { spent } = stage.figures();
  stage.sandbox.control.clearFaults();
  const again = await redrive({ redriveOf: 'projects', defaults: { prerequisites: 'fail' } });
  expect(again).toMatchObject({ items: 1, counts: { failed: 1 }, reasons: { 'failed: prerequisitesMissing': 1 } });
  expect(stage.figures()).toMatchObject({ spent });
}, 180_000);

test('S6: workers that were away for long find out first what became of it', async () => {
  const [leadId = ''] = completedLeads(stage);
  const run = await loseRun(
    () => batch('workers-away', 'convertLead', { leadId }),
    async () => convertLeadId('default', leadId),
    ...(['leads.convert', 'leads.get'] as const),
  );
  await until(async () => (await page('workers-away')).includes(GONE));
  const { open } = await client()
    .workflow.getHandle<typeof accountLedger>(stage.ledgerId)
    .query(subjectQuery, leadSubject(leadId));
  await worker.stop();
  stage.sandbox.control.clearFaults();
  const settlingMs = stage.config.accounts.default?.timing.settlingMs ?? 0;
  await until(() => Date.now() > (open?.overAt ?? 0) + 13 * settlingMs);
  worker = await stage.startWorker();
  expect(await run.result()).toMatchObject({ ended: 'done', credits: 1_000, counts: { done: 1 } });
}, 180_000);

test('S6 S7: a conversion of a pipeline is unresolved', async () => {
  const run = await loseRun(
    () =>
      client().workflow.start(leadPipeline, {
        ...{ workflowId: 'pipeline', taskQueue: 'audit-runner' },
        args: [{ maxConversions: 1, maxCredits: 1_000, scoring: { minReadiness: 0 } }],
      }),
    async () => /convert-lead\.default\.[^)\]]+/.exec(await page('pipeline'))?.[0] ?? '',
    ...(['leads.convert', 'leads.get'] as const),
  );
  await until(async () => (await page('pipeline')).includes(GONE));
  expect(await run.result()).toMatchObject({ ended: 'done', credits: 0, counts: { unresolved: 1 } });
}, 180_000);
