/** Legitimate ways of a service that the document leaves open, in whole runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditProject, convertLead } from '../../workflows';
import { type Stage, startStage } from '../support/stage';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({
    sandbox: { leads: 25, auditId: 'other', durations: { convert: 50, documentAnalysis: 50, audit: 300 } },
  });
  await stage.startWorker();
});
afterAll(() => stage.close());

const taskQueue = 'audit-runner';
const convertible = () =>
  stage.sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed')[0]?.id ?? '';

test("S3: an auditId that is not the project's is not taken for it: the project is found", async () => {
  const { client } = stage.temporal;
  const run = await client.workflow.start(convertLead, {
    ...{ workflowId: 'other ID', taskQueue, args: [{ leadId: convertible() }] },
  });
  const { outcome, projectId, credits } = await run.result();
  expect({ outcome, credits }).toEqual({ outcome: 'converted', credits: 1_000 });
  expect(stage.sandbox.control.projects().map(({ id }) => id)).toContain(projectId);
});

test('a job whose word nobody knows is not polled for days where its analysis is there', async () => {
  const { control } = stage.sandbox;
  const projectId = control.projects()[0]?.id ?? '';
  mkdirSync(join(stage.folder, 'storage'), { recursive: true });
  writeFileSync(join(stage.folder, 'storage', 'a.txt'), 'What they sell');
  control.completeInterviews({ projectId });
  control.addFault({ route: 'jobs.get', fault: 'instead', body: { job: { state: 'ARCHIVED_OK' } }, times: 1_000 });
  const { client } = stage.temporal;
  const run = await client.workflow.start(auditProject, {
    ...{ workflowId: 'unknown word', taskQueue, args: [{ projectId, documents: ['a.txt'] }] },
  });
  expect(await run.result()).toMatchObject({ outcome: 'audited' });
  control.clearFaults();
});
