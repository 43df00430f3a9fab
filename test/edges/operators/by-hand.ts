/** Any workflow type, started by hand with any JSON: what a run is given is a claim. */
import { randomUUID } from 'node:crypto';
import type { temporal } from '@temporalio/proto';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import * as workflows from '../../../workflows';
import { until } from '../../support/until';
import type { Act, Perform } from './act';
import { HUGE, NESTED, UNREADABLE, WRONG } from './garbage';
import type { State } from './state';
import { TIMING, type World } from './world';

type IPayload = temporal.api.common.v1.IPayload;

const TYPES = Object.keys(workflows);

const startRaw = (world: World, type: string, workflowId: string, payloads: IPayload[]) => {
  world.watch(workflowId, type);
  return world.service.startWorkflowExecution({
    ...{ namespace: world.namespace, workflowId, workflowType: { name: type } },
    ...{ taskQueue: { name: WORKFLOW_QUEUE }, input: { payloads }, requestId: randomUUID() },
  });
};

const startEach =
  (things: readonly (readonly [string, IPayload[]])[]): Perform =>
  async (world, { type }) => {
    for (const [name, payloads] of things) await startRaw(world, type, `${type}-${name}`, payloads);
    return undefined;
  };

export const byHand: readonly State[] = TYPES.map((type) => ({
  name: `byHand.${type}`,
  of: 'nothing',
  enter: async () => ({ workflowId: '', type, args: [] }),
}));

export const byHandActs: readonly Act[] = [
  { name: 'wrong', perform: startEach(WRONG) },
  { name: 'huge', perform: startEach(HUGE) },
  { name: 'nested', perform: startEach(NESTED) },
  { name: 'unreadable', perform: startEach(UNREADABLE) },
];

// ---- What only an earlier part of the same run hands on

const limits = {
  maxConversions: 400,
  maxCredits: 1e9,
  concurrency: 50,
  window: 50,
  itemsPerMinute: null,
  maxItems: null,
};
const controls = { limits, answers: [], retry: false };
const scoring = { minReadiness: 100, exclude: {} };

/** Runs with an input and a claim; no more may come of it than the input allows. */
const claim =
  (type: string, input: (world: World) => unknown, claims: (world: World) => object, most: number): Perform =>
  async (world) => {
    // Bare, and in the form in which a run hands it on.
    const state = claims(world);
    const given = { ...state, of: randomUUID(), state };
    const run = await world.start(type, `${type}-claim`, input(world), given);
    await until(async () => (await run.describe()).status.name !== 'RUNNING', 40_000).catch(() => undefined);
    const { conversions } = world.stage.figures();
    if (conversions > most) throw new Error(`${conversions} conversions where the input allows ${most}`);
    return undefined;
  };

const inline = <T>(value: T) => ({ inline: value });
const chosenByHand = (world: World) => ({
  pages: [
    inline([world.lead(), world.lead(), world.lead()].map((leadId) => ({ leadId, decision: 'convert', score: 100 }))),
  ],
  ...{ total: 3, reads: 1, notes: [], now: Date.now(), rules: inline({}), controls },
});
const running = {
  state: {
    ...{
      opened: { folder: 'backfill/x', operation: 'convertLead' },
      prepared: { needs: { items: 3 }, quarantined: 0 },
    },
    ...{
      lists: [{ name: 'items', size: 3, next: 0 }],
      running: [],
      counts: {},
      credits: 0,
      parts: 0,
      asking: 0,
      told: 0,
    },
    ...{ beganAt: 0, nextAt: 0, samples: [] },
  },
  controls,
};
const onlyGood = () => ({ maxConversions: 1, maxCredits: 1_000, scoring });

export const claims: readonly Act[] = [
  {
    name: 'leadPipeline-limits',
    perform: claim(
      'leadPipeline',
      () => ({ ...onlyGood(), scoring: { minReadiness: 0 } }),
      () => ({
        pages: [],
        total: 0,
        reads: 0,
        notes: [],
        next: 0,
        now: Date.now(),
        rules: inline({ scoring: { minReadiness: 0 } }),
        controls,
      }),
      1,
    ),
  },
  { name: 'leadPipeline-chosen', perform: claim('leadPipeline', onlyGood, chosenByHand, 0) },
  { name: 'leadPipeline-garbage', perform: claim('leadPipeline', onlyGood, () => ({ pages: 5, controls: 'x' }), 0) },
  {
    name: 'backfill-approved',
    perform: claim(
      'backfill',
      () => ({ operation: 'convertLead', leads: {}, maxCredits: 1_000 }),
      () => ({ driving: running }),
      1,
    ),
  },
  {
    name: 'backfill-limits',
    perform: claim(
      'backfill',
      () => ({ operation: 'convertLead', leads: {}, maxCredits: 1_000 }),
      () => ({ listing: { opened: running.state.opened, listing: { leads: chosenByHand }, controls } }),
      1,
    ),
  },
  {
    name: 'backfill-garbage',
    perform: claim(
      'backfill',
      () => ({ operation: 'convertLead', leads: {}, maxCredits: 1_000 }),
      () => ({ driving: 5, listing: [], renewAfter: -1 }),
      1,
    ),
  },
  {
    name: 'accountLedger-other-id',
    perform: async (world) =>
      void (await world.start('accountLedger', 'account-ledger.other', {
        account: 'default',
        timing: TIMING,
        budget: { perDay: null, balanceFloor: 0, timeZone: 'UTC' },
        probeEveryMs: 1,
      })),
  },
];

export const claimed: State = {
  name: 'byHand.claims',
  of: 'nothing',
  enter: async () => ({ workflowId: '', type: '', args: [] }),
};
