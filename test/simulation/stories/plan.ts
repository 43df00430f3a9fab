/** What a story consists of, made up from its seed: who starts what, what goes wrong and how often, what people do. */
import { type RouteName, routes } from '../../../src/agent-api/routes';
import { FAULTS, type FaultRate, ProjectsListed } from '../../../src/sandbox/options';
import { MISHAPS, type Mishap } from '../engine/mishaps';
import { Random } from '../world/random';
import type { SceneOptions } from './scene';
import { ERRORS, marksOf, shapeOf } from './shapes';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A run that somebody starts; leads are named by their place in the list. */
export type Begun = { at: number } & (
  | { type: 'leadPipeline'; input: Record<string, unknown> }
  | { type: 'convertLead'; lead: number; byHand: boolean; maxCredits: number }
  | { type: 'backfill'; input: Record<string, unknown> }
  | { type: 'auditProject'; client: number }
  | { type: 'ingestCapture'; note: number }
);

/** What people do to whatever is there at that moment. */
export const ACTS = [
  ...(['cancel', 'terminate', 'startAgain', 'resetActivity', 'convertInWebApp', 'convertAgain'] as const),
  ...(['pause', 'stop', 'terminateLedger', 'deleteLedger', 'startLedgerByHand', 'holdLedger'] as const),
  ...(['loseDatabase', 'setTemporalBack', 'resetRun', 'resetLedger', 'failAudits'] as const),
  ...([
    'killSwitch',
    'revokeToken',
    'noCredits',
    'storageAway',
    'damageDocument',
    'killWorker',
    'killAllWorkers',
    'temporalAway',
  ] as const),
];
/** What takes from Temporal what it knows. A backup is taken first, and Temporal goes back to it so much later. */
export const LOSSES: readonly Act['what'][] = [
  ...(['loseDatabase', 'setTemporalBack', 'setTemporalBack', 'terminateLedger', 'deleteLedger'] as const),
  ...(['startLedgerByHand', 'resetLedger'] as const),
];
/** What the ledger may lose its permits by: they are in no books. */
export const FORGETTING: readonly Act['what'][] = [...LOSSES, 'loseBoth'];

/** At a moment, or while the so manieth request that costs is under way. */
export type Act = {
  at: number;
  paid?: number | undefined;
  what: (typeof ACTS)[number] | 'attack' | 'setBooksBack' | 'beginBooks' | 'loseBoth';
  which: number;
  forMs: number;
};

export type Faults = Omit<FaultRate, 'routes' | 'code' | 'body' | 'retryAfterForm'> & Partial<Pick<FaultRate, 'body'>>;
const DISTURBANCES = FAULTS.filter((fault) => fault !== 'instead');

export interface Plan {
  seed: number;
  scene: SceneOptions;
  runs: Begun[];
  acts: Act[];
  mishaps: Partial<Record<Mishap, number>>;
  faults: Faults | undefined;
  /**
   * When things go wrong: spans, one after the other, milliseconds from the beginning. Where one heals, all that was
   * lacking comes back after it, until the next begins; the last one heals.
   */
  troubles: readonly { from: number; to: number; heals: boolean }[];
  /** The ceiling of a day stays in the first night: whoever waits for credits goes on by itself after midnight. */
  keepsDay?: boolean;
}

/**
 * A paid call may have its effect so long after it was granted, and the simulation keeps to that: its time limit and the
 * settling time, less what a slow network takes.
 */
const LONGEST_EFFECT_MS = 480 * SECOND;

/** Most stories have a crowded morning, from six o'clock UTC, a night in which all is well, and a shorter second morning. */
const MORNING = [0];
const NEXT_MORNING = 24 * HOUR;
/** The others lack something all the time; most happens at the beginning, around midnight and in the next morning. */
const RESTLESS = [0, 0, 18 * HOUR - 5 * MINUTE, NEXT_MORNING];
/** They take ten times as long to play: whoever waits all night looks around every minute. */
const SHARE_OF_RESTLESS = 1 / 16;

const MORE_THAN_AN_HOUR_TAKES = 35;
/** Notes that no other run has. */
const FIRST_OF_MANY = 100;

export function planOf(seed: number): Plan {
  const random = new Random(seed * 7_919 + 17);
  const leads = random.between(8, 14);
  const maybe = <T>(share: number, value: T, otherwise: T) => (random.chance(share) ? value : otherwise);
  const crowdedMs = random.pick([5 * MINUTE, 15 * MINUTE, 30 * MINUTE, 2 * HOUR]);
  const crowded = maybe(SHARE_OF_RESTLESS, RESTLESS, MORNING);
  const when = () => random.pick(crowded) + Math.floor(random.next() ** 2 * crowdedMs * 0.8);
  // Close to it from the beginning: else it never counts.
  const balanceFloor = maybe(0.2, random.between(1, 4) * 1_000, 0);
  const convert = random.pick([50, SECOND, 20 * SECOND, 90 * SECOND]);
  const plan: Plan = {
    seed,
    troubles: [...new Set(crowded)].map((from, n, all) => ({
      from,
      to: from + crowdedMs,
      heals: n === all.length - 1,
    })),
    scene: {
      leads,
      workers: random.between(1, 3),
      skewMs: maybe(0.3, 10 * MINUTE, 0),
      suggestsAt: random.pick(crowded === RESTLESS ? [400, 4_096] : [60, 150, 400, 4_096]),
      credits:
        balanceFloor > 0
          ? balanceFloor + random.between(1, 4) * 1_000
          : maybe(0.2, random.between(2, 6) * 1_000, 60_000),
      budget: { perDay: maybe(0.3, random.between(2, 8) * 1_000, null), balanceFloor },
      sandbox: {
        seed,
        convertCheck: 'atArrival',
        auditId: maybe(0.2, 'other', 'project'),
        durations: { convert, createProject: convert, interviewAnalysis: 60_000 },
        balanceLagMs: maybe(0.2, 30_000, 0),
        clockSkewMs: skewOf(seed),
        projectsListed: maybe(0.3, random.pick(ProjectsListed.options), 'whole'),
        ...maybe(0.3, { marks: marksOf(random) }, {}),
      },
    },
    runs: [],
    acts: [],
    mishaps: {},
    faults: undefined,
  };
  const some = { scoring: { minReadiness: random.pick([0, 10, 30]) }, maxConversions: random.between(3, leads) };
  for (let n = random.between(1, 2); n > 0; n--) {
    const limits = { maxCredits: random.pick([3_000, 8_000, 20_000]), concurrency: random.between(1, 10) };
    const input = { ...some, ...limits, approval: maybe<string>(0.3, 'all', 'none') };
    plan.runs.push({ at: when(), type: 'leadPipeline', input });
  }
  for (let n = random.between(2, 6); n > 0; n--)
    plan.runs.push({
      at: when(),
      type: 'convertLead',
      lead: random.between(0, leads - 1),
      byHand: random.chance(0.4),
      maxCredits: maybe(0.1, 500, 2_000),
    });
  if (random.chance(0.4)) {
    const input = {
      operation: 'convertLead',
      leads: { scoring: some.scoring },
      approval: 'none',
      window: random.between(1, 8),
      maxCredits: 20_000,
    };
    plan.runs.push({ at: when(), type: 'backfill', input });
  }
  for (let n = random.between(0, 2); n > 0; n--) plan.runs.push({ at: when(), type: 'auditProject', client: n });
  for (let n = random.between(0, 2); n > 0; n--) plan.runs.push({ at: when(), type: 'ingestCapture', note: n });

  for (let n = random.between(0, 10); n > 0; n--)
    plan.acts.push({
      at: when(),
      paid: maybe<number | undefined>(0.6, random.between(1, 10), undefined),
      what: random.pick(ACTS),
      which: random.between(0, 1_000),
      forMs: random.pick([10 * SECOND, 3 * MINUTE, 20 * MINUTE]),
    });
  for (const [mishap, usual] of Object.entries(MISHAPS) as [Mishap, number][])
    if (random.chance(0.5)) plan.mishaps[mishap] = usual * random.pick([0.3, 1, 3]);
  if (random.chance(0.8))
    plan.faults = {
      share: random.pick([0.05, 0.2, 0.5]),
      faults: DISTURBANCES.filter(() => random.chance(0.5)),
      delayMs: random.pick([SECOND, 30 * SECOND, 200 * SECOND, LONGEST_EFFECT_MS - convert]),
      commitAfterMs: random.pick([SECOND, 60 * SECOND, LONGEST_EFFECT_MS - convert]),
      status: random.pick([500, 503, 429, 408, 504]),
      retryAfter: random.pick([1, 30, 300]),
    };
  // Who says "too many requests" has refused, and done nothing.
  if (plan.faults?.status === 429)
    plan.faults.faults = plan.faults.faults.filter((fault) => fault !== 'statusAfterCommit');
  if (plan.faults?.faults.length === 0) plan.faults = undefined;
  const apart = new Random(seed * 7_919 + 22);
  const { pages, ...shape } = shapeOf(apart);
  plan.scene = { ...plan.scene, ...(pages && { pages }), sandbox: { ...plan.scene.sandbox, ...shape } };
  if (plan.faults && apart.chance(0.4))
    plan.faults = { ...plan.faults, faults: [...plan.faults.faults, 'instead'], body: apart.pick(ERRORS) };
  if (apart.chance(0.3)) addAudits(plan, when, apart);
  if (crowded === MORNING) addNextMorning(plan, leads);
  addLimits(plan, when, new Random(seed * 7_919 + 23));
  plan.scene.rollout = rolloutOf(seed, crowdedMs);
  // Runs that were reset on the build before stay as that one left them, and it could not cope with resets.
  if (plan.scene.rollout) plan.acts = plan.acts.filter(({ what }) => !what.startsWith('reset'));
  plan.runs.sort((one, other) => one.at - other.at);
  plan.acts.sort((one, other) => one.at - other.at);
  return plan;
}

/** What was paid, held and learned on the first day meets a few more runs; drawn apart, so that the first day stays as it is. */
function addNextMorning(plan: Plan, leads: number): void {
  const random = new Random(plan.seed * 7_919 + 18);
  const forMs = random.pick([5 * MINUTE, 15 * MINUTE]);
  const when = () => NEXT_MORNING + Math.floor(random.next() * forMs * 0.8);
  plan.troubles = [...plan.troubles, { from: NEXT_MORNING, to: NEXT_MORNING + forMs, heals: true }];
  if (random.chance(0.3)) {
    const input = { scoring: { minReadiness: 0 }, maxConversions: leads, maxCredits: 8_000, approval: 'none' };
    plan.runs.push({ at: when(), type: 'leadPipeline', input });
  }
  for (let n = random.between(1, 3); n > 0; n--) {
    const lead = random.between(0, leads - 1);
    plan.runs.push({ at: when(), type: 'convertLead', lead, byHand: random.chance(0.4), maxCredits: 2_000 });
  }
  if (random.chance(0.3)) plan.runs.push({ at: when(), type: 'auditProject', client: random.between(1, 2) });
  if (random.chance(0.3)) plan.runs.push({ at: when(), type: 'ingestCapture', note: random.between(1, 2) });
  for (let n = random.between(0, 3); n > 0; n--) {
    const act = {
      what: random.pick(ACTS),
      which: random.between(0, 1_000),
      forMs: random.pick([10 * SECOND, 3 * MINUTE]),
    };
    plan.acts.push({ at: when(), ...act });
  }
}

/** Audits as items of a batch, of leads or of new projects; some fail after they were paid for, and people have them tried again. */
function addAudits(plan: Plan, when: () => number, random: Random): void {
  const leads = { scoring: { minReadiness: 0 } };
  const input = {
    operation: 'auditProject',
    ...(random.chance(0.5) ? { leads } : { file: { ref: 'projects.jsonl' } }),
    defaults: {
      documents: ['brief.txt'],
      maxStarts: random.between(1, 2),
      mode: random.pick(['async', 'async', 'sync']),
    },
    ...{ approval: 'none', maxItems: random.between(2, 6), window: random.between(1, 4) },
    maxCredits: random.pick([1_000, 3_000, 20_000]),
  };
  const at = when();
  plan.runs.push({ at, type: 'backfill', input });
  const failing = {
    at: at + random.between(1, 3 * MINUTE),
    what: 'failAudits',
    which: random.between(0, 5),
    forMs: 0,
  } as const;
  plan.acts.push(failing, { ...failing, at: at + random.between(1, 15 * MINUTE) });
}

/** In some stories limits matter: more notes than an hour takes, and fewer requests than there are runs. */
function addLimits(plan: Plan, when: () => number, random: Random): void {
  if (random.chance(0.06)) {
    const at = when();
    for (let note = 0; note < MORE_THAN_AN_HOUR_TAKES; note++)
      plan.runs.push({ at: at + random.between(0, MINUTE), type: 'ingestCapture', note: FIRST_OF_MANY + note });
  }
  if (random.chance(0.1)) plan.scene.isNarrow = true;
  if (random.chance(0.3) && plan.scene.budget?.perDay) plan.keepsDay = true;
}

/** In some stories a new build comes out while much happens. */
function rolloutOf(seed: number, crowdedMs: number): SceneOptions['rollout'] {
  const random = new Random(seed * 7_919 + 19);
  if (!random.chance(0.15)) return undefined;
  const from = Math.floor(random.next() * crowdedMs);
  return { from, to: from + random.pick([MINUTE, 10 * MINUTE, HOUR]) };
}

/** All routes: each has its own way of coping. */
export const ROUTES = Object.keys(routes) as RouteName[];

/** The service's clock is so far ahead or behind, in one story of three. Drawn apart, so that all else stays as it was. */
function skewOf(seed: number): number {
  const random = new Random(seed * 7_919 + 24);
  return random.chance(1 / 3) ? random.pick([-1, 1]) * random.between(1, 20) * MINUTE : 0;
}
