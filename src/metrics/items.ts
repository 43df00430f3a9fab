/** Items of runs that work on many, by what became of them. */
import type { WorkflowName } from '../runs/workflow-types';
import { count } from './meter';

/** What this process has counted last: an activity that Temporal repeats does not count again. */
const counted = new Set<string>();
const KEEP = 1_000;

/**
 * @param account whose they are; absent: they are not counted
 * @param ref where they are kept, which nothing else is
 */
export function countItems(
  workflow: WorkflowName,
  account: string | undefined,
  items: readonly { outcome: string }[],
  ref: string,
): void {
  if (account === undefined || counted.has(ref)) return;
  counted.add(ref);
  const [oldest] = counted;
  if (oldest !== undefined && counted.size > KEEP) counted.delete(oldest);
  // Each call of the meter takes its time, and there may be 100,000 items.
  const counts = new Map<string, number>();
  for (const { outcome } of items) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  for (const [outcome, times] of counts) count('audit_runner_items_total', { account, workflow, outcome }, times);
}
