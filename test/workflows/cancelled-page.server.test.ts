/** A run that was cancelled has no result where it had nothing to account for: its page and the command say how far it was. */
import { failureSentence, follow } from '../../src/cli/follow';
import { detailsOf } from '../support/details';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 5 } });
  await stage.startWorker();
});
afterAll(() => stage.close());

const pageOf = (workflowId: string) => detailsOf(stage.temporal.client, workflowId);

test.each([
  ['leadPipeline', {}, 'No lead was converted, and no credits were spent.'],
  ['backfill', { operation: 'convertLead', leads: {} }, 'No item was begun, and no credits were spent.'],
])('a %s that is cancelled while it lists', async (type, input, nothing) => {
  stage.sandbox.control.setAgentApi({ enabled: false });
  const { client, namespace } = stage.temporal;
  const workflowId = `cancelled-${type}`;
  const run = await client.workflow.start(type, { workflowId, taskQueue: 'audit-runner', args: [input] });
  await until(async () => (await pageOf(workflowId)).includes('Waiting since'));
  const asked = jest.spyOn(run, 'query');
  const following = follow(
    { client, namespace, server: { config: { address: '', namespace } } },
    run,
    new AbortController().signal,
  );
  await until(async () => {
    const answers = asked.mock.results.map(({ value }) => Promise.resolve(value).catch(() => undefined));
    return (await Promise.all(answers)).some((answer) => answer !== undefined);
  });
  await run.cancel();
  const end = await following;
  expect(end).toMatchObject({ kind: 'failed', type: 'Cancelled' });
  expect(end.kind === 'failed' && failureSentence(end)).toMatch(
    /^The run was cancelled: somebody cancelled the run\. It was at this: .+; 0 of 0 done; 0 credits spent$/,
  );
  const page = await pageOf(workflowId);
  expect(page).toMatch(/\*\*Cancelled, and ended at .* UTC\*\*/);
  expect(page).toContain(nothing);
  expect(page).not.toContain('Waiting since');
});
