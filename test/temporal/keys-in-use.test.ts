/** What still needs an encryption key, on a server with more than one answer holds; fleet-keys.server.test.ts asks a real one. */
import type { Client } from '@temporalio/client';
import { ServiceError } from '@temporalio/client';
import { KEY_ID_ENTRY } from '../../src/temporal/encryption';
import { GRPC } from '../../src/temporal/grpc-status';
import { keysInUse, ledgerKeysInUse } from '../../src/temporal/keys-in-use';

const [OLD, NEW] = ['0123456789abcdef', 'fedcba9876543210'];
/** The server gives no more at once, whatever is asked for. */
const PAGE = 3;

const written = (key?: string) => ({ payload: { metadata: key ? { [KEY_ID_ENTRY]: Buffer.from(key) } : {} } });
const gone = new ServiceError('gone', {
  cause: Object.assign(new Error(), { code: GRPC.NOT_FOUND, details: '', metadata: {} }),
});

interface Run {
  workflowId: string;
  /** Of each of its events; undefined is in the clear. */
  keys: (string | undefined)[];
  begun?: number;
  queue?: string;
}

interface Asked {
  maximumPageSize?: number;
  pageSize?: number;
  nextPageToken: Uint8Array | null;
}

/** One page of all, and what leads to the next. */
function paged<T>(all: readonly T[], { maximumPageSize, pageSize, nextPageToken }: Asked) {
  const from = Number(Buffer.from(nextPageToken ?? []).toString() || 0);
  const to = from + Math.min(maximumPageSize ?? pageSize ?? PAGE, PAGE);
  const next = to < all.length ? Buffer.from(String(to)) : new Uint8Array();
  return { page: all.slice(from, to), nextPageToken: next };
}

/** A server with these open runs, the newest first, and these schedules. */
function server(runs: readonly Run[], schedules: Record<string, string> = {}) {
  const read: string[] = [];
  const workflowService = {
    async listWorkflowExecutions({ query, ...asked }: Asked & { query: string }) {
      const [, queue] = /TaskQueue = '(.*?)'/.exec(query) ?? [];
      const listed = runs.filter((run) => queue === undefined || (run.queue ?? 'audit-runner') === queue);
      const { page, nextPageToken } = paged(listed, asked);
      return {
        executions: page.map(({ workflowId, begun = 0 }) => ({
          execution: { workflowId },
          startTime: { seconds: begun },
        })),
        nextPageToken,
      };
    },
    async getWorkflowExecutionHistory({ execution, ...asked }: Asked & { execution: { workflowId: string } }) {
      const run = runs.find(({ workflowId }) => workflowId === execution.workflowId);
      read.push(execution.workflowId);
      if (!run || run.keys.length === 0) throw gone;
      const { page, nextPageToken } = paged(run.keys, asked);
      return { history: { events: page.map(written) }, nextPageToken };
    },
    async listSchedules(asked: Asked) {
      const { page, nextPageToken } = paged(Object.keys(schedules), asked);
      return { schedules: page.map((scheduleId) => ({ scheduleId })), nextPageToken };
    },
    describeSchedule: async ({ scheduleId }: { scheduleId: string }) => written(schedules[scheduleId]),
  };
  return { client: { workflowService, options: { namespace: 'default' } } as unknown as Client, read };
}
const many = (count: number, key: string): Run[] =>
  Array.from({ length: count }, (_, i) => ({ workflowId: `run-${i}`, keys: [key], begun: 1_000 - i }));

test('the oldest of many open runs is looked at: the server lists it last', async () => {
  const { client } = server([...many(500, NEW), { workflowId: 'oldest', keys: [OLD] }]);
  const { keys, looked, left } = await keysInUse(client);
  expect(keys.get(OLD)).toEqual(['oldest']);
  expect(keys.get(NEW)).toHaveLength(500);
  expect({ looked, left }).toEqual({ looked: 501, left: 0 });
});

test('a run that went on under another key than it began with needs both', async () => {
  const events = [undefined, ...Array.from({ length: 200 }, () => NEW), OLD, ...Array.from({ length: 200 }, () => NEW)];
  const { keys } = await keysInUse(server([{ workflowId: 'long', keys: events }]).client);
  expect(keys).toEqual(new Map([NEW, OLD].map((key) => [key, ['long']])));
});

test('all schedules are looked at', async () => {
  const schedules = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`audit-runner.p${i}`, i < 9 ? NEW : OLD]));
  expect((await keysInUse(server([], schedules).client)).keys.get(OLD)).toEqual(['audit-runner.p9']);
});

test('runs of other programs in the namespace are theirs, and one that is gone needs nothing', async () => {
  const runs = [
    { workflowId: 'of others', keys: [OLD], queue: 'theirs' },
    { workflowId: 'gone', keys: [] },
  ];
  const { client, read } = server(runs);
  expect(await keysInUse(client)).toEqual({ keys: new Map(), looked: 1, left: 0 });
  expect(read).toEqual(['gone']);
});

test('when the time is up it is told how many are left, and the oldest were looked at', async () => {
  const { client, read } = server([...many(50, NEW), { workflowId: 'oldest', keys: [OLD], begun: 1 }]);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => read.length);
  const found = await keysInUse(client, 5);
  clock.mockRestore();
  expect(found).toMatchObject({ looked: read.length, left: 51 - read.length });
  expect(found.left).toBeGreaterThan(0);
  expect(read[0]).toBe('oldest');
  expect(found.keys.get(OLD)).toEqual(['oldest']);
});

test('of ledgers all are looked at, each for its input alone', async () => {
  const ledgers = Array.from({ length: 7 }, (_, i) => ({ workflowId: `account-ledger.${i}`, keys: [NEW, OLD] }));
  const { client, read } = server([...ledgers, { workflowId: 'account-ledger.<b>', keys: [OLD] }]);
  expect(await ledgerKeysInUse(client)).toEqual(new Map([[NEW, ledgers.map(({ workflowId }) => workflowId)]]));
  expect(read).toHaveLength(7);
});
