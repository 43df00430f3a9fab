/** What a ledger that starts concludes from lists, whose rows are of a moment ago (S1, S3). */
import type { Client } from '@temporalio/client';
import { type Asked, booksBefore, NotYetKnown } from '../../src/temporal/books-before';
import { GRPC } from '../../src/temporal/grpc-status';

const MINUTE = 60_000;
const NOW = Date.parse('2026-11-26T12:00:00Z');
const TIMING = { sendWindowMs: 5_000, paidTimeoutMs: 200_000, settlingMs: 300_000 };

interface Row {
  runId: string;
  status: string;
  /** Minutes ago. */
  started: number;
  ended?: number;
}

/** A ledger `C` that asks while the list shows these runs, or fails. Each of them tells its own ID as its state. */
function asks(rows: readonly Row[] | Error, isPatient: boolean): Asked {
  const listed = (rows instanceof Error ? [] : rows).map(({ runId, status, started, ended }) => ({
    ...{ workflowId: 'ledger', runId, status: { name: status }, startTime: new Date(NOW - started * MINUTE) },
    ...(ended !== undefined && { closeTime: new Date(NOW - ended * MINUTE) }),
  }));
  const client = {
    options: { namespace: 'default' },
    withDeadline: (_: number, ask: () => unknown) => ask(),
    workflowService: {
      getWorkflowExecutionHistoryReverse: async () => ({
        history: { events: [{ workflowTaskCompletedEventAttributes: {} }] },
      }),
    },
    workflow: {
      list: ({ query }: { query: string }) => {
        if (rows instanceof Error) throw rows;
        return query.startsWith('WorkflowId') ? listed : [];
      },
      getHandle: (_: string, runId: string) => ({
        query: async () => ({ of: runId }),
        describe: async () => ({ startTime: new Date(NOW) }),
      }),
    },
  };
  const ledger = { workflowId: 'ledger', config: { account: 'default', timing: TIMING } };
  return { client, ledger, runId: 'C', isPatient, now: NOW } as unknown as Asked & { client: Client };
}

const C: Row = { runId: 'C', status: 'RUNNING', started: 0 };
const A: Row = { runId: 'A', status: 'RUNNING', started: 60 };

test('goes on with the state of the run that ended last', async () => {
  const rows = [
    { ...A, status: 'CONTINUED_AS_NEW', ended: 5 },
    { runId: 'B', status: 'TERMINATED', started: 5, ended: 1 },
    C,
  ];
  expect(await booksBefore(asks(rows, true))).toEqual({ state: { of: 'B' }, lost: false, isTold: true });
});

// Here A has continued as new, and B, which nothing shows, has granted what A knows nothing of.
test.each(['RUNNING', 'CONTINUED_AS_NEW'])(
  'S1: a run before that the list shows as %s is not the last one: asks again, then counts what it lacks as lost',
  async (status) => {
    const rows = [{ ...A, status, ...(status !== 'RUNNING' && { ended: 5 }) }, C];
    await expect(booksBefore(asks(rows, true))).rejects.toThrow(NotYetKnown);
    expect(await booksBefore(asks(rows, false))).toEqual({ state: { of: 'A' }, lost: true, isTold: true });
  },
);

test.each(['UNAVAILABLE', 'PERMISSION_DENIED', 'UNIMPLEMENTED', 'CANCELLED'] as const)(
  'S1: where the server fails to list runs with %s, it asks again and says why, then counts what was before as lost',
  async (status) => {
    const failure = Object.assign(new Error('no lists'), { code: GRPC[status], details: 'no lists', metadata: {} });
    await expect(booksBefore(asks(failure, true))).rejects.toThrow(NotYetKnown);
    await expect(booksBefore(asks(failure, true))).rejects.toThrow('does not list the runs of the ledger: no lists');
    expect(await booksBefore(asks(failure, false))).toEqual({ lost: true, isTold: true });
  },
);

test('a failure of our own is one', async () => {
  await expect(booksBefore(asks(new TypeError('no such thing'), true))).rejects.toThrow(TypeError);
});
