/** A bounded number of runs, looked at in detail. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { Cause, RunCounts, Waits } from '../../report/spending';
import { sum } from '../../report/spending/facts';
import { createLimit } from '../../temporal/in-flight';
import { eventsOf } from './events';
import { endedIn, type Visibility } from './visibility';
import { waitsOf } from './waits';

/** Those whose work waits; a batch waits in its items. */
const TYPES = ['convertLead', 'auditProject', 'ingestCapture', 'leadPipeline'];
/** Runs of one type, and into how many equal parts the period is cut where there are more. */
const MOST_OF_A_TYPE = 48;
const PARTS = 12;
const MOST_EVENTS = 4_000;
const AT_ONCE = 6;

export async function sampleWaits(
  client: Client,
  visibility: Visibility,
  runs: readonly RunCounts[],
  period: readonly [number, number],
): Promise<Waits> {
  const totals = runs
    .filter(({ type }) => TYPES.includes(type))
    .map(({ type, ended }) => ({ type, of: sum(Object.values(ended)) }));
  const limit = createLimit(AT_ONCE);
  const sampled = await Promise.all(
    totals.map(async ({ type, of }) => (of === 0 ? [] : await drawn(visibility, type, of, period))),
  );
  const read = await Promise.all(sampled.flat().map((run) => limit(() => eventsOf(client, run, MOST_EVENTS))));
  const seen = read.flatMap((events) => (events === undefined ? [] : [waitsOf(events)]));
  const causes = new Map<Cause, { ms: number; runs: number }>();
  for (const waits of seen)
    for (const [cause, ms] of waits) {
      const before = causes.get(cause) ?? { ms: 0, runs: 0 };
      causes.set(cause, { ms: before.ms + ms, runs: before.runs + 1 });
    }
  return {
    sampled: seen.length,
    of: sum(totals.map(({ of }) => of)),
    causes: [...causes].map(([cause, waits]) => ({ cause, ...waits })).sort((a, b) => b.ms - a.ms),
  };
}

/** All runs of a type; of many as many from each part of the period, filled up with the newest. */
async function drawn(
  visibility: Visibility,
  type: string,
  of: number,
  [since, until]: readonly [number, number],
): Promise<WorkflowExecutionInfo[]> {
  const newest = await visibility.list(type, endedIn(since, until), MOST_OF_A_TYPE);
  if (of <= MOST_OF_A_TYPE) return newest;
  const part = (until - since) / PARTS;
  const parts = Array.from({ length: PARTS }, (_, index) => since + index * part);
  const lists = await Promise.all(
    parts.map((from) => visibility.list(type, endedIn(from, from + part), MOST_OF_A_TYPE / PARTS)),
  );
  const spread = new Map([...lists.flat(), ...newest].map((run) => [run.runId, run]));
  return [...spread.values()].slice(0, MOST_OF_A_TYPE);
}
