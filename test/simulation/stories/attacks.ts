/** Stories of somebody who reaches Temporal and means harm: any message to any run, any input to any workflow (S3, S8). */
import { defaultPayloadConverter } from '@temporalio/common';
import type { Run } from '../engine/run';
import { Random } from '../world/random';
import { type Act, type Plan, planOf } from './plan';
import type { Scene } from './scene';

const MINUTE = 60_000;
const MESSAGES = 60;

/** Runs that spend, a ceiling that is close, and messages all the time. */
export function attackOf(seed: number): Plan {
  const random = new Random(seed * 7_919 + 21);
  const { scene, faults } = planOf(seed);
  const when = () => random.between(1, 15 * MINUTE);
  const input = { scoring: { minReadiness: 0 }, maxConversions: 10, maxCredits: 20_000, approval: 'none' };
  const batch = {
    operation: 'convertLead',
    leads: { scoring: { minReadiness: 0 } },
    maxCredits: 20_000,
    approval: 'none',
  };
  const act = (): Act => ({
    at: when(),
    paid: random.chance(0.3) ? random.between(1, 8) : undefined,
    ...{ what: 'attack', which: random.between(0, 1_000_000), forMs: 0 },
  });
  return {
    seed,
    ...{ faults, mishaps: {}, acts: Array.from({ length: MESSAGES }, act) },
    scene: {
      ...scene,
      leads: 20,
      credits: 60_000,
      balanceFloor: 0,
      perDay: random.between(1, 6) * 1_000,
      rollout: undefined,
    },
    runs: [
      { at: when(), type: 'leadPipeline', input },
      { at: when(), type: 'backfill', input: batch },
      { at: when(), type: 'auditProject', client: 1 },
      ...Array.from({ length: 8 }, (_, lead) => ({
        ...{ at: when(), type: 'convertLead' as const, lead, byHand: random.chance(0.5), maxCredits: 2_000 },
      })),
    ],
    troubles: [{ from: 0, to: 20 * MINUTE, heals: true }],
  };
}

/** Values that have broken something somewhere. */
const NASTY: readonly unknown[] = [
  ...[
    null,
    undefined,
    true,
    false,
    '',
    ' ',
    '__proto__',
    'constructor',
    'x'.repeat(3_000),
    '\u202e\u0000\ud800',
    '%s$(x)`x`',
  ],
  ...[0, -1, 1, 0.5, 1e6, -5e6, 1e12, 2 ** 53, -(2 ** 53), 1e308, '1000', 'Infinity', '2026-11-23T10:00:00Z', 'PT1H'],
  ...[[], {}, [[]], [null], { kind: 'paid', credits: -1_000 }, { __proto__: null, toString: 1 }],
];

/** Messages as they should be, for the ledger; each is made worse before it is sent. */
function messagesTo(scene: Scene, random: Random): readonly [string, object][] {
  const lead = random.pick(scene.leads).id;
  const subject = `lead:${lead}`;
  const by = { by: 'the CFO', reason: 'x' };
  const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
  const budget = { perRun: null, perDay: null, perMonth: null, balanceFloor: 0, timeZone: 'UTC' };
  const attempt = { subject, attempt: random.pick(['x', 'y']), run: random.pick(['x', 'convertLead-3']) };
  const kind = random.pick(['paid', 'notPaid', 'foundPaid', 'foundNothing', 'over']);
  const settlement = { kind, credits: random.pick([0, 1_000, -1_000]), lookedAt: scene.world.now };
  return [
    ['beginSend', { ...attempt, credits: 1_000, lookedAt: scene.world.now, runCap: 1e6, again: random.chance(0.5) }],
    ['settle', { ...attempt, settlement }],
    ['settle', { ...attempt, settlement }],
    [
      'configure',
      { account: 'default', worker: random.pick(['x', 'y']), budget, timing, books: random.pick(['a', undefined]) },
    ],
    [
      'setBudget',
      { ...by, perDay: random.pick([null, 0, 50_000]), balanceFloor: 0, timeZone: random.pick(['UTC', 'Asia/Tokyo']) },
    ],
    ['adjust', { ...by, credits: random.pick([-5_000, -1e9, 1_000]) }],
    ['clear', { ...by, subject }],
    ['hold', by],
    ['release', { ...by, parks: true }],
    ['leave', { worker: 'x' }],
    ['readBalance', {}],
    [
      'reportHold',
      { kind: random.pick(['killSwitch', 'token', 'otherUser', 'noCredits', 'manual']), reason: 'x', since: 0 },
    ],
    [
      'park',
      { rateClass: random.pick(['reads', 'writes', 'polls', 'notes']), forMs: random.pick([1, 60_000, 86_400_000]) },
    ],
  ];
}

/** Inputs as they should be. */
function startsOf(scene: Scene, random: Random): readonly [string, object][] {
  const { id } = random.pick(scene.leads);
  const route = random.pick(['leads.convert', 'projects.create', 'leads.get', 'captures.list', 'projects.delete']);
  return [
    ['convertLead', { leadId: id, maxCredits: 1e6, run: { key: 'x', maxCredits: 1e6 } }],
    ['leadPipeline', { maxConversions: 20, maxCredits: 1e6, approval: 'none', budget: { perDay: null } }],
    ['auditProject', { leadId: id }],
    ['auditProject', { project: { clientName: 'Client X' }, reference: 'R-X' }],
    ['ingestCapture', { note: 'Any' }],
    ['backfill', { operation: 'convertLead', leads: {}, maxCredits: 1e6, approval: 'none' }],
    ['captureSweep', {}],
    ['callApi', { route, params: { id }, body: {} }],
    ['accountLedger', { of: scene.server.current(scene.ledgerId)?.firstRunId, state: { probeEveryMs: 1, state: {} } }],
  ];
}

/** What people say to runs. What they decide of a call whose outcome is unknown is theirs to answer for. */
const TO_RUNS = [
  'approve',
  'reject',
  'stop',
  'changeLimits',
  'retryFailed',
  'chooseProject',
  'documentsUploaded',
  'noSuchUpdate',
];
const SIGNALS = ['withdraw', 'place', 'noSuchSignal'];

/** Some of its fields, at any depth, are others or gone. */
function worse(value: unknown, random: Random): unknown {
  if (random.chance(0.1)) return random.pick(NASTY);
  if (Array.isArray(value)) return value.map((one) => worse(one, random));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, of]) => [name, worse(of, random)] as const);
  if (random.chance(0.1)) fields.push([random.pick(['toString', 'x', 'account', 'run', 'budget']), random.pick(NASTY)]);
  return Object.fromEntries(fields);
}

/** One message, or one start. @returns the run that it was sent to or that it began */
export function attack(scene: Scene, which: number): Run | undefined {
  const random = new Random(which);
  const { server, client, world } = scene;
  const say = (run: Run, update: string, said: unknown) => {
    world.tell(`attack ${run.workflowId} ${update} ${JSON.stringify(said)?.slice(0, 300)}`);
    client.workflow
      .getHandle(run.workflowId)
      .executeUpdate(update, { args: [said] })
      .catch(() => undefined);
  };
  const ledger = server.current(scene.ledgerId);
  const target = random.next();
  if (target < 0.6) {
    if (!ledger?.isOpen) return undefined;
    const [update, said] = random.pick(messagesTo(scene, random));
    say(ledger, update, random.chance(0.5) ? said : worse(said, random));
    return ledger;
  }
  const open = server.open().filter(({ type }) => type !== 'accountLedger');
  if (target < 0.8 && open.length > 0) {
    const run = random.pick(open);
    const said = worse({ by: 'x', reason: 'x', maxCredits: 1e6, maxConversions: 100, now: false }, random);
    if (random.chance(0.8)) say(run, random.pick(TO_RUNS), said);
    else server.signal(run, random.pick(SIGNALS), [defaultPayloadConverter.toPayload(said) ?? {}]);
    return run;
  }
  const [type, input] = random.pick(startsOf(scene, random));
  const workflowId = random.pick([
    `attack-${which}`,
    type === 'accountLedger' ? scene.ledgerId : `convertLead-${which % 8}`,
  ]);
  const given = random.chance(0.5) ? input : worse(input, random);
  world.tell(`attack start ${type} ${workflowId} ${JSON.stringify(given)?.slice(0, 300)}`);
  scene.start(type, workflowId, given);
  return server.current(workflowId);
}
