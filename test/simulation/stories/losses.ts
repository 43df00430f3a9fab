/** Stories of nothing but losses: many payments at once, and what Temporal knows of them gone, at any step of them. */
import { MISHAPS, type Mishap } from '../engine/mishaps';
import { Random } from '../world/random';
import { type Act, LOSSES, type Plan, planOf } from './plan';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const PAYMENTS = 30;
const STORAGE: readonly Mishap[] = ['slow', 'storageFull', 'storageReplyLost', 'listedLate'];

/** The service and its faults are those of the seed's other story. */
export function lossOf(seed: number): Plan {
  const random = new Random(seed * 7_919 + 20);
  const { scene, faults } = planOf(seed);
  const troubleMs = 20 * MINUTE;
  const mishaps: Plan['mishaps'] = {};
  for (const mishap of STORAGE) if (random.chance(0.5)) mishaps[mishap] = MISHAPS[mishap] * random.pick([1, 3, 10]);
  if (random.chance(0.3)) mishaps.workerKilled = MISHAPS.workerKilled;
  const act = (what: Act['what'], forMs: number): Act => ({
    at: random.between(1, troubleMs / 2),
    paid: random.chance(0.7) ? random.between(1, PAYMENTS) : undefined,
    ...{ what, which: random.between(0, 1_000), forMs },
  });
  const acts = [act(random.pick(LOSSES), random.pick([SECOND, MINUTE, 10 * MINUTE]))];
  if (random.chance(0.3)) acts.push(act(random.pick(LOSSES), random.pick([SECOND, MINUTE])));
  // Until then they were never kept, as before that version, and only the ledger knows what was paid.
  if (random.chance(0.2)) acts.push({ ...act('beginBooks', 0), paid: random.between(1, PAYMENTS / 2) });
  if (random.chance(0.3)) acts.push(act('storageAway', random.pick([10 * SECOND, MINUTE])));
  if (random.chance(0.2)) acts.push(act('damageDocument', random.pick([SECOND, MINUTE, 10 * MINUTE])));
  // Of the two that know what was paid, the one that is lost is now the storage.
  if (random.chance(0.15)) acts.splice(0, acts.length, act('setBooksBack', random.pick([SECOND, MINUTE, 10 * MINUTE])));
  // Drawn apart, so that the other stories stay as they are: both are lost, and nobody knows any more what was spent.
  const both = new Random(seed * 7_919 + 21);
  const areBothLost = both.chance(0.1);
  if (areBothLost)
    acts.splice(0, acts.length, { at: 15 * MINUTE, what: 'loseBoth', which: both.between(0, 1_000), forMs: SECOND });
  // Between two times at which all pay the balance is noted.
  const secondMs = areBothLost ? 13 * MINUTE : 0;
  return {
    seed,
    // Where much goes wrong, it is never quiet, and nothing is noted.
    ...(areBothLost ? { faults: undefined, mishaps: {}, acts } : { faults, mishaps, acts }),
    scene: {
      ...scene,
      leads: PAYMENTS,
      credits: 90_000,
      budget: { ...scene.budget, ...(areBothLost && { perDay: null, perMonth: null }), balanceFloor: 0 },
      rollout: undefined,
    },
    runs: Array.from({ length: PAYMENTS }, (_, lead) => ({
      ...{
        at: (lead % 2) * secondMs + random.between(0, MINUTE),
        type: 'convertLead' as const,
        lead,
        byHand: false,
        maxCredits: 2_000,
      },
    })),
    troubles: [{ from: 0, to: areBothLost ? 2 * troubleMs : troubleMs, heals: true }],
  };
}
