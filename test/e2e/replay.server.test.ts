/**
 * Runs survive deployments: what was recorded, now and by earlier versions, replays with the workflows of this version.
 * `RECORD_HISTORIES=1 npx jest test/e2e/replay && npx biome format --write test/e2e` records the histories
 * of this version; those of the versions before stay when they are given other names first.
 */
import { bundleWorkflowCode, DefaultLogger, type ReplayResult, Worker } from '@temporalio/worker';
import { workflowBundlePath } from '../../src/temporal/bundle';
import type { LedgerClient } from '../../src/temporal/ledger-client';
import {
  accountLedger,
  auditProject,
  backfill,
  callApi,
  convertLead,
  ingestCapture,
  leadPipeline,
} from '../../workflows';
import { progressQuery } from '../../workflows/convert-lead';
import { approveUpdate, pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { ledgerOf, withAccounts } from '../support/ledgers';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { keepRun, keptRuns, type Recorded, recordedRuns } from './support/recorded';

let stage: Stage;
let runs: Recorded[];
/** Runs of which a history is looked at; those that are kept are among them. */
const told =
  'convert-lead convert-lead.reply-lost convert-lead.refused convert-lead.held lead-pipeline account-ledger.by-name-recorded audit-project ingest-capture call-api backfill';

const taskQueue = 'audit-runner';
const converts = (workflowId: string, leadId: string) =>
  stage.temporal.client.workflow.start(convertLead, { workflowId, taskQueue, args: [{ leadId }] });
const pipeline = (workflowId: string, ...args: Parameters<typeof leadPipeline>) =>
  stage.temporal.client.workflow.start(leadPipeline, { workflowId, taskQueue, args });

/** A ledger that continues as new soon, with every kind of entry. */
async function ledgerThatContinues(ledger: LedgerClient): Promise<void> {
  for (let n = 0; n < 10; n++) {
    const request = { subject: `lead:${n}`, attempt: `attempt-${n}`, run: 'run', runCap: 1e6, credits: 1_000 };
    await ledger.beginSend({ ...request, lookedAt: Date.now() });
    if (n === 4) await ledger.reportHold({ kind: 'killSwitch', reason: 'test' });
    const settlement = n % 2 === 0 ? ({ kind: 'paid', credits: 1_000 } as const) : ({ kind: 'notPaid' } as const);
    await ledger.settle({ ...request, settlement });
  }
}

beforeAll(async () => {
  const quick = { createProject: 0, upload: 0, documentAnalysis: 0, interviewAnalysis: 0, audit: 100, extraction: 50 };
  stage = await startStage({ sandbox: { leads: 25, projects: 0, credits: 100_000, durations: quick } });
  const config = withAccounts(stage.config, ['recorded'], { timing: { ...QUICK.timing, sendWindowMs: 10_000 } });
  const ledger = ledgerOf(stage, config, 'recorded');
  await stage.temporal.client.workflow.start(accountLedger, {
    ...{ workflowId: ledger.workflowId, taskQueue, args: [{ maxEvents: 50 }] },
  });
  await stage.startWorker(config);
  const { control } = stage.sandbox;
  const leads = control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  const [plain = '', lost = '', refused = '', held = ''] = leads.map(({ id }) => id);
  await (await converts('convert-lead', plain)).result();
  control.addFault({ route: 'leads.convert', fault: 'replyLost' });
  await (await converts('convert-lead.reply-lost', lost)).result();
  control.addFault({ route: 'leads.convert', fault: 'status', status: 429, retryAfter: 1 });
  control.setAiKey({ present: false });
  await (await converts('convert-lead.refused', refused)).result();
  control.setAiKey({ present: true });
  control.setAgentApi({ enabled: false });
  const waits = await converts('convert-lead.held', held);
  await until(async () => (await waits.query(progressQuery)).waiting?.includes('on hold') === true);
  control.setAgentApi({ enabled: true });
  await waits.result();
  await (await pipeline('lead-pipeline.plan', { dryRun: true })).result();
  control.addFault({ route: 'leads.list', fault: 'status', status: 500 });
  const asks = await pipeline('lead-pipeline');
  await until(async () => (await asks.query(pipelineProgressQuery)).waiting?.includes('Approval') === true);
  await asks.executeUpdate(approveUpdate, { args: [{ by: 'Ada' }] });
  await asks.result();
  await stage.temporal.client.workflow.execute(auditProject, {
    ...{ workflowId: 'audit-project', taskQueue },
    args: [{ project: { clientName: 'Client' }, prerequisites: 'fail' }],
  });
  const note = { note: 'Invoice intake goes first. [fails 1]' };
  control.addFault({ route: 'captures.submitNote', fault: 'replyLost' });
  await stage.temporal.client.workflow.execute(ingestCapture, {
    workflowId: 'ingest-capture',
    taskQueue,
    args: [note],
  });
  const call = { route: 'account.credits' };
  await stage.temporal.client.workflow.execute(callApi, { workflowId: 'call-api', taskQueue, args: [call] });
  const batch = { operation: 'convertLead' as const, leads: {}, dryRun: true };
  await stage.temporal.client.workflow.execute(backfill, { workflowId: 'backfill', taskQueue, args: [batch] });
  await ledgerThatContinues(ledger);
  const { client } = stage.temporal;
  await until(async () => {
    runs = await recordedRuns(client);
    return told.split(' ').every((id) => runs.some(({ workflowId }) => workflowId === id));
  });
});
afterAll(() => stage.close());

const length = ({ history }: Recorded) => history.events?.length ?? 0;

/** Which run failed to replay, and how. */
async function failures(codePath: string | { code: string }, recorded: readonly Recorded[]): Promise<string[]> {
  const workflowBundle = typeof codePath === 'string' ? { codePath } : codePath;
  const results: ReplayResult[] = [];
  for await (const result of Worker.runReplayHistories({ workflowBundle }, recorded)) results.push(result);
  expect(results).toHaveLength(recorded.length);
  return results.flatMap(({ workflowId, error }) => (error ? [`${workflowId}: ${error.name}`] : []));
}

test('every run of this version replays', async () => {
  expect(runs.filter(({ workflowId }) => workflowId === 'account-ledger.by-name-recorded').length).toBeGreaterThan(1);
  expect(await failures(workflowBundlePath({}), runs)).toEqual([]);
});

test('the histories that earlier versions left replay', async () => {
  if (process.env.RECORD_HISTORIES)
    for (const name of told
      .split(' ')
      .filter((one) => !['convert-lead', 'convert-lead.refused', 'call-api'].includes(one))) {
      const [run] = runs.filter(({ workflowId }) => workflowId === name).sort((a, b) => length(b) - length(a));
      if (run) keepRun(name, run);
    }
  const kept = keptRuns();
  expect(kept.length).toBeGreaterThan(3);
  expect(await failures(workflowBundlePath({}), kept)).toEqual([]);
});

test('negative control: a workflow that does something else first fails the replay of what is recorded', async () => {
  const logger = new DefaultLogger('ERROR');
  const bundle = await bundleWorkflowCode({ workflowsPath: require.resolve('./fixtures/incompatible.ts'), logger });
  const recorded = [...runs, ...keptRuns()].filter(({ workflowId }) => workflowId.startsWith('convert-lead'));
  expect(await failures(bundle, recorded)).toEqual(
    recorded.map(({ workflowId }) => `${workflowId}: DeterminismViolationError`),
  );
});
