/** How many questions a second a ledger answers when far more callers ask than the write limit ever lets through (S1, S3). */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { stateQuery } from '../src/ledger/messages';
import { LedgerClient } from '../src/temporal/ledger-client';
import { ledgerId } from '../src/temporal/ledger-id';
import { runBench } from './support/main';
import { atLeast, exactly, type Figure, note, report, warningFigures } from './support/report';
import { onStage } from './support/stage';

const CALLERS = 200;
/** Each caller begins and settles so many sends, one after the other. */
const ROUNDS = 5;
/** Twenty writes a minute ask twice each: 0.7 updates a second. This is seventy times as many. */
const LEAST_PER_SECOND = 50;
/** Each is a process of its own as far as the limit of updates in flight goes. */
const PROCESSES = [1, 2];

/** Whoever asks, the worker has the same configuration: a ledger believes no other. */
const timing = { sendWindowMs: 60_000, paidTimeoutMs: 60_000, settlingMs: 60_000, holdProbeMs: 600_000 };
const account = { timing, undocumented: { account: { userId: null } } };
const LEDGER = {
  account: 'default',
  timing,
  budget: { perDay: null, balanceFloor: 0, timeZone: 'UTC' },
  probeEveryMs: timing.holdProbeMs,
};
const WORKFLOW_ID = ledgerId('by-name-default');

async function measure(client: Client, processes: number): Promise<Figure[]> {
  const ledgers = Array.from({ length: processes }, () => new LedgerClient(client, WORKFLOW_ID, LEDGER));
  await ledgers[0]?.configure();
  const handle = client.workflow.getHandle(WORKFLOW_ID);
  const booked = async () => Object.values((await handle.query(stateQuery)).days).reduce((sum, n) => sum + n, 0);
  const before = await booked();
  const spent = { wrong: 0, longestMs: 0 };
  const caller = async (n: number): Promise<void> => {
    const ledger = ledgers[n % processes];
    for (let round = 0; ledger && round < ROUNDS; round++) {
      const request = { subject: `lead:${randomUUID()}`, attempt: `${n}/${round}`, run: 'bench' };
      const askedAt = performance.now();
      const answer = await ledger.beginSend({ ...request, runCap: 1e9, credits: 1_000, lookedAt: Date.now() });
      const settled = await ledger.settle({
        ...request,
        settlement: { kind: 'paid', credits: 1_000, ref: randomUUID() },
      });
      if (answer.kind !== 'granted' || settled !== 1_000) spent.wrong++;
      spent.longestMs = Math.max(spent.longestMs, performance.now() - askedAt);
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(n)));
  const seconds = (performance.now() - begin) / 1_000;
  const { flights } = await handle.query(stateQuery);
  const { historyLength, historySize = 0 } = await handle.describe();
  return [
    atLeast('updates a second', (CALLERS * ROUNDS * 2) / seconds, LEAST_PER_SECOND),
    note('slowest begin and settle (ms)', spent.longestMs),
    exactly('wrong answers', spent.wrong, 0),
    exactly('credits booked', (await booked()) - before, CALLERS * ROUNDS * 1_000),
    exactly('sends left open', Object.keys(flights.open).length, 0),
    note('events and bytes of the last run', `${historyLength}, ${historySize}`),
  ];
}

const title = (processes: number) =>
  `${CALLERS} callers of one ledger, in what counts as ${processes === 1 ? 'one process' : `${processes} processes`}`;

runBench(10, () =>
  onStage({ sandbox: [], account }, async ({ client, startWorker, warnings }) => {
    startWorker();
    for (const processes of PROCESSES) report(title(processes), await measure(client, processes));
    report('Warnings of the worker', warningFigures(warnings()));
  }),
);
