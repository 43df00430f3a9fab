/** S2: documents that the service shows under names of its own are there all the same, once each. */

import { decideUpdate } from '../../workflows/shared/asker';
import { progressQuery } from '../../workflows/shared/status';
import { type AuditInput, newProject, startAudit } from '../support/audits';
import { type Stage, startStage, UNHURRIED } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  const durations = { createProject: 0, upload: 50, documentAnalysis: 0 };
  stage = await startStage({
    account: { timing: UNHURRIED },
    sandbox: { leads: 0, credits: 100_000, projects: 0, durations },
  });
  await stage.startWorker();
});
afterAll(() => stage.close());

const start = (input: AuditInput) => startAudit(stage, input);
const fresh = () => newProject(stage, ['a.pdf', 'b.txt']);
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
  await until(async () => (await run.query(progressQuery)).waiting?.includes('`decide`') === true);
  expect(uploads(clientName)).toHaveLength(2);
  await run.executeUpdate(decideUpdate, { args: [{ decision: 'itHappened', by: 'Ada' }] });
  expect((await run.result()).documents).toMatchObject({ uploaded: ['a.pdf', 'b.txt'] });
});
