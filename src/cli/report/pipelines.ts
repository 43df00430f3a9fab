/** Pipelines of the period: what they listed, converted and cost. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { z } from 'zod';
import type { PipelineSpending } from '../../report/spending';
import { isOpen } from '../../runs/is-open';
import { openEach } from '../../storage/inline-or-stored';
import { pipelineOf } from '../../temporal/schedules';
import type { Spent } from './days';
import { inPeriod, linesOf, MOST_RESULTS, MOST_RUNS, type Reading, spentBy } from './reading';
import { resultOf } from './results';
import type { Visibility } from './visibility';

const Decision = z.looseObject({ id: z.string(), decision: z.string() });
const PipelineResult = z.looseObject({
  ended: z.string().default(''),
  counts: z.record(z.string(), z.number()),
  decisions: z.union([z.object({ inline: z.array(Decision) }), z.object({ ref: z.string(), bytes: z.number() })]),
});
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
        // Of a plan, or one that nobody approved, nothing was to be converted.
        if (decision === 'convert' && !['planned', 'rejected', 'expired'].includes(read.data.ended)) chosen.add(id);
      }
    } else if (run.status.name === 'COMPLETED')
      reading.notes.add(
        `Leads and conversions of pipelines are those of the newest ${MOST_RESULTS} runs, as far as their results can be read.`,
      );
    byName.set(name, {
      ...(name !== undefined && { name }),
      runs: count + 1,
      underWay: underWay + (isOpen(run.status) ? 1 : 0),
      read: before + (read?.success ? 1 : 0),
      converted: converted + (read?.data?.counts.converted ?? 0),
      credits: credits + cost,
    });
  }
  const pipelines = [...byName.values()].sort((a, b) => b.credits - a.credits);
  return results === 0 ? { pipelines } : { pipelines, listed: listed.size, chosen: chosen.size };
}
