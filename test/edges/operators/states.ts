/** Every state in which a workflow waits, one line each. */
import { holdUpdate, releaseUpdate, setBudgetUpdate, statusQuery } from '../../../src/ledger/messages';
import { until } from '../../support/until';
import { answer, calls, type State, says, state } from './state';
import { LONG_MS, PER_DAY, SHORT_CALLS, type World } from './world';

// ---- What happens

const DELAY = { fault: 'delay', delayMs: LONG_MS } as const;
/** Commits three seconds after the connection is gone: within the settling time. */
const LATE = { fault: 'cutThenCommit', commitAfterMs: 3_000 } as const;
const CUT = { fault: 'cutBeforeCommit' } as const;
const LOST = { fault: 'replyLost' } as const;
const GONE = { fault: 'status', status: 404, times: 50 } as const;
const DOWN = { fault: 'status', status: 503, times: 500 } as const;

type Fault = Parameters<World['fault']>[0];
const meets =
  (...faults: Fault[]) =>
  (world: World): void =>
    world.fault(...faults);

const budget = (perDay: number) => async (world: World) => {
  await world.ledger.executeUpdate(setBudgetUpdate, { args: [{ perDay, reason: 'case' }] });
};
const noBudget = {
  before: budget(0),
  async release(world: World) {
    const { budget: now } = await world.ledger.query(statusQuery);
    if (now.perDay === 0) await budget(PER_DAY)(world);
  },
};
const hold = {
  async before(world: World) {
    await world.ledger.executeUpdate(holdUpdate, { args: [{ reason: 'case' }] });
  },
  async release(world: World) {
    const { holds } = await world.ledger.query(statusQuery);
    if (holds.length > 0) await world.ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'case' }] });
  },
};
const killSwitch = {
  before: (world: World) => void world.control.setAgentApi({ enabled: false }),
  release: async (world: World) => world.control.setAgentApi({ enabled: true }),
};

// ---- What is started

const lead = (world: World) => ({ leadId: world.lead() });
const pipeline =
  (more: object = {}) =>
  () => ({ maxConversions: 2, scoring: { minReadiness: 0 }, concurrency: 1, ...more });
const batch =
  (more: object = {}) =>
  (world: World) => ({
    ...{ operation: 'convertLead', maxCredits: 3_000, window: 1, ...more },
    file: { ref: world.put('leads.csv', `leadId\n${[world.lead(), world.lead(), world.lead()].join('\n')}\n`) },
  });
const project = { clientName: 'Edge Ltd', industry: 'Retail', description: 'A case.' };
const withDocuments = (world: World) => ({
  ...{ project },
  documents: [world.put('one.md', '# One'), world.put('two.md', '# Two')],
});
const note = (text: string) => () => ({ note: text });
const contact = () => ({ route: 'contacts.create', body: { name: 'Edge Contact', email: 'edge@example.com' } });
const byControl = { sandbox: { durations: { interviewAnalysis: 'control' } } } as const;

const approves = { approval: 'all' };
const ASKS = /Answer with the update/;
const HELD = /not free to go on/;

/** An update to every open run that takes it. */
const toAll = async (world: World, update: string) => {
  for (const { workflowId } of await world.openRuns())
    await world.client.workflow
      .getHandle(workflowId)
      .executeUpdate(update, { args: [{}] })
      .catch(() => undefined);
};

// ---- The states

export const states: readonly State[] = [
  state('convertLead.looking', {
    input: lead,
    before: meets({ route: 'leads.get', ...DELAY }),
    reached: calls('leads.get'),
  }),
  state('convertLead.upstream', {
    input: lead,
    before: meets({ route: 'leads.get', ...DOWN }),
    reached: calls('leads.get', 3),
  }),
  state('convertLead.budget', { pays: true, input: lead, ...noBudget, reached: says(HELD) }),
  state('convertLead.hold', { pays: true, input: lead, ...hold, reached: says(HELD) }),
  state('convertLead.kill-switch', { input: lead, ...killSwitch, reached: says(HELD) }),
  state('convertLead.in-flight', {
    typical: true,
    pays: true,
    input: lead,
    before: meets({ route: 'leads.convert', ...DELAY }),
    reached: calls('leads.convert'),
  }),
  state('convertLead.settling', {
    pays: true,
    input: lead,
    before: meets({ route: 'leads.convert', ...LATE }),
    reached: says(/unknown whether/),
    world: { timing: SHORT_CALLS },
  }),
  state('convertLead.settling-nothing', {
    pays: true,
    input: lead,
    before: meets({ route: 'leads.convert', ...CUT }),
    reached: says(/unknown whether/),
    world: { timing: SHORT_CALLS },
  }),
  state('convertLead.asking', {
    pays: true,
    input: lead,
    before: meets({ route: 'leads.convert', ...LOST }, { route: 'leads.get', after: 1, ...GONE }),
    reached: says(ASKS),
    release: answer('decide', { decision: 'itHappened' }),
    world: { timing: SHORT_CALLS },
  }),
  state('convertLead.finding', {
    pays: true,
    input: lead,
    before: meets({ route: 'leads.convert', ...LOST }, { route: 'projects.list', ...DELAY }),
    reached: calls('projects.list'),
  }),

  state('leadPipeline.listing', {
    input: pipeline(),
    before: meets({ route: 'leads.list', ...DELAY }),
    reached: calls('leads.list'),
  }),
  state('leadPipeline.approval', {
    pays: true,
    input: pipeline(approves),
    reached: says(ASKS),
    release: answer('approve'),
  }),
  state('leadPipeline.converting', {
    typical: true,
    pays: true,
    input: pipeline(),
    before: meets({ route: 'leads.convert', ...DELAY }),
    reached: calls('leads.convert'),
  }),
  state('leadPipeline.budget', { pays: true, input: pipeline(), ...noBudget, reached: says(HELD) }),
  state('leadPipeline.hold', { pays: true, input: pipeline(), ...hold, reached: says(HELD) }),
  state('leadPipeline.paused', {
    input: pipeline(),
    before: meets({ route: 'leads.convert', ...DELAY }),
    reached: calls('leads.convert'),
    after: (world) => toAll(world, 'pause'),
    release: answer('resume'),
  }),

  state('backfill.listing', {
    input: () => ({ operation: 'convertLead', leads: {}, maxItems: 2, maxCredits: 2_000 }),
    before: meets({ route: 'leads.list', ...DELAY }),
    reached: calls('leads.list'),
  }),
  state('backfill.approval', { input: batch(approves), reached: says(ASKS), release: answer('approve') }),
  state('backfill.running', {
    typical: true,
    pays: true,
    input: batch(),
    before: meets({ route: 'leads.convert', ...DELAY }),
    reached: calls('leads.convert'),
  }),
  state('backfill.hold', { pays: true, input: batch(), ...hold, reached: says(HELD) }),
  state('backfill.paused', {
    input: batch(),
    before: meets({ route: 'leads.convert', ...DELAY }),
    reached: calls('leads.convert'),
    after: (world) => toAll(world, 'pause'),
    release: answer('resume'),
  }),
  state('backfill.stopping', {
    input: batch(),
    before: meets({ route: 'leads.convert', ...DELAY }),
    reached: calls('leads.convert'),
    after: (world) => toAll(world, 'stop'),
  }),

  state('auditProject.searching', {
    input: withDocuments,
    before: meets({ route: 'projects.list', ...DELAY }),
    reached: calls('projects.list'),
  }),
  state('auditProject.creating', {
    typical: true,
    pays: true,
    input: withDocuments,
    before: meets({ route: 'projects.create', ...DELAY }),
    reached: calls('projects.create'),
  }),
  state('auditProject.settling', {
    pays: true,
    input: withDocuments,
    before: meets({ route: 'projects.create', ...LATE }),
    reached: says(/unknown whether/),
    world: { timing: SHORT_CALLS },
  }),
  state('auditProject.uploading', {
    input: withDocuments,
    before: meets({ route: 'projects.uploadDocument', ...DELAY }),
    reached: calls('projects.uploadDocument'),
  }),
  state('auditProject.upload-lost', {
    input: withDocuments,
    before: meets({ route: 'projects.uploadDocument', ...LATE }),
    reached: calls('projects.uploadDocument'),
    world: { timing: SHORT_CALLS },
  }),
  state('auditProject.prerequisites', {
    input: withDocuments,
    world: byControl,
    reached: says(/Waiting since/),
    async release({ control }) {
      for (const { id } of control.projects()) control.completeInterviews({ projectId: id });
    },
  }),
  state('auditProject.starting', {
    pays: true,
    input: withDocuments,
    before: meets({ route: 'projects.auditAsync', ...DELAY }),
    reached: calls('projects.auditAsync'),
  }),
  state('auditProject.polling', {
    input: withDocuments,
    before: meets({ route: 'jobs.get', ...DELAY }),
    reached: calls('jobs.get'),
  }),
  state('auditProject.results', {
    input: withDocuments,
    before: meets({ route: 'projects.deliverables', ...DELAY }),
    reached: calls('projects.deliverables'),
  }),

  state('ingestCapture.looking', {
    input: note('one'),
    before: meets({ route: 'captures.list', ...DELAY }),
    reached: calls('captures.list'),
  }),
  state('ingestCapture.submitting', {
    pays: true,
    input: note('two'),
    before: meets({ route: 'captures.submitNote', ...DELAY }),
    reached: calls('captures.submitNote'),
  }),
  state('ingestCapture.settling', {
    pays: true,
    input: note('three'),
    before: meets({ route: 'captures.submitNote', ...LATE }),
    reached: says(/unknown whether/),
    world: { timing: SHORT_CALLS },
  }),
  state('ingestCapture.processing', {
    input: note('four'),
    before: meets({ route: 'captures.get', ...DELAY }),
    reached: calls('captures.get'),
  }),
  state('ingestCapture.review', {
    typical: true,
    input: note('five [review]'),
    reached: says(ASKS),
    release: answer('accept'),
  }),
  state('ingestCapture.reprocessing', {
    input: note('six [fails 1]'),
    before: meets({ route: 'captures.reprocess', ...DELAY }),
    reached: calls('captures.reprocess'),
  }),

  state('captureSweep.listing', {
    typical: true,
    input: () => ({}),
    before: meets({ route: 'captures.list', ...DELAY }),
    reached: calls('captures.list'),
  }),
  state('callApi.in-flight', {
    pays: true,
    input: contact,
    before: meets({ route: 'contacts.create', ...DELAY }),
    reached: calls('contacts.create'),
  }),
  state('callApi.asking', {
    typical: true,
    pays: true,
    input: contact,
    before: meets({ route: 'contacts.create', ...LOST }),
    reached: says(ASKS),
    release: answer('decide', { decision: 'itHappened' }),
    world: { timing: SHORT_CALLS },
  }),

  {
    name: 'convertLead.worker-lost',
    pays: true,
    world: { processes: true },
    async enter(world) {
      world.fault({ route: 'leads.convert', ...DELAY });
      const target = { workflowId: 'convertLead-lost', type: 'convertLead', args: [lead(world)] };
      const run = await world.start(target.type, target.workflowId, ...target.args);
      await until(() => world.called('leads.convert') > 0);
      await world.killWorkers();
      // Its second try waits for a worker.
      await until(async () => (await run.describe()).raw.pendingActivities?.[0]?.attempt === 2);
      return target;
    },
  },

  {
    name: 'accountLedger.idle',
    of: 'ledger',
    typical: true,
    async enter(world) {
      await (await world.start('convertLead', 'convertLead-first', lead(world))).result();
      return { workflowId: world.ledger.workflowId, type: 'accountLedger', args: [] };
    },
  },
  {
    name: 'accountLedger.hold',
    of: 'ledger',
    release: hold.release,
    async enter(world) {
      await (await world.start('convertLead', 'convertLead-first', lead(world))).result();
      await hold.before(world);
      return { workflowId: world.ledger.workflowId, type: 'accountLedger', args: [] };
    },
  },
];
