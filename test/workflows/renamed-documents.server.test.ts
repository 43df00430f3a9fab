/** S2: documents that the service shows under names of its own are there all the same, once each. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { auditProject } from '../../workflows';
import { auditProgressQuery } from '../../workflows/audit-project';
import { decideUpdate } from '../../workflows/shared/asker';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  const durations = { createProject: 0, upload: 50, documentAnalysis: 0 };
  stage = await startStage({ sandbox: { leads: 0, credits: 100_000, projects: 0, durations } });
  await stage.startWorker();
});
afterAll(() => stage.close());

type Input = Parameters<typeof auditProject>[0];
const start = (input: Input) =>
  stage.temporal.client.workflow.start(auditProject, {
    ...{ workflowId: `audit-${randomUUID()}`, taskQueue: 'audit-runner', args: [{ prerequisites: 'fail', ...input }] },
  });
const fresh = (): { clientName: string; input: Input } => {
  const clientName = `Client ${randomUUID()}`;
  const documents = ['a.pdf', 'b.txt'].map((name) => {
    const ref = `${clientName}/${name}`;
    const file = join(fileURLToPath(stage.config.storageUrl), ref);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${clientName} ${name}`);
    return ref;
  });
  return { clientName, input: { project: { clientName }, documents } };
};
const uploads = (name: string) =>
  stage.sandbox.control.projects().find(({ clientName }) => clientName === name)?.documents ?? [];
const onUpload = (about: string, fault: 'replyLost' | 'empty', times = 1) =>
  stage.sandbox.control.addFault({ route: 'projects.uploadDocument', about, fault, times });

test.each(['upper', 'bare', 'renamed'] as const)(
  'each is uploaded once, also at a second start: %s',
  async (documents) => {
    stage.sandbox.control.setMarks({ documents });
    const { clientName, input } = fresh();
    const first = await (await start(input)).result();
    expect(first.documents).toMatchObject({ uploaded: ['a.pdf', 'b.txt'], found: [] });
    const again = await (await start(input)).result();
    expect(again.documents).toMatchObject({ uploaded: [], found: ['a.pdf', 'b.txt'] });
    expect(uploads(clientName)).toHaveLength(2);
  },
);

test.each(['upper', 'bare'] as const)('each is uploaded once when replies are lost: %s', async (documents) => {
  stage.sandbox.control.setMarks({ documents });
  const { clientName, input } = fresh();
  onUpload(clientName, 'replyLost', 2);
  expect((await (await start(input)).result()).documents).toMatchObject({ uploaded: ['a.pdf', 'b.txt'] });
  expect(uploads(clientName)).toHaveLength(2);
});

test('where neither reply nor name tells, their number does', async () => {
  stage.sandbox.control.setMarks({ documents: 'renamed' });
  const { clientName, input } = fresh();
  onUpload(clientName, 'empty', 2);
  expect((await (await start(input)).result()).documents).toMatchObject({ uploaded: ['a.pdf', 'b.txt'] });
  expect((await (await start(input)).result()).documents).toMatchObject({ found: ['a.pdf', 'b.txt'] });
  expect(uploads(clientName)).toHaveLength(2);
});

test('a renamed one whose reply was lost may be the new one: a person decides', async () => {
  stage.sandbox.control.setMarks({ documents: 'renamed' });
  const { clientName, input } = fresh();
  onUpload(clientName, 'replyLost');
  const run = await start(input);
  await until(async () => (await run.query(auditProgressQuery)).waiting?.includes('`decide`') === true);
  expect(uploads(clientName)).toHaveLength(2);
  await run.executeUpdate(decideUpdate, { args: [{ decision: 'itHappened', by: 'Ada' }] });
  expect((await run.result()).documents).toMatchObject({ uploaded: ['a.pdf', 'b.txt'] });
});
