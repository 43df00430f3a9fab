/** S5: whose call goes first, where more wait than the limit lets through: the server's priority and fairness. */
import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { leadsInFile, SMALL, start } from './support/batch';
import { inScene, type Scene } from './support/scene';

/** One conversion a second, and as many wait in the queue as the batch has. */
const AT_THE_LIMIT = {
  ...SMALL,
  account: { timing: UNHURRIED, limits: { writes: { max: 2, windowMs: 2_000 } } },
};
const MANY = 14;
const FEW = 3;

/** Starts a batch all of whose items wait at once. @returns the run and its leads */
async function batchOf(scene: Scene, name: string, items: number) {
  const { leads, file } = await leadsInFile(scene, items, name);
  return { leads, run: await start(scene, name, { operation: 'convertLead', file, window: items }) };
}

const paid = ({ stage }: Scene) =>
  stage.sandbox.control.stats().payments.map(({ subject }) => subject.replace('lead:', ''));
/** How many of them were paid for after the last of the others. */
const paidAfter = (scene: Scene, leads: readonly string[], others: readonly string[]) => {
  const all = paid(scene);
  const last = Math.max(...others.map((lead) => all.indexOf(lead)));
  return all.slice(last + 1).filter((lead) => leads.includes(lead)).length;
};

/** The first are paid for, and all the others wait for their turn. */
const queueIsFull = (scene: Scene) => until(() => paid(scene).length >= 2);

test.concurrent('a lead that a person converts goes before the items of a batch', () =>
  inScene(AT_THE_LIMIT, async (scene) => {
    await scene.stage.startWorker();
    const batch = await batchOf(scene, 'batch', MANY);
    await queueIsFull(scene);
    const lead = scene.lead();
    const run = await scene.convert(lead);
    expect(await run.result()).toMatchObject({ outcome: 'converted' });
    expect(await batch.run.result()).toMatchObject({ counts: { done: MANY } });
    expect(paidAfter(scene, batch.leads, [lead])).toBeGreaterThanOrEqual(MANY / 2);
  }));

test.concurrent('a small batch that starts later takes turns with a large one, and does not wait for its end', () =>
  inScene(AT_THE_LIMIT, async (scene) => {
    await scene.stage.startWorker();
    const large = await batchOf(scene, 'large', MANY);
    await queueIsFull(scene);
    const small = await batchOf(scene, 'small', FEW);
    expect(await small.run.result()).toMatchObject({ counts: { done: FEW } });
    expect(await large.run.result()).toMatchObject({ counts: { done: MANY } });
    expect(paidAfter(scene, large.leads, small.leads)).toBeGreaterThanOrEqual(FEW);
  }));
