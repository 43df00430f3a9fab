/** What somebody who reaches Temporal and means harm may send: any message to any run, any input to any workflow (S3, S8). */
import type { Random } from '../simulation/world/random';

/** What is there for whoever looks. */
export interface Reachable {
  readonly leadIds: readonly string[];
  /** Milliseconds. */
  readonly now: number;
  readonly ledgerId: string;
  readonly ledgerRunId: string | undefined;
  /** The IDs of the open runs but the ledger's. */
  readonly runs: readonly string[];
}

export type Harmful =
  | { readonly kind: 'update' | 'signal'; readonly workflowId: string; readonly name: string; readonly said: unknown }
  | { readonly kind: 'start'; readonly workflowId: string; readonly type: string; readonly input: unknown };

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
function messagesTo({ leadIds, now }: Reachable, random: Random): readonly [string, object][] {
  const subject = `lead:${random.pick(leadIds)}`;
  const by = { by: 'the CFO', reason: 'x' };
  const timing = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
  const budget = { perRun: null, perDay: null, perMonth: null, balanceFloor: 0, timeZone: 'UTC' };
  const attempt = { subject, attempt: random.pick(['x', 'y']), run: random.pick(['x', 'convertLead-3']) };
  const kind = random.pick(['paid', 'notPaid', 'foundPaid', 'foundNothing', 'over']);
  const settlement = { kind, credits: random.pick([0, 1_000, -1_000]), lookedAt: now };
  const limit = { max: random.pick([1, 20, 5_000]), windowMs: random.pick([1, 60_000, 8e15]) };
  const turn = { limit, withinMs: random.pick([1, 5_000, 60_000]) };
  return [
    ['beginSend', { ...attempt, credits: 1_000, lookedAt: now, runCap: 1e6, again: random.chance(0.5), turn }],
    ['takeTurn', { rateClass: random.pick(['writes', 'reads', 'notes']), ...turn }],
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
function startsOf({ leadIds, ledgerRunId }: Reachable, random: Random): readonly [string, object][] {
  const id = random.pick(leadIds);
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
    ['accountLedger', { of: ledgerRunId, state: { probeEveryMs: 1, state: {} } }],
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

/** @param nth what new runs are named after */
export function anyMessage(reachable: Reachable, random: Random, nth: number): Harmful {
  const { ledgerId, runs } = reachable;
  const target = random.next();
  if (target < 0.6) {
    const [name, said] = random.pick(messagesTo(reachable, random));
    return { kind: 'update', workflowId: ledgerId, name, said: random.chance(0.5) ? said : worse(said, random) };
  }
  if (target < 0.8 && runs.length > 0) {
    const workflowId = random.pick(runs);
    const said = worse({ by: 'x', reason: 'x', maxCredits: 1e6, maxConversions: 100, now: false }, random);
    if (random.chance(0.8)) return { kind: 'update', workflowId, name: random.pick(TO_RUNS), said };
    return { kind: 'signal', workflowId, name: random.pick(SIGNALS), said };
  }
  const [type, input] = random.pick(startsOf(reachable, random));
  const workflowId = random.pick([`attack-${nth}`, type === 'accountLedger' ? ledgerId : `convertLead-${nth % 8}`]);
  return { kind: 'start', workflowId, type, input: random.chance(0.5) ? input : worse(input, random) };
}
