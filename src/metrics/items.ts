/** Items of runs that work on many, by what became of them. */
import type { WorkflowName } from '../runs/workflow-types';
import { count } from './meter';

/** @param account whose they are; absent: they are not counted */
export function countItems(
  workflow: WorkflowName,
  account: string | undefined,
  items: readonly { outcome: string }[],
): void {
  if (account === undefined) return;
  // Each call of the meter takes its time, and there may be 100,000 items.
  const counts = new Map<string, number>();
  for (const { outcome } of items) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  for (const [outcome, times] of counts) count('audit_runner_items_total', { account, workflow, outcome }, times);
}
