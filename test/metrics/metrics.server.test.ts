/** What a real worker shows at its metrics endpoint while it works against the sandbox. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdUpdate, releaseUpdate } from '../../src/ledger/messages';
import { type LabelsOf, METRICS, type MetricName, metricNames } from '../../src/metrics/definitions';
import { backfill, convertLead, leadPipeline } from '../../workflows';
import { approveUpdate } from '../../workflows/lead-pipeline';
import { type Stage, startStage, UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { openEndpoint, type Sample, sumOf } from './endpoint';
import { expressions, metricsOf } from './expressions';

const CREDITS = 100_000;
const PER_DAY = 50_000;
const FLOOR = 500;

let endpoint: Awaited<ReturnType<typeof openEndpoint>>;
let stage: Stage;
let samples: Sample[];
beforeAll(async () => {
  endpoint = await openEndpoint();
  stage = await startStage({
    sandbox: { leads: 20, credits: CREDITS },
    account: {
      timing: { ...UNHURRIED, paidTimeoutMs: 30_000, settlingMs: 10_000 },
      budget: { perDay: PER_DAY, balanceFloor: FLOOR },
    },
    gaugesEveryMs: 100,
  });
  await stage.startWorker();
});
afterAll(() => stage.close());

/** The present value of a metric of the account, over all other labels. */
const now = <N extends MetricName>(name: N, labels: Partial<LabelsOf<N>> = {}) =>
  sumOf(samples, name, { account: 'default', ...labels } as Record<string, string>);
/** Scrapes until this is so, of one page. */
const shows = (condition: () => boolean) =>
  until(async () => {
    samples = await endpoint.samples();
    return condition();
  });
const ledger = () => stage.temporal.client.workflow.getHandle(stage.ledgerId);
const start = (workflowId: string, input: Parameters<typeof leadPipeline>[0]) =>
  stage.temporal.client.workflow.start(leadPipeline, { workflowId, taskQueue: 'audit-runner', args: [input] });

test('what the account has and what holds for it', async () => {
  await shows(() => now('audit_runner_credits_balance') !== undefined);
  expect(now('audit_runner_worker')).toBe(1);
  expect(now('audit_runner_credits_balance')).toBe(CREDITS);
  expect(now('audit_runner_credits_per_day')).toBe(PER_DAY);
  expect(now('audit_runner_credits_floor')).toBe(FLOOR);
  expect(now('audit_runner_credits_conversion_price')).toBe(1_000);
  expect(now('audit_runner_credits_reserved')).toBe(0);
  expect(now('audit_runner_sends_open')).toBe(0);
  expect(now('audit_runner_hold_since_timestamp_seconds')).toBe(0);
  expect(now('audit_runner_quota_per_minute', { queue: 'reads' })).toBe(60_000);
  const age = Date.now() / 1_000 - (now('audit_runner_ledger_read_timestamp_seconds') ?? 0);
  expect(age).toBeLessThan(60);
});

test('a pipeline asks a person, converts, and what it did is counted', async () => {
  const began = Date.now() / 1_000;
  const run = await start('counted', { maxConversions: 2, approval: 'all', scoring: { minReadiness: 0 } });
  await shows(
    () =>
      now('audit_runner_runs_waiting_for_person') === 1 &&
      (now('audit_runner_person_waiting_since_timestamp_seconds') ?? 0) > 0,
  );
  const since = now('audit_runner_person_waiting_since_timestamp_seconds') ?? 0;
  expect(since).toBeGreaterThan(began - 5);
  expect(since).toBeLessThan(Date.now() / 1_000 + 5);

  await run.executeUpdate(approveUpdate, { args: [{ by: 'Ada' }] });
  const { counts } = await run.result();
  expect(counts.converted).toBe(2);
  await shows(
    () =>
      now('audit_runner_credits_spent_today') === 2_000 &&
      now('audit_runner_runs_waiting_for_person') === 0 &&
      // A reading between a payment and its booking makes it less, until the next one.
      now('audit_runner_credits_balance') === CREDITS - 2_000,
  );
  expect(now('audit_runner_person_waiting_since_timestamp_seconds')).toBe(0);
  expect(now('audit_runner_credits_booked_total')).toBe(2_000);
  for (const [outcome, n] of Object.entries(counts))
    expect([outcome, now('audit_runner_items_total', { workflow: 'leadPipeline', outcome })]).toEqual([outcome, n]);
  expect(now('audit_runner_permit_wait_seconds_count' as MetricName)).toBeGreaterThan(0);
});

test('S6: items of a batch are counted by their outcome', async () => {
  const { folder, sandbox, temporal } = stage;
  const [lead] = sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'converted');
  mkdirSync(join(folder, 'storage'), { recursive: true });
  writeFileSync(join(folder, 'storage', 'leads.csv'), `leadId\n${lead?.id}\nnobody\n`);
  const run = await temporal.client.workflow.start(backfill, {
    ...{ workflowId: 'batch', taskQueue: 'audit-runner' },
    args: [{ operation: 'convertLead', file: { ref: 'leads.csv' }, maxCredits: 1_000 }],
  });
  const { counts } = await run.result();
  expect(counts).toMatchObject({ alreadyDone: 1, failed: 1 });
  await shows(() => now('audit_runner_items_total', { workflow: 'backfill' }) === 2);
  for (const outcome of ['alreadyDone', 'failed'])
    expect([outcome, now('audit_runner_items_total', { workflow: 'backfill', outcome })]).toEqual([outcome, 1]);
});

test('what a paid call under way may cost is reserved', async () => {
  const { control } = stage.sandbox;
  const [lead] = control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 25_000 });
  const run = await stage.temporal.client.workflow.start(convertLead, {
    ...{ workflowId: 'delayed', taskQueue: 'audit-runner', args: [{ leadId: lead?.id ?? '' }] },
  });
  await shows(() => now('audit_runner_sends_open') === 1);
  expect(now('audit_runner_credits_reserved')).toBe(1_000);
  await until(() => control.stats().faults.length === 1);
  control.endDelays();
  await run.result();
  await shows(() => now('audit_runner_sends_open') === 0);
  expect(now('audit_runner_credits_reserved')).toBe(0);
  expect(now('audit_runner_sends_settling')).toBe(0);
});

test('a lost call is open until it is over, and settles', async () => {
  const { control } = stage.sandbox;
  const [lead] = control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  control.addFault({ route: 'leads.convert', fault: 'cutBeforeCommit' });
  const run = await stage.temporal.client.workflow.start(convertLead, {
    ...{ workflowId: 'lost', taskQueue: 'audit-runner', args: [{ leadId: lead?.id ?? '' }] },
  });
  await shows(() => now('audit_runner_requests_total', { route: 'leads.convert', outcome: 'unknown' }) === 1);
  await shows(() => now('audit_runner_sends_open') === 1);
  expect(now('audit_runner_sends_settling')).toBe(0);
  await shows(() => now('audit_runner_sends_settling') === 1);
  expect(await run.result()).toMatchObject({ outcome: 'converted' });
  await shows(() => now('audit_runner_sends_open') === 0 && now('audit_runner_sends_settling') === 0);
});

test('a 429 is counted and parks its class; a hold says since when', async () => {
  const throttled = { route: 'leads.get', outcome: 'throttled' };
  const { control } = stage.sandbox;
  const [lead] = control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  control.addFault({ route: 'leads.get', fault: 'status', status: 429, retryAfter: 600 });
  const run = await stage.temporal.client.workflow.start(convertLead, {
    ...{ workflowId: 'throttled', taskQueue: 'audit-runner', args: [{ leadId: lead?.id ?? '' }] },
  });
  await shows(() => (now('audit_runner_parked_until_timestamp_seconds', { rate_class: 'reads' }) ?? 0) > 0);
  expect(now('audit_runner_requests_total', throttled)).toBe(1);
  await run.terminate();
  const held = Date.now() / 1_000;
  await ledger().executeUpdate(holdUpdate, { args: [{ reason: 'test', by: 'Ada' }] });
  await shows(() => (now('audit_runner_hold_since_timestamp_seconds', { hold: 'manual' }) ?? 0) > held - 5);
  expect(now('audit_runner_hold_since_timestamp_seconds', { hold: 'killSwitch' })).toBe(0);
  await ledger().executeUpdate(releaseUpdate, { args: [{ reason: 'test', by: 'Ada', parks: true }] });
  await shows(() => now('audit_runner_hold_since_timestamp_seconds') === 0);
  expect(now('audit_runner_parked_until_timestamp_seconds', { rate_class: 'reads' })).toBe(0);
});

test('requests are those that the service has seen, route by route', async () => {
  // The ledger reads the balance meanwhile: of a request under way only the service knows yet.
  await until(async () => {
    const seen = Object.entries({ ...stage.sandbox.control.stats().requests.byRoute });
    samples = await endpoint.samples();
    return seen.length > 3 && seen.every(([route, n]) => now('audit_runner_requests_total', { route }) === n);
  }, 30_000);
});

test('workflow tasks that fail are counted by the SDK', async () => {
  const run = await stage.temporal.client.workflow.start('nobody', { workflowId: 'nobody', taskQueue: 'audit-runner' });
  const failed = () => sumOf(samples, 'temporal_workflow_task_execution_failed', { task_queue: 'audit-runner' }) ?? 0;
  await shows(() => failed() > 0);
  await run.terminate();
});

test('dashboard and alerts ask the SDK for metrics that its endpoint has', async () => {
  const shown = new Set((await endpoint.samples()).map(({ name }) => name));
  const asked = expressions().flatMap(({ expr }) => metricsOf(expr).filter((name) => name.startsWith('temporal_')));
  expect(asked.length).toBeGreaterThan(2);
  expect(asked.filter((name) => !shown.has(name))).toEqual([]);
});

test('S4: every metric of the endpoint is defined, with these labels and no others, and names nothing personal', async () => {
  const text = await endpoint.text();
  samples = await endpoint.samples();
  const own = samples.filter(({ name }) => name.startsWith('audit_runner_'));
  const bare = (name: string) => name.replace(/_(bucket|sum|count)$/, '') as MetricName;
  for (const { name, labels } of own) {
    const definition = METRICS[bare(name)];
    const { le: _, ...given } = labels;
    expect([name, Object.keys(given).sort()]).toEqual([name, [...(definition?.labels ?? [])].sort()]);
  }
  const missing = metricNames.filter((name) => !own.some((sample) => bare(sample.name) === name));
  // By chance nobody was sent away.
  expect(missing.filter((name) => name !== 'audit_runner_permits_refused_total')).toEqual([]);
  for (const lead of stage.sandbox.control.leads())
    for (const secret of [lead.id, stage.sandbox.token, '@']) expect(text).not.toContain(secret);
});
