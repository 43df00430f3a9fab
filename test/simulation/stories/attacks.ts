/** Stories of somebody who reaches Temporal and means harm: any message to any run, any input to any workflow (S3, S8). */
import { defaultPayloadConverter } from '@temporalio/common';
import { anyMessage } from '../../support/any-message';
import type { Run } from '../engine/run';
import { Random } from '../world/random';
import { type Act, type Plan, planOf } from './plan';
import type { Scene } from './scene';

const MINUTE = 60_000;
const MESSAGES = 60;
const CREDITS = 60_000;

/** Runs that spend, a ceiling that is close, and messages all the time. */
export function attackOf(seed: number): Plan {
  const random = new Random(seed * 7_919 + 21);
  const { scene, faults } = planOf(seed);
  const when = () => random.between(1, 15 * MINUTE);
  const most = random.between(1, 6) * 1_000;
  const midnight = random.pick([Date.UTC(2026, 0, 6), Date.UTC(2026, 1, 1)]);
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
      credits: CREDITS,
      budget: random.pick([{ perDay: most }, { perMonth: most }, { perRun: most }, { balanceFloor: CREDITS - most }]),
      ...(random.chance(0.4) && { beginsAt: midnight - random.between(1, 12 * MINUTE) }),
      ...(random.chance(0.3) && { price: random.pick([300, 700]) }),
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

/** One message, or one start. @returns the run that it was sent to or that it began */
export function attack(scene: Scene, which: number): Run | undefined {
  const { server, client, world, ledgerId } = scene;
  const ledger = server.current(ledgerId);
  const open = server.open().filter(({ type }) => type !== 'accountLedger');
  const reachable = {
    leadIds: scene.leads.map(({ id }) => id),
    now: world.now,
    ...{ ledgerId, ledgerRunId: ledger?.firstRunId },
    runs: open.map(({ workflowId }) => workflowId),
  };
  const sent = anyMessage(reachable, new Random(which), which);
  const { kind, workflowId } = sent;
  if (kind === 'start') {
    world.tell(`attack start ${sent.type} ${workflowId} ${JSON.stringify(sent.input)?.slice(0, 300)}`);
    scene.start(sent.type, workflowId, sent.input);
    return server.current(workflowId);
  }
  const run = workflowId === ledgerId ? ledger : open.find((one) => one.workflowId === workflowId);
  if (!run?.isOpen) return undefined;
  if (kind === 'signal') server.signal(run, sent.name, [defaultPayloadConverter.toPayload(sent.said) ?? {}]);
  else {
    if (sent.name === 'release') scene.pausesEndedAt = world.now;
    world.tell(`attack ${workflowId} ${sent.name} ${JSON.stringify(sent.said)?.slice(0, 300)}`);
    client.workflow
      .getHandle(workflowId)
      .executeUpdate(sent.name, { args: [sent.said] })
      .catch(() => undefined);
  }
  return run;
}
