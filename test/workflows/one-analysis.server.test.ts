/** A service that keeps one analysis for each project: the next one has the ID and the time of the one before. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLOCK_TOLERANCE_MS } from '../../src/paying/open-sends';
import { type AuditInput, startAudit } from '../support/audits';
import { QUICK, type Stage, startStage } from '../support/stage';

const FOR_EVER = 1_000;

let stage: Stage;
beforeAll(async () => {
  const durations = { createProject: 0, upload: 0, documentAnalysis: 0, interviewAnalysis: 0, audit: 50 };
  stage = await startStage({
    sandbox: { leads: 0, credits: 100_000, projects: 0, durations },
    account: { timing: { ...QUICK.timing, settlingMs: 3_000 } },
  });
  await stage.startWorker();
});
afterAll(() => stage.close());

const run = async (input: AuditInput) => (await startAudit(stage, input)).result();
type Fault = Parameters<Stage['sandbox']['control']['addFault']>[0];
const addFault = (fault: Fault) => stage.sandbox.control.addFault(fault);
const acceptsWithoutJob = (about: string) =>
  addFault({
    ...{ route: 'projects.auditAsync', about, fault: 'instead', times: FOR_EVER },
    body: { status: 'accepted' },
  });
const shows = (about: string, times: number, status: string, more: object = {}) =>
  addFault({
    ...{ route: 'projects.analysis', about, fault: 'instead', times },
    body: { id: 'the-only-one', status, createdAt: '2026-01-01T00:00:00.000Z', ...more },
  });
/** A project with a complete audit, and a document. */
const audited = async () => {
  const clientName = `Client ${randomUUID()}`;
  const { projectId = '' } = await run({ project: { clientName }, mode: 'sync' });
  stage.sandbox.control.addDocument({ projectId, fileName: 'a.txt', fileType: 'text/plain', fileSize: 1 });
  await sleep(CLOCK_TOLERANCE_MS + 100);
  return { clientName, projectId };
};
const starts = (about: string) =>
  stage.sandbox.control.stats().faults.filter((one) => one.about === about && one.route === 'projects.auditAsync');

test.concurrent('S1: without a job the one that was seen running is the new one: it is not started again', async () => {
  const { clientName, projectId } = await audited();
  acceptsWithoutJob(clientName);
  shows(clientName, 3, 'complete');
  shows(clientName, 3, 'running');
  shows(clientName, FOR_EVER, 'complete');
  const result = await run({ projectId, again: true });
  expect(result).toMatchObject({ outcome: 'audited', analysis: { how: 'run', starts: 1 }, notes: [] });
  expect(starts(clientName)).toHaveLength(1);
});

test.concurrent('S1: without a job the one that was changed since is the new one', async () => {
  const { clientName, projectId } = await audited();
  acceptsWithoutJob(clientName);
  shows(clientName, 3, 'complete', { updatedAt: '2026-01-01T00:00:00.000Z' });
  shows(clientName, FOR_EVER, 'complete', { updatedAt: '2026-01-02T00:00:00.000Z' });
  const result = await run({ projectId, again: true });
  expect(result).toMatchObject({ outcome: 'audited', analysis: { how: 'run', starts: 1 }, notes: [] });
  expect(starts(clientName)).toHaveLength(1);
});

test.concurrent('S6: where the job is complete, what stands in the place of the one before is taken for it, and that is said', async () => {
  const { clientName, projectId } = await audited();
  shows(clientName, FOR_EVER, 'complete');
  const result = await run({ projectId, again: true });
  expect(result).toMatchObject({ outcome: 'audited', analysis: { how: 'run', starts: 1 } });
  expect(result.notes).toEqual([expect.stringContaining('look in the web app whether the report is of the new one')]);
});

test.concurrent('a running one of another ID that fails leaves the one before, which is not taken for it', async () => {
  const { clientName, projectId } = await audited();
  acceptsWithoutJob(clientName);
  shows(clientName, 3, 'complete');
  shows(clientName, 3, 'running', { id: 'another', createdAt: '2026-01-02T00:00:00.000Z' });
  shows(clientName, FOR_EVER, 'complete');
  expect(await run({ projectId, again: true, maxStarts: 1 })).toMatchObject({ outcome: 'failed' });
});
