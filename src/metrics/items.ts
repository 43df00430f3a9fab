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
  for (const { outcome } of items) count('audit_runner_items_total', { account, workflow, outcome });
}
