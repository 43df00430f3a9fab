/** Documents and projects at a service that sees them otherwise: other sizes, other forms, other required fields. */

import { randomUUID } from 'node:crypto';
import { documentsUploadedUpdate } from '../../workflows/audit/by-person';
import { progressQuery } from '../../workflows/shared/status';

import { type AuditInput, newProject, startAudit } from '../support/audits';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  const durations = { createProject: 0, upload: 0, documentAnalysis: 0, audit: 50 };
  stage = await startStage({ sandbox: { leads: 0, credits: 100_000, projects: 0, durations } });
  await stage.startWorker();
});
afterAll(() => stage.close());

const start = (input: AuditInput) => startAudit(stage, input);
const run = async (input: AuditInput) => (await start(input)).result();
const fresh = (...names: string[]) => newProject(stage, names);
const project = (name: string) => stage.sandbox.control.projects().find(({ clientName }) => clientName === name);
const add = (clientName: string, fileName: string, fileSize = 7) =>
  stage.sandbox.control.addDocument({
    ...{ projectId: project(clientName)?.id ?? '', fileName, fileType: 'text/plain', fileSize },
  });
const upload = { route: 'projects.uploadDocument' } as const;

test.concurrent('S2: a document is known by its name: of another size it is not uploaded again, and that is said', async () => {
  const { clientName, input } = fresh('a.txt');
  await run({ ...input, documents: [] });
  add(clientName, 'a.txt', 7);
  const result = await run(input);
  expect(result).toMatchObject({ documents: { uploaded: [], found: ['a.txt'] } });
  expect(result.notes.join()).toMatch(/another fileName.*'a\.txt' \(7, not \d+ bytes\)/);
  expect(project(clientName)?.documents).toHaveLength(1);
});

test.concurrent('S2: a 200 that says success: false is no upload: it is looked up, and sent again', async () => {
  const { clientName, input } = fresh('a.txt');
  stage.sandbox.control.addFault({ ...upload, about: clientName, fault: 'instead', body: { success: false } });
  expect(await run(input)).toMatchObject({ documents: { uploaded: ['a.txt'] } });
  expect(project(clientName)?.documents).toHaveLength(1);
});

test.concurrent('S6: where the service refuses the form of an upload, a person is asked, and told the settings', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `${n}.txt`);
  const { clientName, input } = fresh(...names);
  const before = stage.sandbox.control.stats().faults.length;
  stage.sandbox.control.addFault({ ...upload, about: clientName, fault: 'status', status: 422, times: 100 });
  const handle = await start(input);
  const waiting = async () => (await handle.query(progressQuery)).waiting ?? '';
  await until(async () => (await waiting()).includes('documentsUploaded'));
  const said = await waiting();
  for (const part of ['http422', 'encoding', 'file', 'fileName', 'fileType']) expect(said).toContain(part);
  const refused = stage.sandbox.control.stats().faults.slice(before);
  // Those under way when it had become clear, in both forms, and not all.
  expect(refused.filter(({ about }) => about === clientName).length).toBeLessThan(names.length);
  for (const name of names) add(clientName, name);
  const result = await handle.result();
  expect(result).toMatchObject({ credits: 1_000, documents: { uploaded: [], found: [] } });
  expect(result.documents?.byPerson).toHaveLength(names.length);
});

test.concurrent('S6: one document that the service refuses keeps none of the others, and the result says which are there', async () => {
  const { clientName, input } = fresh('bad.txt', 'b.txt', 'c.txt');
  const bad = `bad-${randomUUID()}.txt`;
  const documents = input.documents.map((ref, i) => (i === 0 ? { ref, fileName: bad } : ref));
  stage.sandbox.control.addFault({ ...upload, about: bad, fault: 'status', status: 400, times: 2 });
  const result = await run({ ...input, documents, askPerson: false });
  expect(result).toMatchObject({ outcome: 'expired', reason: 'documentsMissing', credits: 1_000 });
  expect(result.documents).toEqual({ uploaded: ['b.txt', 'c.txt'], found: [], byPerson: [] });
  for (const part of [bad, 'undocumented.upload.encoding']) expect(result.sentence).toContain(part);
  expect(project(clientName)?.documents).toHaveLength(2);
});

test.concurrent('S6: documents of a run that ended before its audit are audited by the next, and only once', async () => {
  const { clientName, input } = fresh('a.txt');
  const sync = { mode: 'sync' } as const;
  const audit = { outcome: 'audited', analysis: { how: 'run', starts: 1 } };
  const { projectId = '', ...first } = await run({ ...input, ...sync, documents: [] });
  expect(first).toMatchObject(audit);
  const documents = { uploaded: ['a.txt'], found: [] };
  expect(await run(input)).toMatchObject({ projectId, reason: 'prerequisitesMissing', documents });
  expect(await run({ ...input, ...sync })).toMatchObject({ ...audit, documents: { uploaded: [], found: ['a.txt'] } });
  expect(await run({ ...input, ...sync })).toMatchObject({ outcome: 'audited', analysis: { how: 'existing' } });
  expect(stage.sandbox.control.analyses({ projectId })).toHaveLength(2);
  expect(project(clientName)?.documents).toHaveLength(1);
});

test.concurrent('S6: an audit that ran already, and was begun before the documents were there, is taken with a note', async () => {
  const { clientName, input } = fresh('a.txt');
  const { projectId = '' } = await run({ ...input, mode: 'sync' });
  const row = { id: 'another', projectId, createdAt: '2020-01-31T08:00:00.000Z', executiveSummary: 'Of before' };
  const shown = (status: string, times: number) =>
    stage.sandbox.control.addFault({
      ...{ route: 'projects.analysis', about: clientName, fault: 'instead', times },
      body: { ...row, status },
    });
  shown('running', 2);
  shown('complete', 1_000);
  expect(await run({ ...input, mode: 'sync' })).toMatchObject({
    ...{ outcome: 'audited', analysis: { how: 'run', starts: 0 } },
    notes: expect.arrayContaining([expect.stringContaining('begun before the newest document was there')]),
  });
});

test.concurrent('a refused creation says which fields the service may miss', async () => {
  const { clientName } = fresh();
  const refuse = { route: 'projects.create', about: clientName, fault: 'status', status: 422, times: 2 } as const;
  stage.sandbox.control.addFault(refuse);
  const some = await run({ project: { clientName, industry: 'Logistics' } });
  expect(some).toMatchObject({ outcome: 'refused', reason: 'http422', credits: 0 });
  expect(some.sentence).toContain('Not given: companySize, description, currency');
  const all = { industry: 'Logistics', companySize: '1-9', description: 'All of it', currency: 'EUR' };
  expect((await run({ project: { clientName, ...all } })).sentence).toContain('one of the values');
});

test('while the service does not answer, `documentsUploaded` is answered in words', async () => {
  const { clientName, input } = fresh('a.txt');
  stage.sandbox.control.addFault({ ...upload, about: clientName, fault: 'status', status: 403 });
  const handle = await start(input);
  await until(async () => (await handle.query(progressQuery)).waiting?.includes('documentsUploaded') === true);
  stage.sandbox.control.addFault({ route: 'projects.get', about: clientName, fault: 'html', times: 1_000 });
  expect(await handle.executeUpdate(documentsUploadedUpdate, { args: [{ by: 'Ada' }] })).toContain('try again later');
  stage.sandbox.control.clearFaults();
  add(clientName, 'a.txt');
  expect(await handle.result()).toMatchObject({ documents: { byPerson: ['a.txt'] } });
});
