/** What `deploy check` makes of runs that are gone, were reset, or were encrypted with a key that is missing. */
import { ServiceError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { type Open, replayOpen } from '../../../src/cli/deploy/replay-open';
import type { Recorded, Replayed } from '../../../src/temporal/replaying';

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED } = temporal.api.enums.v1.EventType;
const KEY = '0123456789abcdef';

const open = (workflowId: string, type = 'convertLead'): Open => ({ workflowId, runId: `${workflowId}-now`, type });

function record({ workflowId }: Open): Recorded {
  const metadata = workflowId.startsWith('sealed') ? { 'encryption-key-id': new TextEncoder().encode(KEY) } : {};
  const input = { payloads: [{ metadata, data: new Uint8Array() }] };
  return {
    workflowId,
    history: {
      events: [
        { workflowExecutionStartedEventAttributes: { input } },
        ...(workflowId === 'new' ? [] : [{ eventType: EVENT_TYPE_WORKFLOW_TASK_COMPLETED }]),
      ],
    },
  };
}

/** As the SDK does: it tells the ID of the run that a reset one was at first. */
const failing = (...ids: string[]) =>
  async function* (recorded: AsyncIterable<Recorded>): AsyncGenerator<Replayed> {
    for await (const { workflowId } of recorded)
      yield {
        ...{ workflowId, runId: 'at-first' },
        ...(ids.includes(workflowId) && { failure: 'DeterminismViolationError' }),
      };
  };

const refused = (code: number) =>
  Object.assign(
    new ServiceError('history', { cause: Object.assign(new Error(), { code, details: '', metadata: {} }) }),
  );

test('a run that is listed and gone is counted, and the others are replayed', async () => {
  const found = await replayOpen([open('gone'), open('new'), open('here')], {
    ...{ keys: [], replay: failing() },
    record: async (run) => (run.workflowId === 'gone' ? Promise.reject(refused(5)) : record(run)),
  });
  expect(found).toEqual({ replayed: 1, notBegun: 1, gone: 1, broken: [], missingKeys: [] });
});

test('of two that are listed with one ID both are replayed, whichever comes first', async () => {
  const stale = { ...open('ledger', 'accountLedger'), runId: 'stale' };
  const now = open('ledger', 'accountLedger');
  for (const runs of [
    [stale, now],
    [now, stale],
  ]) {
    const found = await replayOpen(runs, {
      ...{ keys: [], replay: failing('ledger') },
      record: async (run) => (run.runId === 'stale' ? Promise.reject(refused(5)) : record(run)),
    });
    expect(found).toMatchObject({ replayed: 1, gone: 1, broken: [{ runId: 'ledger-now', type: 'accountLedger' }] });
  }
});

test('any other failure of the server ends it', async () => {
  const failed = replayOpen([open('here')], {
    ...{ keys: [], replay: failing() },
    record: () => Promise.reject(refused(14)),
  });
  await expect(failed).rejects.toThrow('history');
});

test('a run that was reset is told with its type, and with the ID that it has now', async () => {
  const { broken } = await replayOpen([open('reset', 'backfill')], {
    ...{ keys: [], replay: failing('reset') },
    record: async (run) => record(run),
  });
  expect(broken).toEqual([
    { workflowId: 'reset', runId: 'reset-now', type: 'backfill', why: expect.stringContaining('other workflow code') },
  ]);
});

test('of a run whose key is missing here nothing else is said', async () => {
  const runs = [open('sealed-a'), open('sealed-b'), open('plain'), open('sealed-fine')];
  const means = { record: async (run: Open) => record(run), replay: failing('sealed-a', 'sealed-b', 'plain') };
  const without = await replayOpen(runs, { ...means, keys: [] });
  expect(without.missingKeys).toEqual([KEY]);
  expect(without.broken.map(({ why }) => why)).toEqual([
    ...[1, 2].map(() => `it was encrypted with key ${KEY}, which is missing here`),
    expect.stringContaining('other workflow code'),
  ]);
  const having = await replayOpen(runs, { ...means, keys: [KEY] });
  expect(having.missingKeys).toEqual([]);
  expect(having.broken.map(({ why }) => why)).toEqual(runs.slice(0, 3).map(() => expect.stringContaining('other')));
});
