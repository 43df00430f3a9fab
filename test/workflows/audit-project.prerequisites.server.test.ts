/** What an audit needs beforehand: waited for whenever it is missing, and at little cost. */

import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { perClass } from '../../src/agent-api/rate-class';
import { addNeeds, noNeeds, planBackfill } from '../../src/batches/plan';
import { auditProject } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';

import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  const durations = { createProject: 0, upload: 0, documentAnalysis: 0, audit: 50 };
  stage = await startStage({ sandbox: { leads: 0, credits: 100_000, projects: 12, durations } });
  await stage.startWorker();
});
afterAll(() => stage.close());

type Input = Parameters<typeof auditProject>[0];
const start = (input: Input) =>
  stage.temporal.client.workflow.start(auditProject, {
    ...{ workflowId: `audit-${randomUUID()}`, taskQueue: 'audit-runner', args: [input] },
  });
let taken = 0;
/** A project of its own, its documents analysed, its interviews not. */
const project = () => {
  const { id = '', clientName = '' } = stage.sandbox.control.projects()[taken++] ?? {};
  stage.sandbox.control.addDocument({ projectId: id, fileName: 'a.txt', fileType: 'text/plain', fileSize: 1 });
  return { projectId: id, clientName };
};
const waitsForInterviews = (run: Awaited<ReturnType<typeof start>>) =>
  until(async () => (await run.query(progressQuery)).waiting?.includes('no interview analysis') === true);

test.concurrent('a synchronous audit that took too long waits for what the asynchronous one needs', async () => {
  const { projectId, clientName } = project();
  stage.sandbox.control.addFault({ route: 'projects.audit', about: clientName, fault: 'status', status: 504 });
  const run = await start({ projectId, mode: 'sync' });
  await waitsForInterviews(run);
  stage.sandbox.control.completeInterviews({ projectId });
  expect(await run.result()).toMatchObject({ outcome: 'audited' });
  expect(stage.sandbox.control.analyses({ projectId })).toHaveLength(1);
});

test.concurrent('a synchronous audit that only had to wait its turn stays synchronous', async () => {
  const { projectId, clientName } = project();
  stage.sandbox.control.addFault({
    ...{ route: 'projects.audit', about: clientName, fault: 'status', status: 429, retryAfter: 1 },
  });
  expect(await (await start({ projectId, mode: 'sync' })).result()).toMatchObject({ outcome: 'audited' });
});

test.concurrent('a start that is refused for what was shown too early waits for it; looks come seldom, behind others', async () => {
  const { projectId, clientName } = project();
  const body = { id: projectId, clientName, hasAnalysis: true, hasInterviewAnalysis: true };
  stage.sandbox.control.addFault({ route: 'projects.get', about: clientName, fault: 'instead', body });
  const run = await start({ projectId });
  await waitsForInterviews(run);
  stage.sandbox.control.completeInterviews({ projectId });
  expect(await run.result()).toMatchObject({ outcome: 'audited' });
  const { events } = await run.fetchHistory();
  const scheduled = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: one }) => one ?? []);
  const priorityOf = (name: string) =>
    scheduled.find(({ activityType }) => activityType?.name === name)?.priority?.priorityKey ?? 0;
  expect(priorityOf('awaitPrerequisites')).toBe(priorityOf('prerequisites') + 1);
});

test.concurrent('where that ends the run, a refused start says what is missing', async () => {
  const { projectId, clientName } = project();
  const body = { id: projectId, clientName, hasAnalysis: true, hasInterviewAnalysis: true };
  stage.sandbox.control.addFault({ route: 'projects.get', about: clientName, fault: 'instead', body });
  const result = await (await start({ projectId, prerequisites: 'fail' })).result();
  expect(result).toMatchObject({ outcome: 'refused', reason: 'prerequisitesMissing' });
  expect(result.sentence).toContain('no interview analysis');
});

test.concurrent.each([404, 400, 409])(
  'analyses that are shown and out of date are waited for, whatever the refusal: %i',
  async (status) => {
    const { projectId, clientName } = project();
    stage.sandbox.control.completeInterviews({ projectId });
    const refuse = { route: 'projects.auditAsync', about: clientName, fault: 'status' } as const;
    stage.sandbox.control.addFault({ ...refuse, status, times: 1_000 });
    const run = await start({ projectId });
    await until(async () => (await run.query(progressQuery)).waiting?.includes('may be out of date') === true);
    stage.sandbox.control.clearFaults({ about: clientName });
    expect(await run.result()).toMatchObject({ outcome: 'audited' });
  },
);

test.concurrent('a service without the call that is asked for refuses at once, and the sentence names the other mode', async () => {
  const { projectId, clientName } = project();
  stage.sandbox.control.completeInterviews({ projectId });
  for (const [route, mode, other] of [
    ['projects.auditAsync', 'async', 'sync'],
    ['projects.audit', 'sync', 'async'],
  ] as const) {
    stage.sandbox.control.addFault({ route, about: clientName, fault: 'status', status: 405, times: 1_000 });
    const run = await start({ projectId, mode });
    await until(async () => {
      const { status, waiting } = { status: (await run.describe()).status.name, ...(await run.query(progressQuery)) };
      return status === 'COMPLETED' || waiting?.includes('may be out of date') === true;
    });
    expect((await run.describe()).status.name).toBe('COMPLETED');
    const { outcome, reason, sentence } = await run.result();
    expect({ outcome, reason }).toEqual({ outcome: 'refused', reason: 'http405' });
    expect(sentence).toContain(`the service has no such call (http405); "mode": "${other}" may do.`);
  }
});

test.concurrent('S7: a start that is refused with 404 also names the other mode', async () => {
  const { projectId, clientName } = project();
  stage.sandbox.control.completeInterviews({ projectId });
  const refuse = { route: 'projects.auditAsync', about: clientName, fault: 'status', status: 404 } as const;
  stage.sandbox.control.addFault({ ...refuse, times: 1_000 });
  const run = await start({ projectId });
  await until(
    async () => (await run.query(progressQuery)).waiting?.includes('no such call: "mode": "sync" may do') === true,
  );
  const ended = await (await start({ projectId, prerequisites: 'fail' })).result();
  expect(ended).toMatchObject({ outcome: 'refused', reason: 'prerequisitesMissing' });
  expect(ended.sentence).toContain('"mode": "sync" may do');
  await run.cancel();
});

test('a plan counts the reads that an audit makes', async () => {
  const { projectId } = project();
  stage.sandbox.control.completeInterviews({ projectId });
  const storage = fileURLToPath(stage.config.storageUrl);
  mkdirSync(storage, { recursive: true });
  writeFileSync(join(storage, 'b.txt'), 'b');
  const input = { projectId, documents: ['b.txt'] };
  const needs = noNeeds();
  addNeeds(needs, 'auditProject', input);
  const { writes } = QUICK.limits;
  const limits = { ...perClass(() => writes), ...QUICK.limits };
  const plan = planBackfill('auditProject', needs, { limits, convertPrice: 1_000, createPrice: 1_000, maxCredits: 0 });
  const reads = () => {
    const { byClass, byRoute } = stage.sandbox.control.stats().requests;
    return byClass.reads - (byRoute['account.credits'] ?? 0);
  };
  const before = reads();
  expect(await (await start(input)).result()).toMatchObject({ outcome: 'audited' });
  expect(Math.abs(plan.calls.reads - (reads() - before))).toBeLessThanOrEqual(3);
});
