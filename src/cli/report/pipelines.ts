/** Pipelines and batches of the period: what they listed, converted and cost. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { z } from 'zod';
import { readLines } from '../../../activities/backfill-list';
import { LedgerLine } from '../../batches/outcomes';
import type { BatchSpending, PipelineSpending } from '../../report/spending';
import type { Storage } from '../../storage';
import { openEach } from '../../storage/inline-or-stored';
import { pipelineOf } from '../../temporal/schedules';
import { searchAttributeKeys } from '../../temporal/search-attribute-keys';
import { dayOf } from '../../time/day';
import type { Spent } from './days';
import { resultOf } from './results';
import { endedIn, type Visibility } from './visibility';

/** The newest runs that are listed, and of those the ones whose result is read. */
const MOST_RUNS = 500;
const MOST_RESULTS = 150;
/** Lines of decisions and of item ledgers that are read from the storage. */
const MOST_LINES = 300_000;

/** What is read of the storage, over all runs. */
export interface Reading {
  readonly storage: Storage;
  lines: number;
  /** What a reader should know, one sentence each. */
  readonly notes: Set<string>;
}
export const startReading = (storage: Storage): Reading => ({ storage, lines: 0, notes: new Set() });

const Decision = z.looseObject({ id: z.string(), decision: z.string() });
const PipelineResult = z.looseObject({
  counts: z.record(z.string(), z.number()),
  decisions: z.union([z.object({ inline: z.array(Decision) }), z.object({ ref: z.string(), bytes: z.number() })]),
});
const BatchResult = z.looseObject({
  operation: z.string().optional(),
  dryRun: z.boolean().default(false),
  ended: z.string(),
  counts: z.record(z.string(), z.number()),
  items: z.number(),
  credits: z.number(),
  files: z.looseObject({ ledger: z.string().optional() }),
});

const inPeriod = ([since, until]: readonly [number, number]) =>
  `((${endedIn(since, until)}) OR ExecutionStatus = 'Running')`;

const spentBy = ({ typedSearchAttributes }: WorkflowExecutionInfo): number =>
  typedSearchAttributes.get(searchAttributeKeys.creditsSpent) ?? 0;

/** The pipeline's name in the configuration. */
function nameOf({ searchAttributes }: WorkflowExecutionInfo): string | undefined {
  const [by] = searchAttributes.TemporalScheduledById ?? [];
  return typeof by === 'string' ? pipelineOf(by) : undefined;
}

export interface SeenPipelines {
  readonly pipelines: PipelineSpending[];
  /** Different leads, by ID; undefined where no result tells. */
  readonly listed?: number;
  readonly chosen?: number;
}

export async function pipelinesOf(
  client: Client,
  visibility: Visibility,
  period: readonly [number, number],
  spent: Spent,
  reading: Reading,
): Promise<SeenPipelines> {
  const runs = await visibility.list('leadPipeline', inPeriod(period), MOST_RUNS);
  if (runs.length === MOST_RUNS) reading.notes.add(`Of the pipeline runs only the newest ${MOST_RUNS} are shown.`);
  const byName = new Map<string | undefined, PipelineSpending>();
  const [listed, chosen] = [new Set<string>(), new Set<string>()];
  let results = 0;
  for (const run of runs) {
    const name = nameOf(run);
    const { runs: count = 0, underWay = 0, read: before = 0, converted = 0, credits = 0 } = byName.get(name) ?? {};
    const cost = spentBy(run);
    if (run.closeTime)
      spent.add(name === undefined ? 'pipelines started by hand' : `pipeline ${name}`, run.closeTime.getTime(), cost);
    const read =
      run.status.name === 'COMPLETED' && results < MOST_RESULTS
        ? PipelineResult.safeParse(await resultOf(client, run))
        : undefined;
    if (read?.success) {
      results++;
      for await (const { id, decision } of linesOf(reading, () =>
        openEach(reading.storage, read.data.decisions, Decision),
      )) {
        listed.add(id);
        if (decision === 'convert') chosen.add(id);
      }
    } else if (run.status.name === 'COMPLETED')
      reading.notes.add(
        `Leads and conversions of pipelines are those of the newest ${MOST_RESULTS} runs, as far as their results can be read.`,
      );
    byName.set(name, {
      ...(name !== undefined && { name }),
      runs: count + 1,
      underWay: underWay + (run.status.name === 'RUNNING' ? 1 : 0),
      read: before + (read?.success ? 1 : 0),
      converted: converted + (read?.data?.counts.converted ?? 0),
      credits: credits + cost,
    });
  }
  const pipelines = [...byName.values()].sort((a, b) => b.credits - a.credits);
  return results === 0 ? { pipelines } : { pipelines, listed: listed.size, chosen: chosen.size };
}

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
    const [startedAt, endedAt] = [run.startTime.getTime(), run.closeTime?.getTime()];
    if (result?.dryRun) continue;
    const cost = result?.credits ?? spentBy(run);
    if (endedAt !== undefined)
      await spread(spent, { cost, startedAt, endedAt, ref: result?.files.ledger, timeZone }, reading);
    if (result?.operation === 'convertLead') leads += result.items;
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

/** Lines of a document, up to the bound over all; what cannot be read is said and left out. */
async function* linesOf<T>(reading: Reading, open: () => AsyncIterable<T>): AsyncGenerator<T> {
  try {
    for await (const line of open()) {
      if (++reading.lines > MOST_LINES) {
        reading.notes.add(
          `Lists of leads and items were read up to ${MOST_LINES} lines; what is behind them is not in the figures.`,
        );
        return;
      }
      yield line;
    }
  } catch {
    reading.notes.add('Some lists of leads or items could not be read here; set STORAGE_URL as the worker has it.');
  }
}
