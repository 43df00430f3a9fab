import { formSummary, WORKFLOW_TYPES, type WorkflowName } from '../../src/runs/workflow-types';
import { exampleInput } from '../../src/start-here/example-inputs';
import { keepExamples } from '../../src/start-here/examples';
import { startTestTemporal, type TestTemporal } from '../support/temporal';

const TYPES = Object.keys(WORKFLOW_TYPES) as WorkflowName[];
let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal();
});
afterAll(() => temporal.close());

const example = (type: string, runId?: string) => temporal.client.workflow.getHandle(`example.${type}`, runId);
const start = (type: string) =>
  temporal.client.workflow.start(type, { workflowId: `example.${type}`, taskQueue: 'nobody', args: [{}] });

test('makes an ended run of each type that holds the example and never ran, once', async () => {
  const first = await keepExamples(temporal.client, 'default');
  expect(first.renewed).toEqual(TYPES);
  for (const type of TYPES) {
    const { status, runId, type: made } = await example(type).describe();
    expect([made, status.name, runId]).toEqual([type, 'TERMINATED', first.runs[type]]);
    const { events } = await example(type).fetchHistory();
    expect(events).toHaveLength(3);
    const [input] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    expect(JSON.parse(Buffer.from(input?.data ?? []).toString())).toEqual(exampleInput(type, 'default'));
    // The form copies it into the run that is started.
    const summary = events?.[0]?.userMetadata?.summary?.data ?? [];
    expect(JSON.parse(Buffer.from(summary).toString())).toBe(formSummary(type));
  }
  expect(await keepExamples(temporal.client, 'default')).toEqual({ ...first, renewed: [] });
});

test('makes anew what holds another input, or would soon be lost', async () => {
  const { runs, renewed, retentionMs } = await keepExamples(temporal.client, 'other');
  expect(renewed).toEqual(TYPES);
  const before = await keepExamples(temporal.client, 'other', Date.now() + 0.4 * retentionMs);
  expect(before).toEqual({ runs, renewed: [], retentionMs });
  const later = await keepExamples(temporal.client, 'other', Date.now() + 0.6 * retentionMs);
  expect(later.renewed).toEqual(TYPES);
  expect(Object.values(later.runs).filter((runId) => Object.values(runs).includes(runId))).toEqual([]);
});

test("leaves a person's run under the same ID alone, and comes back when it has ended", async () => {
  const person = await start('convertLead');
  const meanwhile = await keepExamples(temporal.client, 'other');
  expect(meanwhile.renewed).toEqual([]);
  expect(Object.keys(meanwhile.runs)).toEqual(TYPES.filter((type) => type !== 'convertLead'));
  expect((await person.describe()).status.name).toBe('RUNNING');
  await person.terminate();
  expect((await keepExamples(temporal.client, 'other')).renewed).toEqual(['convertLead']);
});

test('ends an example that a process left running when it died', async () => {
  const { runs } = await keepExamples(temporal.client, 'other');
  const { raw } = await example('convertLead').describe();
  const left = await temporal.client.workflow.start('convertLead', {
    ...{
      workflowId: 'example.convertLead',
      taskQueue: 'audit-runner-examples',
      args: [exampleInput('convertLead', 'other')],
    },
    memo: (await example('convertLead').describe()).memo ?? {},
  });
  expect(raw.workflowExecutionInfo?.execution?.runId).toBe(runs.convertLead);
  const kept = await keepExamples(temporal.client, 'other');
  expect(kept).toMatchObject({ renewed: [], runs: { convertLead: left.firstExecutionRunId } });
  expect((await left.describe()).status.name).toBe('TERMINATED');
});
