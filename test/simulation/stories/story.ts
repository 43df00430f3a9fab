/** Plays a story: trouble first, then none, and all that was begun has to end. */
import type { Run } from '../engine/run';
import { Oracle } from './oracle';
import { Finding } from './payments';
import { auditOf, People } from './people';
import { type Act, FORGETTING, type Plan, ROUTES } from './plan';
import { Scene } from './scene';

const HOUR = 3_600_000;
/** Longest time for everything to end once nothing goes wrong and nothing is lacking. */
const HEALED_WITHIN_MS = 36 * HOUR;
/** In which the ledger finds out what no run has told it. */
const AFTERWARDS_MS = HOUR / 2;
/** While a request that costs is under way, or while it may still have its effect. */
const AT_A_PAYMENT_MS = [3_000, 500_000];
/** New projects for a batch; the first are also those of audits that people start. */
const PROJECTS = [1, 2, 3, 4, 5, 6].map((n) => JSON.stringify(auditOf(n))).join('\n');
/** More steps than any story has. */
const MOST_STEPS = 3_000_000;

export interface Played {
  seed: number;
  finding: Finding | undefined;
  digest: string;
  steps: number;
  /** Simulated, milliseconds. */
  elapsed: number;
  runs: number;
  replays: number;
  payments: number;
  happened: ReadonlyMap<string, number>;
}

export async function play(plan: Plan, onLine?: (line: string) => void): Promise<Played> {
  const scene = new Scene(plan.seed, plan.scene);
  const { world, misfortunes, control, server } = scene;
  if (onLine) world.onLine = onLine;
  const people = new People(scene);
  const { administrators } = people;
  const oracle = new Oracle(scene, people);
  scene.storage.areBooksKept = plan.acts.every(({ what }) => what !== 'beginBooks');
  scene.storage.documents.set('brief.txt', Buffer.from('What the client does.'));
  scene.storage.documents.set('projects.jsonl', Buffer.from(PROJECTS));
  const { budget } = scene;
  const trouble = () => {
    misfortunes.areOver = false;
    scene.budget = budget;
    misfortunes.rates = { ...plan.mishaps };
    if (plan.faults) control.setFaultRate({ ...plan.faults, routes: ROUTES });
  };
  const peace = () => {
    misfortunes.rates = {};
    control.clearFaults();
  };
  const heal = (isLast: boolean) => {
    world.tell('from now on nothing goes wrong');
    misfortunes.areOver = true;
    control.setAgentApi({ enabled: true });
    control.restoreToken({ token: scene.token });
    control.setCredits({ credits: 100_000 });
    const perDay = plan.keepsDay && !isLast ? budget.perDay : null;
    scene.budget = { perRun: null, perMonth: null, perDay, balanceFloor: 0 };
    // Every other hold has to end by itself.
    if (misfortunes.happened.has('holdLedger')) people.release();
    void administrators.putRight();
    // By then each worker has told the ledger what it is configured with now: until then people may set no wider limit.
    if (people.isAttacked || administrators.areBooksLost) world.after(HOUR / 2, () => people.release());
  };
  plan.troubles.forEach(({ from, to, heals }, n, { length }) => {
    world.after(from, trouble);
    world.after(to, peace);
    if (heals) world.after(to, () => heal(n === length - 1));
  });
  plan.runs.forEach((begun, n) => void world.after(begun.at, () => people.begin(begun, n)));
  const perform = (act: Act) => {
    if (misfortunes.areOver) return;
    world.tell(`act: ${act.what}`);
    if (!people.act(act)) return;
    misfortunes.note(act.what);
    if (FORGETTING.includes(act.what)) scene.lapses.permits.push(world.now);
  };
  for (const act of plan.acts) if (act.paid === undefined) world.after(act.at, () => perform(act));
  let paid = 0;
  scene.onPaidRequest = (leadId) => {
    people.lastPaid = leadId;
    paid++;
    const due = plan.acts.filter((act) => act.paid === paid);
    for (const act of due) world.after(world.random.between(1, world.random.pick(AT_A_PAYMENT_MS)), () => perform(act));
  };
  void people.keepAnswering();
  const troubleMs = Math.max(...plan.troubles.map(({ to }) => to));

  const unended = (): Run[] => server.open().filter(({ type }) => type !== 'accountLedger');
  let finding: Finding | undefined;
  try {
    const until = async (done: () => boolean) => {
      while (!done() && world.steps < MOST_STEPS && (await world.step())) await oracle.look();
    };
    const isOver = () => world.elapsed > troubleMs && misfortunes.areOver;
    await until(() => isOver() && (unended().length === 0 || world.elapsed > troubleMs + HEALED_WITHIN_MS));
    if (unended().length > 0) throw await oracle.unended(unended(), world.elapsed - troubleMs);
    const over = world.elapsed + AFTERWARDS_MS;
    await until(() => world.elapsed > over && !server.current(scene.ledgerId)?.tasks.current);
    await oracle.atEnd();
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    finding = error;
    world.tell(error.message);
  } finally {
    for (const { fault } of control.stats().faults) misfortunes.note(`fault ${fault}`);
    scene.close();
  }
  return {
    ...{ seed: plan.seed, finding, digest: world.digest(), steps: world.steps, elapsed: world.elapsed },
    ...{
      runs: [...server.runs.values()].flat().length,
      replays: scene.replays,
      payments: scene.service.payments.all.length,
    },
    happened: misfortunes.happened,
  };
}
