/** S2: a project that is not on the first page is there all the same, however the service counts its pages. */
import { auditProject } from '../../workflows';
import { inScene, type Scene } from './support/scene';

const LIMIT_MS = 240_000;
const project = { clientName: 'Harbour' };

/** The project that is meant, and more newer ones than a page has. */
async function withNewerOnes({ stage: { sandbox } }: Scene): Promise<void> {
  const create = (body: object) =>
    fetch(`${sandbox.baseUrl}/api/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await create({ ...project, description: '[audit-runner harbour-1]' });
  for (let i = 0; i < 25; i++) await create({ clientName: `Newer ${i}` });
}

const start = ({ stage }: Scene) =>
  stage.temporal.client.workflow.start(auditProject, {
    ...{ workflowId: 'audit', taskQueue: 'audit-runner' },
    args: [{ project, reference: 'harbour-1', prerequisites: 'fail' }],
  });

test.concurrent(
  'pages that are counted are followed by their number',
  () =>
    inScene({ sandbox: { projectsPaging: 'page', durations: { createProject: 0 } } }, async (scene) => {
      await withNewerOnes(scene);
      await scene.worker();
      const { projectId } = await (await start(scene)).result();
      expect(scene.stage.sandbox.control.projects()).toHaveLength(26);
      expect(scene.stage.sandbox.control.projects().find(({ id }) => id === projectId)?.clientName).toBe('Harbour');
    }),
  LIMIT_MS,
);

test.concurrent(
  'S2: a list that does not go on where it may be longer proves nothing: before anything is sent the setting is named',
  () =>
    inScene({ sandbox: { projectsPaging: 'first', durations: { createProject: 0 } } }, async (scene) => {
      await withNewerOnes(scene);
      await scene.worker();
      expect(await (await start(scene)).result()).toMatchObject({
        ...{ outcome: 'refused', reason: 'listCut', credits: 0 },
        sentence: expect.stringContaining('set undocumented.projectsList'),
      });
      expect(scene.stage.sandbox.control.projects()).toHaveLength(26);
    }),
  LIMIT_MS,
);
