/** What the service shows late, or wrongly for a moment: a copy that lags, an earlier analysis, a job that nobody knows yet. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLOCK_TOLERANCE_MS } from '../../src/paying/open-sends';
import type { FaultRule } from '../../src/sandbox';
import { auditProject, ingestCapture } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';

import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

type Fault = Partial<FaultRule> & Pick<FaultRule, 'route' | 'fault'>;

const FOR_EVER = 1_000;
const QUICKLY = {
  createProject: 0,
  upload: 0,
  documentAnalysis: 0,
  interviewAnalysis: 0,
  audit: 50,
  extraction: 50,
} as const;
/** It needs no document. */
const SYNC = { mode: 'sync' } as const;

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({
    sandbox: { leads: 5, credits: 100_000, projects: 0, durations: QUICKLY },
    // Long enough for a third look, also on a busy machine.
    account: { timing: { ...QUICK.timing, settlingMs: 6_000 } },
  });
  await stage.startWorker();
});
afterAll(() => stage.close());

type Input = Parameters<typeof auditProject>[0];
const start = (input: Input) =>
  stage.temporal.client.workflow.start(auditProject, {
    ...{ workflowId: `audit-${randomUUID()}`, taskQueue: 'audit-runner', args: [input] },
  });
const run = async (input: Input) => (await start(input)).result();
const fresh = () => ({ project: { clientName: `Client ${randomUUID()}` } });
const about = ({ project: { clientName } }: ReturnType<typeof fresh>, ...faults: Fault[]) => {
  for (const fault of faults) stage.sandbox.control.addFault({ about: clientName, ...fault });
};
const unknown = (route: FaultRule['route'], times: number): Fault => ({ route, fault: 'status', status: 404, times });
/** A project with a complete audit. */
const audited = async () => {
  const input = fresh();
  const { projectId = '', analysis } = await run({ ...input, ...SYNC });
  stage.sandbox.control.addDocument({ projectId, fileName: 'a.txt', fileType: 'text/plain', fileSize: 1 });
  // The ledger lets nothing be sent by a look that is as young as the settlement: each would be looked for again.
  await sleep(CLOCK_TOLERANCE_MS + 100);
  return { input, projectId, analysisId: analysis?.analysisId ?? '' };
};
const analysesOf = (projectId: string) => stage.sandbox.control.analyses({ projectId });
const old = (id: string) => ({ id, status: 'complete', createdAt: '2026-01-01T00:00:00.000Z' });

test.concurrent('S6: a project of its own that the service does not show yet is waited for', async () => {
  const input = fresh();
  about(input, unknown('projects.get', 1));
  const result = await run({ ...input, prerequisites: 'fail', keepReference: false });
  expect(result).toMatchObject({ reason: 'prerequisitesMissing', project: 'created', credits: 1_000, notes: [] });
});

test.concurrent('S6 S7: a paid project that never shows: the details say so, and the result has its ID and its credits', async () => {
  const input = fresh();
  about(input, unknown('projects.get', FOR_EVER));
  const handle = await start(input);
  await until(async () => (await handle.query(progressQuery)).waiting?.includes('does not show yet') === true);
  const result = await handle.result();
  expect(result).toMatchObject({
    outcome: 'unresolved',
    reason: 'projectNotShown',
    project: 'created',
    credits: 1_000,
  });
  expect(result.sentence).toContain(result.projectId);
});

test.concurrent('a project that a person names is refused at once when there is none, unless it is said to be fresh', async () => {
  const projectId = randomUUID();
  stage.sandbox.control.addFault({ ...unknown('projects.get', FOR_EVER), about: projectId });
  const asked = () => stage.sandbox.control.stats().faults.filter(({ about }) => about === projectId).length;
  expect(await run({ projectId })).toMatchObject({ outcome: 'refused', reason: 'http404', projectId, credits: 0 });
  expect(asked()).toBeGreaterThan(0);
  expect(asked()).toBeLessThan(20);
  expect(await run({ projectId, fresh: true })).toMatchObject({ outcome: 'unresolved', reason: 'projectNotShown' });
});

test.concurrent('S2: an audit that is run again never reports the analysis from before, while its job is not known yet', async () => {
  const { input, projectId, analysisId } = await audited();
  about(input, unknown('jobs.get', 1), {
    route: 'projects.analysis',
    fault: 'instead',
    body: old(analysisId),
    times: 3,
  });
  const result = await run({ projectId, again: true });
  expect(result).toMatchObject({ outcome: 'audited', analysis: { how: 'run', starts: 1 } });
  expect(analysesOf(projectId).map(({ id }) => id)).toEqual([analysisId, result.analysis?.analysisId]);
});

test.concurrent('S2: where nobody ever knows the job, the new analysis tells', async () => {
  const { input, projectId, analysisId } = await audited();
  about(input, unknown('jobs.get', FOR_EVER));
  const result = await run({ projectId, again: true });
  expect(result).toMatchObject({ outcome: 'audited', analysis: { starts: 1 } });
  expect(analysesOf(projectId).map(({ id }) => id)).toEqual([analysisId, result.analysis?.analysisId]);
});

test.concurrent('a complete audit whose analysis never shows is not taken for the one before', async () => {
  const { input, projectId, analysisId } = await audited();
  const body = { ...old(analysisId), updatedAt: old(analysisId).createdAt };
  about(input, { route: 'projects.analysis', fault: 'instead', body, times: FOR_EVER });
  const result = await run({ projectId, again: true });
  expect(result).toMatchObject({ outcome: 'unresolved', reason: 'analysisNotShown', projectId });
  expect(analysesOf(projectId)).toHaveLength(2);
});

test.concurrent('S1: neither a job nor an analysis that shows late is started a second time', async () => {
  const input = fresh();
  about(input, unknown('jobs.get', 1), unknown('projects.analysis', 4));
  const document = { fileName: 'a.txt', fileType: 'text/plain', fileSize: 1 };
  const { projectId = '' } = await run({ ...input, prerequisites: 'fail' });
  stage.sandbox.control.addDocument({ projectId, ...document });
  expect(await run({ projectId })).toMatchObject({ outcome: 'audited', analysis: { starts: 1 } });
  expect(analysesOf(projectId)).toHaveLength(1);
});

test.concurrent('S1: an audit that is complete is not started again over one wrong word', async () => {
  const { input, projectId } = await audited();
  const body = { id: randomUUID(), status: 'failed', createdAt: '2999-01-01T00:00:00.000Z' };
  // The word comes when the audit has been started, however often it was looked for before.
  about(input, { route: 'jobs.get', fault: 'delay', delayMs: 500 });
  const again = await start({ projectId, again: true });
  await until(() => stage.sandbox.control.stats().faults.some((one) => one.about === input.project.clientName));
  about(input, { route: 'projects.analysis', fault: 'instead', body });
  expect(await again.result()).toMatchObject({ outcome: 'audited', analysis: { starts: 1 } });
  expect(analysesOf(projectId)).toHaveLength(2);
});

test.concurrent('S1: what an audit that seemed to have failed became is looked at before another is started', async () => {
  const { input, projectId } = await audited();
  about(input, { route: 'jobs.get', fault: 'instead', body: { status: 'failed' } });
  expect(await run({ projectId, again: true })).toMatchObject({ outcome: 'audited', analysis: { starts: 1 } });
  expect(analysesOf(projectId)).toHaveLength(2);
});

test.concurrent('S6: results that show late are waited for, and are then whole', async () => {
  const { input, projectId } = await audited();
  about(
    input,
    unknown('projects.deliverables', 1),
    { route: 'projects.deliverables', fault: 'instead', body: { success: true, data: { isComplete: false } } },
    { route: 'projects.opportunities', fault: 'instead', body: { opportunities: [] } },
  );
  const result = await run({ projectId, again: true });
  expect(result).toMatchObject({ outcome: 'audited', notes: [] });
  expect(result.results?.opportunities).toBeGreaterThan(0);
  expect(result.results?.files).toHaveLength(8);
});

test.concurrent('S6: results that stay incomplete are stored as they are, and that is said', async () => {
  const { input, projectId } = await audited();
  const body = { success: true, data: { isComplete: false } };
  about(
    input,
    { route: 'projects.deliverables', fault: 'instead', body, times: FOR_EVER },
    { route: 'projects.opportunities', fault: 'instead', body: { opportunities: [] }, times: FOR_EVER },
  );
  const result = await run({ projectId, again: true });
  expect(result).toMatchObject({ outcome: 'audited', results: { opportunities: 0 } });
  expect(result.notes.join()).toMatch(/none of 8 opportunities/);
  expect(result.notes.join()).toMatch(/deliverables are not complete/);
});

test.concurrent.each([
  ['soon', 1, { outcome: 'processed', submitted: true }],
  ['never', FOR_EVER, { outcome: 'unresolved', reason: 'captureNotShown', submitted: true }],
])('S6: a note whose capture shows %s is not reported as refused', async (when, times, expected) => {
  const note = `Shows ${when} ${randomUUID()}`;
  stage.sandbox.control.addFault({ ...unknown('captures.get', times), about: note });
  const result = await stage.temporal.client.workflow.execute(ingestCapture, {
    ...{ workflowId: `ingest-${randomUUID()}`, taskQueue: 'audit-runner', args: [{ note }] },
  });
  expect(result).toMatchObject(expected);
  expect(result.sentence).toContain(result.captureId);
});

test.concurrent.each(['same', 'next'])(
  'S2: an ID that is no capture gives way to the capture of the note, in the %s run',
  async (when) => {
    const note = `Call Ada about ${randomUUID()}`;
    const body = { note: { id: randomUUID() } };
    stage.sandbox.control.addFault({ route: 'captures.submitNote', about: note, fault: 'instead', body });
    const ingest = () =>
      stage.temporal.client.workflow.start(ingestCapture, {
        ...{ workflowId: `ingest-${randomUUID()}`, taskQueue: 'audit-runner', args: [{ note }] as [{ note: string }] },
      });
    const made = () => stage.sandbox.control.captures().filter(({ rawContent }) => rawContent === note);
    const enter = () =>
      fetch(`${stage.sandbox.baseUrl}/api/nucleus/capture/note`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stage.sandbox.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ content: note }),
      });
    let run = await ingest();
    await until(async () => (await run.query(progressQuery)).waiting?.includes('does not show yet') === true);
    if (when === 'same') await enter();
    else {
      expect(await run.result()).toMatchObject({ reason: 'captureNotShown', captureId: body.note.id });
      await enter();
      run = await ingest();
    }
    const [capture] = made();
    expect(await run.result()).toMatchObject({ outcome: 'processed', captureId: capture?.id });
    expect(await (await ingest()).result()).toMatchObject({ outcome: 'processed', captureId: capture?.id });
    expect(made()).toHaveLength(1);
  },
);
