/** Items of runs that work on many, by what became of them. */
import { count } from './meter';

/** @param account whose they are; absent: they are not counted */
export function countItems(
  workflow: 'backfill' | 'leadPipeline' | 'captureSweep',
  account: string | undefined,
  items: readonly { outcome: string }[],
): void {
  if (account === undefined) return;
  for (const { outcome } of items) count('audit_runner_items_total', { account, workflow, outcome });
}
