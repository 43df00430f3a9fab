/** A paid call under way, whose ledger is lost in the middle of it, and somebody else who wants the same. */

import { randomUUID } from 'node:crypto';
import { progressQuery } from '../../../workflows/shared/status';

import { QUICK } from '../../support/stage';
import { until } from '../../support/until';
import type { Scene } from './scene';

/**
 * Long enough to lose the ledger, start a worker and a rival meanwhile on a busy machine; the rival waits as long for what may
 * be under way. Nobody waits for its end.
 */
export const CALL_MS = 160_000;
export const RIVAL_LIMIT_MS = 240_000;
export const slowCalls = { account: { timing: { ...QUICK.timing, paidTimeoutMs: CALL_MS } } };

/** A conversion whose call has reached the service, which answers late. */
export async function inTheCall(scene: Scene) {
  const lead = scene.lead();
  const { paidTimeoutMs = CALL_MS } = scene.stage.config.accounts.default?.timing ?? {};
  scene.stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: paidTimeoutMs });
  const [run] = await scene.convertsUnderWay([lead]);
  if (!run) throw new Error('no run was started');
  return { lead, run };
}

/** Somebody converts the same lead under an ID of their own, and waits: @param why what the run says meanwhile */
export async function expectRivalWaits(scene: Scene, lead: string, why: RegExp) {
  const rival = await scene.convert(lead, `by-hand-${randomUUID()}`);
  const waiting = () => rival.query(progressQuery).catch(() => undefined);
  await until(async () => why.test((await waiting())?.waiting ?? ''));
  const { conversions, converts } = scene.stage.figures();
  expect({ conversions, converts }).toEqual({ conversions: 0, converts: 1 });
  scene.stage.sandbox.control.endDelays();
  return rival;
}

/** One payment in all. */
export async function expectPaidOnce({ stage }: Scene): Promise<void> {
  const { conversions, converts, spent } = stage.figures();
  expect({ conversions, converts, spent }).toEqual({ conversions: 1, converts: 1, spent: 1_000 });
  expect(stage.sandbox.control.stats()).toMatchObject({ paidTwice: [], paidOverlapping: [] });
}
