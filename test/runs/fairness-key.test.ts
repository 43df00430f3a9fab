/** A server refuses a fairness key of more than 64 bytes, and with it the run. */
import type { Client } from '@temporalio/client';
import { start } from '../../src/cli/run';
import { fairnessKeyOf } from '../../src/runs/fairness-key';

test.each([
  ['a short ID', 'convert-lead.default.1', 'convert-lead.default.1'],
  ['letters of one byte', 'x'.repeat(100), 'x'.repeat(64)],
  ['letters of two bytes', 'ы'.repeat(100), 'ы'.repeat(32)],
  ['letters of three bytes', '線'.repeat(100), '線'.repeat(21)],
  ['signs of four bytes', `${'😀'.repeat(40)}ab`, `${'😀'.repeat(15)}ab`],
])('of %s the end is taken, in whole characters', (_, id, key) => {
  expect(fairnessKeyOf(id)).toBe(key);
  expect(Buffer.byteLength(key)).toBeLessThanOrEqual(64);
});

test('a run with a long ID that is not ASCII is started with a key that the server takes', async () => {
  const keys: unknown[] = [];
  const client = {
    workflow: {
      async start(_: string, { priority }: { priority: { fairnessKey: string } }) {
        keys.push(priority.fairnessKey);
        return { firstExecutionRunId: 'r' };
      },
    },
  } as unknown as Client;
  const plan = { account: 'default', summary: 'A lead', dryRun: false, workflowId: 'w' };
  await start(client, 'convertLead', `лид-${'я'.repeat(60)}`, {}, plan);
  expect(keys).toEqual(['я'.repeat(32)]);
});
