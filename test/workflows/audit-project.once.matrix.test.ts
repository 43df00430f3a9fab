/** S2: a project is created once, whatever the list shows of it, and however long ago it was created. */

import { randomUUID } from 'node:crypto';
import { auditProject } from '../../workflows';
import { decideUpdate } from '../../workflows/shared/asker';
import { progressQuery } from '../../workflows/shared/status';
import { deleteRun } from '../support/ledgers';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

type Input = Parameters<typeof auditProject>[0];

let stage: Stage;
beforeAll(async () => {
  const durations = { createProject: 0 };
  // Two calls that a busy machine lets time out are a question to a person.
  const timing = { ...QUICK.timing, sendWindowMs: 3_000, paidTimeoutMs: 5_000 };
  const sandbox = { projects: 0, leads: 0, credits: 100_000, durations };
  stage = await startStage({ sandbox, account: { timing } });
  await stage.startWorker();
});
afterEach(() => stage.sandbox.control.setProjectsListed({ how: 'whole' }));
afterAll(() => stage.close());

const start = (input: Input) =>
  stage.temporal.client.workflow.start(auditProject, {
    ...{ workflowId: `audit-${randomUUID()}`, taskQueue: 'audit-runner', args: [{ prerequisites: 'fail', ...input }] },
  });
const run = async (input: Input) => (await start(input)).result();
const fresh = () => ({
  project: { clientName: `Harbour  ${randomUUID()}`, description: 'A long description of what is to be audited' },
});
const projectsOf = ({ project }: ReturnType<typeof fresh>) =>
  stage.sandbox.control.projects().filter(({ clientName }) => clientName === project.clientName);
const reads = () => stage.sandbox.control.stats().requests.byRoute['projects.get'] ?? 0;
const loseReply = () => stage.sandbox.control.addFault({ route: 'projects.create', fault: 'replyLost' });

test.each(['short', 'null', 'none'] as const)(
  'S1 S2: created once when the reply is lost and the list shows descriptions otherwise: %s',
  async (how) => {
    stage.sandbox.control.setProjectsListed({ how });
    const input = fresh();
    await run({ ...input, reference: `other-${how}` });
    const before = stage.figures().spent;
    loseReply();
    expect(await run(input)).toMatchObject({ project: 'created', credits: 1_000, reason: 'prerequisitesMissing' });
    expect(projectsOf(input)).toHaveLength(2);
    expect(stage.figures().spent - before).toBe(1_000);
    expect(await stage.spentByLedger()).toBe(stage.figures().spent);
  },
);

test('S6: what is paid for is not refused over a list that is, while its project is looked for', async () => {
  const input = fresh();
  // It is paid for, and nobody can read which project it is.
  stage.sandbox.control.addFault({ route: 'projects.create', fault: 'garbage' });
  stage.sandbox.control.addFault({ route: 'projects.list', fault: 'status', status: 400, after: 1, times: 2 });
  expect(await run(input)).toMatchObject({ project: 'created', credits: 1_000, reason: 'prerequisitesMissing' });
  expect(projectsOf(input)).toHaveLength(1);
});

test('S2: of more projects of one name than are asked nobody can tell, and a person decides', async () => {
  stage.sandbox.control.setProjectsListed({ how: 'short' });
  const input = fresh();
  const { baseUrl, token } = stage.sandbox;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (let i = 0; i < 22; i++)
    await fetch(`${baseUrl}/api/projects`, { method: 'POST', headers, body: JSON.stringify(input.project) });
  // A ledger that begins anew stops where the balance is lower than what is booked explains.
  stage.sandbox.control.setCredits({ credits: 100_000 });
  const before = reads();
  const handle = await start(input);
  await until(async () => (await handle.query(progressQuery)).waiting?.includes('decide') === true);
  expect(reads() - before).toBeLessThanOrEqual(20);
  await handle.executeUpdate(decideUpdate, { args: [{ decision: 'giveUp' }] });
  expect(await handle.result()).toMatchObject({ outcome: 'unresolved', credits: 0 });
  expect(projectsOf(input)).toHaveLength(22);
});

test('S3: what a run that is gone had paid for is found by the ledger, too, where the list hides descriptions', async () => {
  stage.sandbox.control.setProjectsListed({ how: 'short' });
  const input = fresh();
  const before = await stage.spentByLedger();
  loseReply();
  stage.sandbox.control.addFault({ route: 'projects.list', fault: 'html', after: 1, times: 1_000 });
  const handle = await start(input);
  await until(async () => (await handle.query(progressQuery)).waiting?.includes('tried again') === true);
  await handle.terminate();
  stage.sandbox.control.clearFaults();
  await until(async () => (await stage.spentByLedger()) === before + 1_000);
  expect(projectsOf(input)).toHaveLength(1);
});

test('S2: a description as long as the API takes is found by its reference and stands in full in the end', async () => {
  const { project, ...rest } = fresh();
  const description = 'A long story. '.repeat(142);
  const input = { ...rest, project: { ...project, description: `${description}It ends.` } };
  loseReply();
  const { projectId } = await run(input);
  expect(projectsOf(input)).toMatchObject([
    { id: projectId, description: expect.stringContaining(`${description}It ends.\n\n[audit-runner `) },
  ]);
});

test('S2: without its reference in the description it is known beyond the memory of the ledger', async () => {
  const input = { ...fresh(), keepReference: false };
  const { projectId } = await run(input);
  await deleteRun(stage, stage.ledgerId);
  expect(await run(input)).toMatchObject({ projectId, project: 'found', credits: 0 });
  expect(projectsOf(input)).toMatchObject([{ id: projectId, description: input.project.description }]);
});
