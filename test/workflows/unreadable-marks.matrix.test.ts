/** S2: "not found" is for those who could have recognised it: services that keep nothing of what marks a project as ours. */

import { randomUUID } from 'node:crypto';
import type { SandboxOptions } from '../../src/sandbox';
import { auditProject } from '../../workflows';
import { decideUpdate } from '../../workflows/shared/asker';
import { chooseProjectUpdate } from '../../workflows/shared/choose-project';
import { progressQuery } from '../../workflows/shared/status';
import { onStage, type Stage, UNHURRIED } from '../support/stage';
import { until } from '../support/until';

type Input = Parameters<typeof auditProject>[0];
type Descriptions = NonNullable<NonNullable<SandboxOptions['marks']>['descriptions']>;

/** A service that shows descriptions like that, and what is done there. */
function helpersOf(stage: Stage) {
  const start = (input: Input) =>
    stage.temporal.client.workflow.start(auditProject, {
      ...{ workflowId: `audit-${randomUUID()}`, taskQueue: 'audit-runner' },
      args: [{ prerequisites: 'fail', ...input }],
    });
  type Run = Awaited<ReturnType<typeof start>>;
  return {
    stage,
    start,
    asks: (run: Run, word = '`decide`') =>
      until(async () => (await run.query(progressQuery)).waiting?.includes(word) === true),
    decide: (run: Run, decision: 'itHappened' | 'sendAgain' | 'giveUp') =>
      run.executeUpdate(decideUpdate, { args: [{ decision, by: 'Ada' }] }),
    projectsOf: ({ project }: ReturnType<typeof fresh>) =>
      stage.sandbox.control.projects().filter(({ clientName }) => clientName === project.clientName),
    create: (body: object) =>
      fetch(`${stage.sandbox.baseUrl}/api/projects`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stage.sandbox.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    lose: (fault: 'replyLost' | 'cutBeforeCommit' | 'empty', times = 1) =>
      stage.sandbox.control.addFault({ route: 'projects.create', about: 'audit-runner', fault, times }),
  };
}
const fresh = () => ({ project: { clientName: `Harbour ${randomUUID()}`, description: 'What is to be audited' } });
const whereShown = (descriptions: Descriptions, play: (helpers: ReturnType<typeof helpersOf>) => Promise<void>) =>
  onStage(
    {
      account: { timing: { ...UNHURRIED, settlingMs: 5_000 } },
      sandbox: { projects: 0, leads: 0, credits: 100_000, durations: { createProject: 0 }, marks: { descriptions } },
    },
    async (stage) => {
      await stage.startWorker();
      await play(helpersOf(stage));
    },
  );

test.concurrent('a mark with entities and backslashes is still a mark', () =>
  whereShown('escaped', async ({ start, projectsOf, lose }) => {
    const input = fresh();
    lose('replyLost');
    expect(await (await start(input)).result()).toMatchObject({ project: 'created', credits: 1_000 });
    expect(projectsOf(input)).toHaveLength(1);
  }));

test.concurrent.each(['stripped', 'cut', 'omitted'] as const)(
  'S2: created once when the reply is lost and descriptions are %s: a person decides, and names no project',
  (how) =>
    whereShown(how, async ({ start, asks, decide, projectsOf, create, lose }) => {
      const input = fresh();
      await create({ ...input.project, clientName: ` ${input.project.clientName.toUpperCase()}` });
      lose('replyLost');
      const run = await start(input);
      await asks(run);
      const [made, ...more] = projectsOf(input);
      expect(more).toEqual([]);
      expect((await run.query(progressQuery)).waiting).toContain(made?.id);
      await decide(run, 'itHappened');
      expect(await run.result()).toMatchObject({ projectId: made?.id, project: 'created', credits: 1_000 });
      expect(projectsOf(input)).toHaveLength(1);
      expect(await (await start(input)).result()).toMatchObject({ projectId: made?.id, credits: 0 });
    }),
);

test.concurrent('S2: what never arrived is sent again by itself, though older projects of the name show no mark', () =>
  whereShown('stripped', async ({ start, projectsOf, create, lose }) => {
    const input = fresh();
    await create(input.project);
    lose('cutBeforeCommit');
    expect(await (await start(input)).result()).toMatchObject({ project: 'created', credits: 1_000 });
    expect(projectsOf(input)).toHaveLength(2);
  }));

test.concurrent('a person who has looked has it sent again', () =>
  whereShown('omitted', async ({ stage, start, asks, decide, projectsOf, create, lose }) => {
    const input = fresh();
    const lost = () => stage.sandbox.control.stats().faults.length;
    const before = lost();
    lose('cutBeforeCommit');
    const run = await start(input);
    await until(() => lost() > before);
    await create(input.project);
    await asks(run);
    await decide(run, 'sendAgain');
    const { projectId, credits } = await run.result();
    expect(projectsOf(input)).toHaveLength(2);
    expect([projectsOf(input).at(-1)?.id, credits]).toEqual([projectId, 1_000]);
  }));

test.concurrent('S3: a creation that is answered with nothing becomes the one project that it can be', () =>
  whereShown('stripped', async ({ start, projectsOf, lose }) => {
    const input = fresh();
    lose('empty', 2);
    const first = await (await start(input)).result();
    expect(first).toMatchObject({ projectId: projectsOf(input)[0]?.id, credits: 1_000 });
    expect(first.notes.join()).toContain('was recognised by its name and time');
    expect(await (await start(input)).result()).toMatchObject({ projectId: first.projectId, credits: 0 });
    expect(projectsOf(input)).toHaveLength(1);
  }));

test.concurrent('S3: of several projects that it can be a person names the one', () =>
  whereShown('omitted', async ({ start, asks, projectsOf, create, lose }) => {
    const input = fresh();
    lose('empty');
    const run = await start(input);
    await until(() => projectsOf(input).length === 1);
    await create(input.project);
    await asks(run, '`chooseProject`');
    const [, other] = projectsOf(input);
    await run.executeUpdate(chooseProjectUpdate, { args: [{ projectId: other?.id ?? '', by: 'Ada' }] });
    expect(await run.result()).toMatchObject({ projectId: other?.id, credits: 1_000 });
  }));

test.concurrent('S3: what was paid for and not found is asked about at the next start, and not paid for again', () =>
  whereShown('kept', async ({ stage, start, asks, decide, projectsOf, lose }) => {
    const input = fresh();
    const spent = async () => await stage.spentByLedger().catch(() => 0);
    const before = await spent();
    lose('empty', 5);
    // Nothing that a list shows from then on is this project.
    stage.sandbox.control.addFault({
      ...{ route: 'projects.list', fault: 'instead', after: 1, times: 100, body: { projects: [] } },
    });
    expect(await (await start(input)).result()).toMatchObject({ reason: 'paidButNotFound', credits: 1_000 });
    const again = await start(input);
    await asks(again);
    await decide(again, 'giveUp');
    expect(await again.result()).toMatchObject({ outcome: 'unresolved', credits: 0 });
    expect(projectsOf(input)).toHaveLength(1);
    expect((await spent()) - before).toBe(1_000);
  }));
