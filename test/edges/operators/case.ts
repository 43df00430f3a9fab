/** The cases: each state crossed with each act, and what comes of one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Act } from './act';
import { acts, ledgerActs } from './acts';
import { byHand, byHandActs, claimed, claims } from './by-hand';
import { calm, checkBooks, isWaiting, spendRest } from './check';
import type { State, Target } from './state';
import { states } from './states';
import { type OpenRun, World } from './world';

export interface Case {
  /** `{workflow}.{state}/{act}`; an act on the ledger meanwhile begins with `ledger-`. */
  name: string;
  state: State;
  act: Act;
  onLedger: boolean;
}

export interface Verdict {
  name: string;
  /** `none`: in this state there is nothing to do that to. */
  came: 'right' | 'wrong' | 'none';
  /** What is wrong, one sentence each. */
  wrong: string[];
  ms: number;
}

const cross = (some: readonly State[], what: readonly Act[], onLedger = false): Case[] =>
  some.flatMap((state) =>
    what
      .filter(({ rare }) => !rare || state.typical)
      .map((act) => ({
        ...{ state, act, onLedger },
        name: `${state.name}/${onLedger && state.of !== 'ledger' ? 'ledger-' : ''}${act.name}`,
      })),
  );

const ofLedger = (state: State) => state.of === 'ledger';

export const cases: readonly Case[] = [
  ...states
    .filter((state) => !ofLedger(state))
    .flatMap((state) => [...cross([state], acts), ...(state.pays ? cross([state], ledgerActs, true) : [])]),
  ...cross(states.filter(ofLedger), ledgerActs, true),
  ...cross(byHand, byHandActs),
  ...cross([claimed], claims),
];

/** How long a second run of the same gets, before what is under way goes on. */
const RIVAL_MS = 3_000;

/** Plays one case in a world of its own. */
export async function play({ name, state, act, onLedger }: Case): Promise<Verdict> {
  const began = performance.now();
  const ended = (came: Verdict['came'], wrong: readonly string[] = []): Verdict => ({
    ...{ name, came, wrong: [...new Set(wrong)] },
    ms: Math.round(performance.now() - began),
  });
  let world: World | undefined;
  try {
    world = await World.open(state.world ?? {});
    const wrong = await inWorld(world, { state, act, onLedger });
    return wrong ? ended(wrong.length === 0 ? 'right' : 'wrong', wrong) : ended('none');
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    return ended('wrong', [cause ? `${message} (${cause})` : message]);
  } finally {
    await world?.close();
  }
}

/** @returns what is wrong in the end; undefined: there was nothing to do that to */
async function inWorld(world: World, { state, act, onLedger }: Omit<Case, 'name'>): Promise<string[] | undefined> {
  const entered = await state.enter(world);
  const ledger: Target = { workflowId: world.ledger.workflowId, type: 'accountLedger', args: [] };
  const { none, undo } = (await act.perform(world, onLedger ? ledger : entered)) ?? {};
  if (none) return undefined;
  await world.startWorker();
  if (state.of === undefined) await startRival(world, entered);
  const help = async (run: OpenRun) => {
    await undo?.();
    // What is refused is tried again.
    await state.release?.(world, run).catch(() => undefined);
  };
  const silent = await calm(world, help);
  await spendRest(world);
  return [...silent, ...(await calm(world, help)), ...(await checkBooks(world))];
}

/** Somebody starts the same once more, under an ID of their own. */
async function startRival(world: World, { type, workflowId, args }: Target): Promise<void> {
  const rival = await world.start(type, `${workflowId}-again`, ...args);
  for (const until = Date.now() + RIVAL_MS; Date.now() < until; await sleep(RIVAL_MS / 10)) {
    const { status } = await rival.describe();
    if (status.name !== 'RUNNING' || isWaiting(await world.detailsOf(rival.workflowId))) return;
  }
}
