/** What lists of runs are filtered by, for runs that nobody gave search attributes: as the Web UI starts them. */

import { searchAttributeKeys as keys } from '../../src/temporal/search-attribute-keys';
import { convertLead, leadPipeline } from '../../workflows';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 25 } });
  await stage.startWorker();
});
afterAll(() => stage.close());

const taskQueue = 'audit-runner';
const lead = () => stage.sandbox.control.leads().find(({ surveyStatus }) => surveyStatus === 'completed')?.id ?? '';

test('a conversion is found by account, lead, project, credits, stage, and as a person’s', async () => {
  const leadId = lead();
  const { workflow } = stage.temporal.client;
  const run = await workflow.start(convertLead, { workflowId: 'by hand', taskQueue, args: [{ leadId }] });
  const { projectId } = await run.result();
  const { typedSearchAttributes: known } = await run.describe();
  const shown = [keys.account, keys.runKind, keys.leadId, keys.projectId, keys.creditsSpent, keys.stage];
  expect(shown.map((key) => known.get(key))).toEqual(['default', 'person', leadId, projectId, 1_000, 'converted']);
});

test('a pipeline sums up its credits, and its conversions say where they come from', async () => {
  const { workflow } = stage.temporal.client;
  const run = await workflow.start(leadPipeline, { workflowId: 'morning', taskQueue, args: [{ maxConversions: 2 }] });
  expect((await run.result()).leads).toBeGreaterThan(0);
  // Lists of runs lag behind the runs.
  await until(async () => (await children()).length > 0);
  const [first] = await children();
  const { typedSearchAttributes: known } = await run.describe();
  const shown = [keys.account, keys.runKind, keys.creditsSpent, keys.stage];
  expect(shown.map((key) => known.get(key))).toEqual(['default', 'person', 2_000, 'done']);
  const child = await workflow.getHandle(first ?? '').describe();
  expect(child.typedSearchAttributes.get(keys.runKind)).toBe('pipeline');
  expect(await child.staticDetails()).toBe(
    `Started by the pipeline [morning](namespaces/${stage.temporal.client.options.namespace}/workflows/morning).`,
  );
});

async function children(): Promise<string[]> {
  const ids: string[] = [];
  const query = "WorkflowType = 'convertLead' AND RunKind = 'pipeline'";
  for await (const { workflowId } of stage.temporal.client.workflow.list({ query })) ids.push(workflowId);
  return ids;
}
