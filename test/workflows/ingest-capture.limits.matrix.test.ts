import { randomUUID } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { z } from 'zod';
import { ingestCapture } from '../../workflows';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

/** An hour, as long as it is here. */
const HOUR_MS = 30_000;
const NOTES = 34;

/** What the ledger answered to those who wanted to send, in its order: however slow the machine is, this is what it let go. */
async function answersOfLedger({ temporal, ledgerId }: Stage): Promise<unknown[]> {
  const { events } = await temporal.client.workflow.getHandle(ledgerId).fetchHistory();
  return (events ?? [])
    .flatMap((event) => event.workflowExecutionUpdateCompletedEventAttributes?.outcome?.success?.payloads ?? [])
    .map((payload) => z.object({ kind: z.unknown() }).safeParse(defaultPayloadConverter.fromPayload(payload)))
    .flatMap(({ data }) => (data ? [data.kind] : []));
}

test.concurrent('S5: of many notes at once ten leave at once, then evenly, never over thirty in any hour, each once', async () => {
  const notes = { max: 30, windowMs: HOUR_MS };
  const stage = await startStage({
    sandbox: {
      durations: { extraction: 50 },
      captures: 0,
      limits: { reads: 'off', writes: 'off', polls: 'off', notes },
    },
    account: { limits: { ...QUICK.limits, notes } },
  });
  try {
    await stage.startWorker();
    const runs = await Promise.all(
      Array.from({ length: NOTES }, (_, i) =>
        stage.temporal.client.workflow.start(ingestCapture, {
          workflowId: `note-${i}`,
          taskQueue: 'audit-runner',
          args: [{ note: `Note ${i} ${randomUUID()}` }],
        }),
      ),
    );
    for (const run of runs) expect(await run.result()).toMatchObject({ outcome: 'processed', submitted: true });
    const { requests, refused429, windows, notesDoubled } = stage.sandbox.control.stats();
    expect({ sent: requests.byRoute['captures.submitNote'], refused429, notesDoubled }).toEqual({
      ...{ sent: NOTES, refused429: 0, notesDoubled: [] },
    });
    expect(windows.find(({ rateClass }) => rateClass === 'notes')?.largest).toBeLessThanOrEqual(30);
    const times = stage.sandbox.control.captures().map(({ createdAt }) => Date.parse(createdAt));
    const [first = 0, ...later] = times.sort((a, b) => a - b);
    expect((later[NOTES - 2] ?? 0) - first).toBeGreaterThan(15_000);
    const answers = await answersOfLedger(stage);
    expect(answers.slice(0, 10)).toEqual(Array(10).fill('granted'));
    expect(answers).toContain('parked');
    // One look before the first try to send, one when its place has come, and again where a busy machine missed that place;
    // a look at each try would be some twenty.
    expect(requests.byRoute['captures.list']).toBeLessThanOrEqual(6 * NOTES);
  } finally {
    await stage.close();
  }
});

test.concurrent('S5: two hundred captures that wait are looked at together; a single one is asked itself', async () => {
  const stage = await startStage({ sandbox: { durations: { extraction: 8_000 }, captures: 201 } });
  try {
    await stage.startWorker();
    const { control, baseUrl, token } = stage.sandbox;
    const again = (id: string) =>
      fetch(`${baseUrl}/api/nucleus/captures/${id}`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    const reads = () => {
      const { 'captures.get': gets = 0, 'captures.list': lists = 0 } = control.stats().requests.byRoute;
      return { gets, lists };
    };
    const ids = control.captures().map(({ id }) => id);
    const follow = (captureId: string) =>
      stage.temporal.client.workflow.start(ingestCapture, {
        workflowId: `ingest-capture.default.${captureId}`,
        taskQueue: 'audit-runner',
        args: [{ captureId }],
      });
    const alone = ids.pop() ?? '';
    await again(alone);
    expect(await (await follow(alone)).result()).toMatchObject({ outcome: 'processed' });
    expect(reads().lists).toBe(0);
    const each = reads().gets;
    // Fewer on a slow machine; two tell that it is asked again and again.
    expect(each).toBeGreaterThan(1);

    const before = reads();
    await Promise.all(ids.map(again));
    const runs = await Promise.all(ids.map(follow));
    await until(() => control.captures().every(({ status }) => status === 'processed'));
    for (const run of runs) expect(await run.result()).toMatchObject({ outcome: 'processed' });
    const after = reads();
    // Each is read once when it is done, and on a slow machine once before it pays to list.
    expect(after.gets - before.gets).toBeLessThanOrEqual(2 * ids.length);
    expect(after.lists - before.lists).toBeGreaterThan(0);
    // Over all rounds together, of which there are as many as the one alone had reads, and more on a slow machine.
    expect(after.lists - before.lists).toBeLessThan((each * ids.length) / 4);
  } finally {
    await stage.close();
  }
});
