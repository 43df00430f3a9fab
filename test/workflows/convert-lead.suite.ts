import { randomUUID } from 'node:crypto';
import { CancelledFailure } from '@temporalio/common';
import Long from 'long';
import { convertLeadId } from '../../src/runs/run-ids';
import { variantOverrides } from '../../src/sandbox';
import type { FaultRule } from '../../src/sandbox/options';
import { convertLead } from '../../workflows';
import { decideUpdate } from '../../workflows/shared/asker';
import { chooseProjectUpdate } from '../../workflows/shared/choose-project';
import { progressQuery } from '../../workflows/shared/status';
import { faultsOf, type Part } from '../support/part';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

type Fault = Partial<FaultRule> & Pick<FaultRule, 'fault'>;

/** What went wrong, and how the run must end: always converted, once, for 1,000 credits. */
const FAULTS: [string, Fault[]][] = [
  ['the reply is lost', [{ fault: 'replyLost' }]],
  ['the service commits as late as it may', [{ fault: 'cutThenCommit', commitAfterMs: 2_300 }]],
  ['429 with seconds', [{ fault: 'status', status: 429, retryAfter: 1 }]],
  ['the connection is cut before the commit', [{ fault: 'cutBeforeCommit' }]],
  // 45 s in production is a fifth of the paid time limit; so it is here.
  ['the connection is cut while the service commits later', [{ fault: 'cutThenCommit', commitAfterMs: 700 }]],
  ['the reply takes longer than the time limit', [{ fault: 'delayReply', delayMs: 2_200 }]],
  ['the call takes longer than the time limit', [{ fault: 'delay', delayMs: 2_000 }]],
  ['500 after the commit', [{ fault: 'statusAfterCommit', status: 500 }]],
  ['500 before the commit', [{ fault: 'status', status: 500 }]],
  ['502 with an HTML body', [{ fault: 'html' }]],
  ['503 without a code', [{ fault: 'status', status: 503 }]],
  ['429 with a date', [{ fault: 'status', status: 429, retryAfter: 1, retryAfterForm: 'date' }]],
  ['429 with nothing', [{ fault: 'status', status: 429 }]],
  ['a garbage 2xx', [{ fault: 'garbage' }]],
  ['an empty 2xx', [{ fault: 'empty' }]],
  ['a 200 that says success: false', [{ fault: 'instead', body: { success: false, error: 'Busy' } }]],
  ['the reply is lost after a first try that never arrived', [{ fault: 'cutBeforeCommit' }, { fault: 'replyLost' }]],
];

/** Files for each variant of the undocumented shapes and each part run this, so that they run side by side. */
export function convertLeadSuite(variant: 'a' | 'b', part: Part): void {
  let stage: Stage;
  const fresh: string[] = [];
  beforeAll(async () => {
    stage = await startStage({
      sandbox: { variant, leads: 80, credits: 100_000, convertCheck: 'atArrival', projects: 0 },
      ...(variant === 'b' && { account: { undocumented: { ...variantOverrides } } }),
    });
    await stage.startWorker();
    fresh.push(
      ...stage.sandbox.control
        .leads()
        .filter(({ surveyStatus }) => surveyStatus === 'completed')
        .map(({ id }) => id),
    );
  });
  afterAll(() => stage.close());

  const start = (leadId: string, workflowId = convertLeadId('default', leadId), more: object = {}) =>
    stage.temporal.client.workflow.start(convertLead, {
      workflowId,
      taskQueue: 'audit-runner',
      args: [{ leadId, ...more }],
    });
  const next = () => fresh.shift() ?? '';

  const fail = (leadId: string, fault: Fault) =>
    stage.sandbox.control.addFault({ route: 'leads.convert', about: leadId, ...fault });
  /** Waits until the call whose fault takes its time has arrived. */
  const inTheCall = (leadId: string) =>
    until(() => stage.sandbox.control.stats().faults.some(({ about }) => about === leadId));
  /** Leads that the tests running side by side had converted. */
  let converted = 0;
  const projects: string[] = [];

  test.concurrent.each(faultsOf(part, FAULTS))('S1 S2 S3: converts once and reports it when %s', async (_, faults) => {
    const leadId = next();
    for (const fault of faults) fail(leadId, fault);
    const result = await (await start(leadId)).result();
    converted++;
    expect(result).toMatchObject({ outcome: 'converted', credits: 1_000 });
    const lead = stage.sandbox.control.leads().find(({ id }) => id === leadId);
    expect(lead?.surveyStatus).toBe('converted');
    expect(stage.sandbox.control.projects().filter(({ id }) => id === result.projectId)).toHaveLength(1);
    expect(projects).not.toContain(result.projectId);
    projects.push(result.projectId ?? '');
  });

  const booksAreRight = (stories: number) =>
    test('S1 S3: all of these were paid for once, none by two calls in flight, and the ledger has exactly that', async () => {
      const { spent, conversions, paidTwice } = stage.figures();
      expect({ spent, conversions, paidTwice }).toEqual({
        ...{ spent: 1_000 * converted, conversions: converted, paidTwice: 0 },
      });
      expect(converted).toBe(faultsOf(part, FAULTS).length + stories);
      expect(stage.sandbox.control.stats().paidOverlapping).toEqual([]);
      await until(async () => (await stage.spentByLedger()) === spent);
    });

  if (part === 'faults') {
    booksAreRight(0);
    return;
  }

  test.concurrent('S1: started twice under different IDs, it converts once', async () => {
    const leadId = next();
    fail(leadId, { fault: 'delay', delayMs: 700 });
    const runs = await Promise.all([start(leadId), start(leadId, `by-hand-${randomUUID()}`)]);
    const results = await Promise.all(runs.map((run) => run.result()));
    converted++;
    expect(results.map(({ outcome }) => outcome).sort()).toEqual(['alreadyConverted', 'converted']);
    expect(results.reduce((n, { credits }) => n + credits, 0)).toBe(1_000);
  });

  test.concurrent('S1 S6: reset in the call, it converts once and reports it with its project', async () => {
    const leadId = next();
    fail(leadId, { fault: 'delay', delayMs: 1_400 });
    const run = await start(leadId);
    await inTheCall(leadId);
    await stage.temporal.client.workflowService.resetWorkflowExecution({
      namespace: stage.temporal.namespace,
      workflowExecution: { workflowId: run.workflowId },
      reason: 'test',
      requestId: randomUUID(),
      workflowTaskFinishEventId: Long.fromNumber(4),
    });
    const result = await stage.temporal.client.workflow.getHandle<typeof convertLead>(run.workflowId).result();
    converted++;
    expect(result).toMatchObject({ outcome: 'converted', credits: 1_000 });
    expect(stage.sandbox.control.projects().filter(({ id }) => id === result.projectId)).toHaveLength(1);
    expect(projects).not.toContain(result.projectId);
    projects.push(result.projectId ?? '');
  });

  test.concurrent('S1: started twice, its ID written in small and in capital letters, it converts once', async () => {
    const leadId = next();
    fail(leadId, { fault: 'delay', delayMs: 1_400 });
    const runs = [await start(leadId, 'small'), await start(leadId.toUpperCase(), 'capital')];
    const outcomes = (await Promise.all(runs.map((run) => run.result()))).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(['alreadyConverted', 'converted']);
    converted++;
  });

  test.concurrent.each<[string, Fault]>([
    ['the reply comes', { fault: 'delay', delayMs: 1_400 }],
    ['the reply is lost', { fault: 'delayReply', delayMs: 60_000 }],
  ])('S6: cancelled in the call, it reports what was paid for when %s', async (_, fault) => {
    const leadId = next();
    fail(leadId, fault);
    const run = await start(leadId);
    await inTheCall(leadId);
    await run.cancel();
    expect(await run.result()).toMatchObject({ outcome: 'converted', credits: 1_000, projectId: expect.any(String) });
    converted++;
  });

  test.concurrent('S6: cancelled before anything was sent, it sends nothing', async () => {
    const leadId = next();
    stage.sandbox.control.addFault({ route: 'leads.get', about: leadId, fault: 'delay', delayMs: 60_000 });
    const run = await start(leadId);
    await inTheCall(leadId);
    await run.cancel();
    const failure = await run.result().catch((error) => error);
    expect(failure.cause).toBeInstanceOf(CancelledFailure);
    expect(stage.sandbox.control.leads().find(({ id }) => id === leadId)?.surveyStatus).toBe('completed');
  });

  booksAreRight(5);

  test('the ledger terminated in the call: converts once, and the new ledger goes on with the books of the old', async () => {
    const before = stage.figures();
    stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 700 });
    const leadId = next();
    const run = await start(leadId);
    await until(() => stage.figures().converts > before.converts);
    await stage.temporal.client.workflow.getHandle(stage.ledgerId).terminate('test');
    expect(await run.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
    expect(stage.figures().spent - before.spent).toBe(1_000);
    await until(async () => (await stage.spentByLedger()) === stage.figures().spent);
  });

  test('S2: what stays unknown twice is decided by a person, and the run says so meanwhile', async () => {
    stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'cutBeforeCommit', times: 2 });
    const leadId = next();
    const run = await start(leadId);
    await until(async () => (await run.query(progressQuery)).waiting?.includes('decide') === true);
    expect((await run.query(progressQuery)).waiting).toContain('The call in doubt: the connection broke before');
    const wrong = run.executeUpdate(decideUpdate, { args: [JSON.parse('{"decision":"maybe"}')] });
    await expect(wrong).rejects.toMatchObject({ cause: { message: expect.stringContaining('itHappened') } });
    await run.executeUpdate(decideUpdate, { args: [{ decision: 'sendAgain', by: 'Ada' }] });
    expect(await run.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
  });

  test('two leads of one business whose replies are both lost: the right project for each, or a question', async () => {
    const leads = stage.sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
    const twins = leads.flatMap((a) =>
      leads
        .filter((b) => a.id < b.id && a.businessName === b.businessName && a.clientName === b.clientName)
        .map((b) => [a, b]),
    );
    const pair =
      twins[0] ??
      leads.flatMap((a) =>
        leads.filter((b) => a.id < b.id && a.businessName === b.businessName).map((b) => [a, b]),
      )[0] ??
      [];
    expect(pair).toHaveLength(2);
    for (const { id } of pair) if (fresh.includes(id)) fresh.splice(fresh.indexOf(id), 1);
    const { conversions } = stage.figures();
    stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'replyLost', times: 2 });
    // Each looks for its project when both are there.
    stage.sandbox.control.addFault({ route: 'projects.list', fault: 'html', times: 1_000 });
    const runs = await Promise.all(pair.map(({ id }) => start(id)));
    await until(() => stage.figures().conversions === conversions + 2);
    stage.sandbox.control.clearFaults();
    let questions = 0;
    for (const run of runs) {
      await until(async () => {
        const { waiting } = await run.query(progressQuery);
        const choice = waiting?.match(/chooseProject/);
        // The other run is left with one, and its question may end at any moment.
        if (choice && results.length === 0) {
          questions++;
          const answer = (projectId: string) =>
            run.executeUpdate(chooseProjectUpdate, { args: [{ projectId, by: 'Ada' }] });
          await expect(answer('another')).rejects.toMatchObject({
            cause: { message: expect.stringContaining('Choose one of') },
          });
          await answer(waiting?.match(/own: ([^.]+)\./)?.[1]?.split(', ')[0] ?? '');
        }
        return (await run.describe()).status.name === 'COMPLETED';
      });
      results.push(await run.result());
    }
    expect(results.map(({ outcome }) => outcome)).toEqual(['converted', 'converted']);
    expect(new Set(results.map(({ projectId }) => projectId)).size).toBe(2);
    expect(questions).toBeLessThanOrEqual(1);
  });
  const results: { outcome: string; projectId?: string }[] = [];

  test('a lead that somebody else converted costs nothing and is not called ours', async () => {
    const leadId = next();
    stage.sandbox.control.convertLead({ leadId });
    // Outside the books: a ledger that has just begun anew would stop.
    const { credits } = stage.sandbox.control.credits();
    stage.sandbox.control.setCredits({ credits: credits + 1_000 });
    const result = await (await start(leadId)).result();
    expect(result).toMatchObject({ outcome: 'alreadyConverted', credits: 0 });
  });

  test('S6: what was refused and is gone by then is refused, and nobody is asked', async () => {
    const leadId = next();
    const gone = { about: leadId, fault: 'status', status: 404 } as const;
    fail(leadId, gone);
    stage.sandbox.control.addFault({ route: 'leads.get', ...gone, after: 1 });
    const run = await start(leadId);
    expect(await run.result()).toMatchObject({ outcome: 'refused', reason: 'http404', credits: 0 });
  });

  test('S6: a project that is not found in a list that was not read to its end: the result says what to set', async () => {
    const leadId = next();
    fail(leadId, { fault: 'replyLost' });
    const cut = { projects: [], hasMore: true };
    stage.sandbox.control.addFault({ route: 'projects.list', fault: 'instead', times: 1_000, body: cut });
    const result = await (await start(leadId)).result();
    stage.sandbox.control.clearFaults();
    expect(result).toMatchObject({
      ...{ outcome: 'converted', reason: 'projectNotFound', credits: 1_000 },
      problem: expect.stringContaining('set undocumented.projectsList'),
    });
  });

  test('a refusal is explained by a look, not by its text', async () => {
    stage.sandbox.control.setAiKey({ present: false });
    const result = await (await start(next())).result();
    stage.sandbox.control.setAiKey({ present: true });
    expect(result).toMatchObject({ outcome: 'refused', reason: 'http400', credits: 0 });
  });
}
