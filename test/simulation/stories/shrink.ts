/** Takes from a story what its finding does not need. */
import type { Plan } from './plan';
import { play } from './story';

/** Every plan that has one thing less. */
function* smaller(plan: Plan): Iterable<Plan> {
  const { runs, acts, mishaps, faults } = plan;
  for (const act of acts) yield { ...plan, acts: acts.filter((other) => other !== act) };
  for (const run of runs) yield { ...plan, runs: runs.filter((other) => other !== run) };
  for (const name of Object.keys(mishaps)) yield { ...plan, mishaps: { ...mishaps, [name]: 0 } };
  if (!faults) return;
  yield { ...plan, faults: undefined };
  for (const one of faults.faults)
    if (faults.faults.length > 1)
      yield { ...plan, faults: { ...faults, faults: faults.faults.filter((other) => other !== one) } };
}

const sizeOf = ({ runs, acts, mishaps, faults }: Plan): number =>
  runs.length + acts.length + Object.values(mishaps).filter(Boolean).length + (faults?.faults.length ?? 0);

/** @returns the smallest story that was found to end by a finding of the same rule */
export async function shrink(plan: Plan, rule: string): Promise<Plan> {
  for (const less of smaller(plan))
    if (sizeOf(less) < sizeOf(plan) && (await play(less)).finding?.rule === rule) return shrink(less, rule);
  return plan;
}
