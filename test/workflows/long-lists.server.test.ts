/** Lists of many pages: only references to the pages stand in the history, which no list may fill. */
import { backfill } from '../../workflows';
import { type Stage, startStage } from '../support/stage';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { captures: 230 } });
  await stage.startWorker();
});
afterAll(() => stage.close());

const activityInput = async (workflowId: string, activity: string): Promise<string> => {
  const { events } = await stage.temporal.client.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: asked }) => asked ?? []);
  const [data] = scheduled.find(({ activityType }) => activityType?.name === activity)?.input?.payloads ?? [];
  return Buffer.from(data?.data ?? []).toString();
};

test('captures of several pages are handed on as references, and each is an item', async () => {
  const { workflow } = stage.temporal.client;
  const run = await workflow.start(backfill, {
    ...{ workflowId: 'captures', taskQueue: 'audit-runner' },
    args: [{ operation: 'reprocessCapture', captures: {}, dryRun: true }],
  });
  expect(await run.result()).toMatchObject({ ended: 'planned', items: 230 });
  const input = await activityInput('captures', 'itemsFromPages');
  const { pages } = JSON.parse(input);
  expect(pages).toEqual(Array(3).fill({ ref: expect.stringMatching(/\.jsonl$/), bytes: expect.any(Number) }));
});
