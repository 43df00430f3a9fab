/** Batches of the period: what became of their items, and what they cost on which day. */
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { readLines } from '../../../activities/backfill-list';
import { LedgerLine } from '../../batches/outcomes';
import type { BatchSpending } from '../../report/spending';
import { dayOf } from '../../time/day';
import type { Spent } from './days';
import { inPeriod, linesOf, MOST_RESULTS, MOST_RUNS, type Reading, spentBy } from './reading';
import { resultOf } from './results';
import type { Visibility } from './visibility';

const BatchResult = z.looseObject({
  operation: z.string().optional(),
  dryRun: z.boolean().default(false),
  ended: z.string(),
  counts: z.record(z.string(), z.number()),
  items: z.number(),
  credits: z.number(),
  durationMs: z.number().default(0),
  files: z.looseObject({ ledger: z.string().optional() }),
});

export interface SeenBatches {
  readonly batches: BatchSpending[];
  /** Leads in lists of batches that convert, and rows that could not be read. */
  readonly leads: number;
  readonly quarantined: number;
}

export async function batchesOf(
  client: Client,
  visibility: Visibility,
  period: readonly [number, number],
  spent: Spent,
  timeZone: string,
  reading: Reading,
): Promise<SeenBatches> {
  const runs = await visibility.list('backfill', inPeriod(period), MOST_RUNS);
  if (runs.length === MOST_RUNS) reading.notes.add(`Of the batches only the newest ${MOST_RUNS} are shown.`);
  const batches: BatchSpending[] = [];
  let [leads, quarantined] = [0, 0];
  for (const [index, run] of runs.entries()) {
    const read =
      run.status.name === 'COMPLETED' && index < MOST_RESULTS
        ? BatchResult.safeParse(await resultOf(client, run))
        : undefined;
    const result = read?.data;
    const endedAt = run.closeTime?.getTime();
    // A long batch continues as new, and the server knows the start of its last part only.
    const lasted = result && endedAt !== undefined ? endedAt - result.durationMs : Number.POSITIVE_INFINITY;
    const startedAt = Math.min(run.startTime.getTime(), lasted);
    if (result?.dryRun) continue;
    const cost = result?.credits ?? spentBy(run);
    if (endedAt !== undefined)
      await spread(spent, { cost, startedAt, endedAt, ref: result?.files.ledger, timeZone }, reading);
    if (result?.operation === 'convertLead') leads += result.items - (result.counts.quarantined ?? 0);
    quarantined += result?.counts.quarantined ?? 0;
    batches.push({
      id: run.workflowId,
      ...(result?.operation !== undefined && { operation: result.operation }),
      startedAt,
      ...(endedAt !== undefined && { endedAt }),
      ended: endedAt === undefined ? 'under way' : (result?.ended ?? run.status.name.toLowerCase()),
      ...(result && { items: result.items }),
      counts: result?.counts ?? {},
      ...((result || cost > 0) && { credits: cost }),
    });
  }
  return { batches, leads, quarantined };
}

interface Batch {
  cost: number;
  startedAt: number;
  endedAt: number;
  ref: string | undefined;
  timeZone: string;
}

/** A batch of several days says in its item ledger on which day each item cost something. */
async function spread(
  spent: Spent,
  { cost, startedAt, endedAt, ref, timeZone }: Batch,
  reading: Reading,
): Promise<void> {
  const isOneDay = dayOf(startedAt, timeZone) === dayOf(endedAt, timeZone);
  let left = cost;
  if (!isOneDay && ref !== undefined && cost > 0)
    for await (const { credits, at } of linesOf(reading, () => readLines(reading.storage, ref, LedgerLine))) {
      if (credits === 0 || at === undefined) continue;
      spent.add('batches', Date.parse(at), credits);
      left -= credits;
    }
  if (!isOneDay && left > 0)
    reading.notes.add(
      'Credits of batches whose item ledger could not be read are those of the day on which the batch ended.',
    );
  spent.add('batches', endedAt, left);
}
