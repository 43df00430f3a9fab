import { holdUpdate, releaseUpdate } from '../../src/ledger/messages';
import { convertLeadId } from '../../src/runs/run-ids';
import { type auditProject, convertLead, leadPipeline } from '../../workflows';
import { approveUpdate, pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { changeLimitsUpdate, pauseUpdate, resumeUpdate } from '../../workflows/pipeline/controls';
import { progressQuery } from '../../workflows/shared/status';
import { onStage, type Stage, type StageOptions, startStage, UNHURRIED } from '../support/stage';
import { until } from '../support/until';

// Time to say something to a run while its calls are under way.
// A project that is not shown at first is still fresh when a busy machine looks again.
const TIMING = { ...UNHURRIED, settlingMs: 5_000 };
const OPTIONS: StageOptions = {
  sandbox: { leads: 60, credits: 100_000, convertCheck: 'atArrival' },
  account: { timing: TIMING },
};

/** Of all tests but those that play on one of their own, beside the others. */
let stage: Stage;
beforeAll(async () => {
  stage = await startStage(OPTIONS);
  await stage.startWorker();
});
afterAll(() => stage.close());

const pipelineOn = ({ temporal }: Stage, workflowId: string, input?: Parameters<typeof leadPipeline>[0]) =>
  temporal.client.workflow.start(leadPipeline, { workflowId, taskQueue: 'audit-runner', args: [input] });
const pipeline = (workflowId: string, input?: Parameters<typeof leadPipeline>[0]) =>
  pipelineOn(stage, workflowId, input);
// Calls are under way until the test ends their delays, however busy the machine is.
const DELAYED = { route: 'leads.convert', fault: 'delay', delayMs: 100_000, times: 2 } as const;
const onItsOwn = (play: (own: Stage) => Promise<void>) =>
  onStage({ ...OPTIONS, account: { timing: { ...TIMING, paidTimeoutMs: 120_000 } } }, async (own) => {
    await own.startWorker();
    await play(own);
  });
const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);

test.concurrent('S6: a cancelled pipeline cancels no paid call, begins no more, and accounts for every lead', () =>
  onItsOwn(async (own) => {
    const { control } = own.sandbox;
    const atBegin = control.stats().faults.length;
    const before = own.figures();
    control.addLeads({ count: 20 });
    control.addFault(DELAYED);
    const run = await pipelineOn(own, 'cancelled', { maxConversions: 3, concurrency: 2, scoring: { minReadiness: 0 } });
    await until(() => control.stats().faults.length === atBegin + 2);
    const { underWay } = await run.query(pipelineProgressQuery);
    await run.cancel();
    const result = await run.result();
    expect(result).toMatchObject({ ended: 'cancelled', credits: 0, counts: { unresolved: 2 } });
    expect(sum(result.counts)).toBe(result.leads);
    const verdicts = 'inline' in result.decisions ? result.decisions.inline : [];
    expect(verdicts.filter(({ reasons }) => reasons.includes('itsRunGoesOn')).map(({ id }) => id)).toEqual(
      expect.arrayContaining(underWay),
    );
    expect(verdicts.filter(({ reasons }) => reasons.includes('cancelled'))).toHaveLength(1);
    control.endDelays();
    for (const leadId of underWay) {
      const conversion = own.temporal.client.workflow.getHandle<typeof convertLead>(convertLeadId('default', leadId));
      expect(await conversion.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
    }
    expect(own.figures().spent - before.spent).toBe(2_000);
  }));

test.concurrent('a person pauses it, changes its limits and lets it go on; a wrong word is answered with a sentence', () =>
  onItsOwn(async (own) => {
    own.sandbox.control.addLeads({ count: 40 });
    own.sandbox.control.addFault(DELAYED);
    const run = await pipelineOn(own, 'paused', { maxConversions: 6, concurrency: 2, scoring: { minReadiness: 0 } });
    const answerTo = (update: { name: string }, said: unknown) =>
      run.executeUpdate<unknown, [unknown]>(update.name, { args: [said] }).catch((error) => error.cause.message);
    await until(async () => (await run.query(pipelineProgressQuery)).underWay.length === 2);
    expect(await answerTo(pauseUpdate, { by: 5 })).toContain('pause: by was given a whole number of 1 digit');
    expect(await answerTo(approveUpdate, {})).toContain('does not wait for an approval');
    expect(await answerTo(changeLimitsUpdate, {})).toContain('at least one of maxConversions');
    expect(await answerTo(pauseUpdate, { by: 'Ada', reason: 'lunch' })).toContain('Paused');
    expect(await answerTo(pauseUpdate, {})).toContain('paused already');
    await until(() => own.sandbox.control.stats().faults.length === 2);
    own.sandbox.control.endDelays();
    await until(async () => (await run.query(pipelineProgressQuery)).underWay.length === 0);
    // S7: a hold that comes and goes meanwhile changes nothing about what ends the pause.
    const ledger = own.temporal.client.workflow.getHandle(own.ledgerId);
    const waitsOutHold = async () =>
      (await run.describe()).raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'awaitClearance');
    await ledger.executeUpdate(holdUpdate, { args: [{ reason: 'month end' }] });
    await until(async () => (await waitsOutHold()) === true);
    await ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'over' }] });
    await until(async () => (await waitsOutHold()) === false);
    expect((await run.query(pipelineProgressQuery)).waiting).toContain('Ada');
    expect(await answerTo(changeLimitsUpdate, { maxConversions: 'all' })).toContain(
      'maxConversions was given text of 3 characters',
    );
    expect(await answerTo(changeLimitsUpdate, { maxConversion: 3 })).toContain("did you mean 'maxConversions'");
    expect(await answerTo(changeLimitsUpdate, { maxConversions: 400 })).toContain('no more');
    expect(await answerTo(changeLimitsUpdate, { maxConversions: 3, by: 'Ada' })).toMatchObject({ maxConversions: 3 });
    expect(await answerTo(resumeUpdate, {})).toContain('Resumed');
    const result = await run.result();
    expect(result.counts.converted).toBe(3);
    expect(result.answers.map(({ by, answer }) => `${by}: ${answer}`)).toEqual([
      'Ada: pause (lunch)',
      'Ada: changeLimits {"maxConversions":3}',
      'somebody: resume',
    ]);
  }));

test.concurrent('S3: paused while another run has its lead, it begins none when that one ends; resumed it does', () =>
  onItsOwn(async (own) => {
    const { client } = own.temporal;
    const conversions = own.sandbox.control.leads().map(({ id }) => convertLeadId('default', id));
    // Nobody works on that queue.
    const others = new Set<string>();
    for (const workflowId of conversions) {
      const options = { workflowId, taskQueue: 'nobody', args: [{ leadId: 'none' }] };
      others.add((await client.workflow.start('convertLead', options)).firstExecutionRunId);
    }
    const run = await pipelineOn(own, 'paused', { maxConversions: 1, scoring: { minReadiness: 0 } });
    await until(async () => (await run.query(pipelineProgressQuery)).underWay.length === 1);
    await run.executeUpdate(pauseUpdate, { args: [{ by: 'Ada' }] });
    for (const workflowId of conversions) await client.workflow.getHandle(workflowId).terminate();
    const changes = async () => (await run.describe()).searchAttributes.TemporalChangeVersion;
    await until(async () => String(await changes()).includes('staysPaused'));
    // Lists lag behind: one that was ended a moment ago may still be told of.
    for await (const { workflowId, runId } of client.workflow.list({ query: "WorkflowType = 'convertLead'" }))
      if (!others.has(runId)) throw new Error(`${workflowId} was begun`);
    await run.executeUpdate(resumeUpdate, { args: [{ by: 'Ada' }] });
    expect(await run.result()).toMatchObject({ ended: 'done', credits: 1_000, counts: { converted: 1 } });
  }));

test.concurrent('S6: a limit that was lowered and reached may be raised again, and what it leaves over is said to be so', () =>
  onItsOwn(async (own) => {
    const { control } = own.sandbox;
    control.addLeads({ count: 20 });
    control.addFault(DELAYED);
    const run = await pipelineOn(own, 'raised', { maxConversions: 6, concurrency: 2, scoring: { minReadiness: 0 } });
    const limit = (maxConversions: number) => run.executeUpdate(changeLimitsUpdate, { args: [{ maxConversions }] });
    await until(() => control.stats().faults.length === 2);
    expect(await limit(2)).toMatchObject({ maxConversions: 2 });
    expect(await limit(3)).toMatchObject({ maxConversions: 3 });
    control.endDelays();
    const result = await run.result();
    expect(result).toMatchObject({ ended: 'done', credits: 3_000, counts: { converted: 3 } });
    const verdicts = 'inline' in result.decisions ? result.decisions.inline : [];
    const left = verdicts.filter(({ decision, outcome }) => decision === 'convert' && outcome === 'skipped');
    expect(left.map(({ reasons }) => reasons)).toEqual(Array(3).fill(['meetsAll', 'overMaxConversions']));
  }));

test('a dry run writes nothing and says what it would cost', async () => {
  const result = await (await pipeline('dry', { dryRun: true, view: 'all' })).result();
  expect(result).toMatchObject({ ended: 'planned', credits: 0, plan: { conversions: 10, credits: 10_000 } });
  expect(sum(result.counts)).toBe(60);
  expect(stage.figures()).toMatchObject({ converts: 0, spent: 0 });
});

test('S6: converts the best within the budget; every lead ends as something, and the sums are equal', async () => {
  // The ledger reads the balance by itself, the more often the longer it takes.
  const reads = () => stage.figures().reads - (stage.sandbox.control.stats().requests.byRoute['account.credits'] ?? 0);
  const [before, readBefore] = [stage.figures(), reads()];
  const result = await (await pipeline('five', { maxConversions: 5, view: 'all' })).result();
  const after = stage.figures();
  expect(result.counts.converted).toBe(5);
  expect(result.credits).toBe(5_000);
  expect(sum(result.counts)).toBe(60);
  expect(after.spent - before.spent).toBe(5_000);
  expect(after.paidTwice).toBe(0);
  // ceil(N / 500) reads to list, two per conversion (the lead before, the project after), and a handful.
  expect(reads() - readBefore).toBeLessThanOrEqual(1 + 2 * 5 + 5);
});

test('S1: two pipelines and people over the same leads at once convert each lead once', async () => {
  const before = stage.figures();
  const input = { maxConversions: 8, scoring: { minReadiness: 0 }, concurrency: 4 };
  // Some of those that the pipelines choose, under IDs of their own: only the ledger holds these apart.
  const byHand = stage.sandbox.control
    .leads()
    .filter(({ surveyStatus }) => surveyStatus === 'completed')
    .sort((one, two) => (two.aiReadinessScore ?? 0) - (one.aiReadinessScore ?? 0))
    .slice(0, 4)
    .map(({ id: leadId }) =>
      stage.temporal.client.workflow.start(convertLead, {
        ...{ workflowId: `by-hand-${leadId}`, taskQueue: 'audit-runner', args: [{ leadId }] },
      }),
    );
  const runs = await Promise.all(['twin-1', 'twin-2'].map((id) => pipeline(id, input)));
  const results = await Promise.all(runs.map((run) => run.result()));
  const ofPeople = await Promise.all(byHand.map(async (run) => (await run).result()));
  const after = stage.figures();
  const credits = [...results, ...ofPeople].reduce((n, { credits }) => n + credits, 0);
  expect(ofPeople.filter(({ credits }) => credits > 0).length).toBeGreaterThan(0);
  expect(results.reduce((n, { counts }) => n + (counts.converted ?? 0), 0)).toBeGreaterThan(0);
  expect(after.spent - before.spent).toBe(credits);
  expect(after.conversions - before.conversions).toBe(credits / 1_000);
  const { paidTwice, paidOverlapping } = stage.sandbox.control.stats();
  expect({ paidTwice, paidOverlapping }).toEqual({ paidTwice: [], paidOverlapping: [] });
});

test('who names no budget is asked: waits for an approval, says so, and goes on when it comes', async () => {
  const run = await pipeline('asks', { scoring: { minReadiness: 0 } });
  await until(async () => (await run.query(pipelineProgressQuery)).waiting?.includes('Approval') === true);
  await expect(run.executeUpdate(approveUpdate, { args: [{ by: 'Ada' }] })).resolves.toContain('Approved');
  const result = await run.result();
  expect(result).toMatchObject({ ended: 'done', approvedBy: 'Ada' });
  expect(result.counts.converted).toBeGreaterThan(0);
});

test('without an approval in time nothing is converted', async () => {
  const result = await (await pipeline('late', { scoring: { minReadiness: 0 }, approvalDeadline: '1s' })).result();
  expect(result).toMatchObject({ ended: 'expired', credits: 0 });
});

test('S6: a terminated conversion that was paid is reported as converted', async () => {
  stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'delayReply', delayMs: 60_000 });
  const before = stage.figures().conversions;
  const run = await pipeline('terminated', {
    maxConversions: 1,
    scoring: { minReadiness: 0 },
    surveyStatus: ['completed', 'pending'],
  });
  await until(() => stage.figures().conversions > before);
  const lead = stage.sandbox.control
    .leads()
    .filter(({ surveyStatus }) => surveyStatus === 'converted')
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))[0];
  await stage.temporal.client.workflow
    .getHandle<typeof convertLead>(convertLeadId('default', lead?.id ?? ''))
    .terminate('a person ended it');
  const result = await run.result();
  expect(result.counts).toMatchObject({ converted: 1 });
  expect(result.counts.failed).toBeUndefined();
  expect(result.credits).toBe(1_000);
});

test('goes on to the audit of each converted lead: runs of their own that outlive it, linked both ways', async () => {
  // The first look at each project comes before the service shows it.
  stage.sandbox.control.addFault({ route: 'projects.get', fault: 'status', status: 404, times: 2 });
  const run = await pipeline('goes-on', {
    ...{ maxConversions: 2, scoring: { minReadiness: 0 }, surveyStatus: ['completed', 'pending'] },
    ...{ then: 'audit', audit: { prerequisitesDeadline: '1h' } },
  });
  const { decisions } = await run.result();
  const converted = ('inline' in decisions ? decisions.inline : []).filter(({ outcome }) => outcome === 'converted');
  expect(converted).toHaveLength(2);
  for (const { audit, projectId } of converted) {
    expect(audit).toBe(`audit-project.default.${projectId}`);
    const handle = stage.temporal.client.workflow.getHandle<typeof auditProject>(audit ?? '');
    await until(async () => (await handle.query(progressQuery)).waiting?.includes('interview analysis') === true);
    expect(await (await handle.describe()).staticDetails()).toContain('goes-on');
    await handle.terminate();
  }
});

test('documents of the audits that are not there are told before anything is converted', async () => {
  const before = stage.figures().leadCalls;
  const run = await pipeline('no-files', { then: 'audit', audit: { documents: ['no/such.pdf'] } });
  const failure = await run.result().catch((error) => error);
  expect(failure.cause).toMatchObject({
    type: 'BadInput',
    message: expect.stringContaining('documents[0] is not in the storage'),
  });
  expect(stage.figures().leadCalls).toBe(before);
});

test('a wrong input fails at once, names the field, and calls nothing', async () => {
  const before = stage.figures().leadCalls;
  const wrong = JSON.parse('{"maxCredit": 5}');
  const failure = await (await pipeline('wrong', wrong)).result().catch((error) => error);
  expect(failure.cause).toMatchObject({
    type: 'BadInput',
    message: expect.stringContaining("did you mean 'maxCredits'?"),
  });
  expect(stage.figures().leadCalls).toBe(before);
});
