/** Plays a batch that goes on as new, one of whose earlier runs is reset, and prints what each item came to (S6). */
import { Scene } from './stories/scene';

const LIST = 'leads.jsonl';

/** A line of the list of items, and the project that the item's own run names. */
export interface Item {
  readonly id: string;
  readonly outcome: string;
  readonly ref?: string | undefined;
  readonly own?: string | undefined;
}

/** @returns undefined where the batch has not ended in time */
async function play(seed: number): Promise<Item[] | undefined> {
  const sandbox = { durations: { convert: 3_000 } };
  const scene = new Scene(seed, { leads: 160, workers: 1, credits: 200_000, sandbox, suggestsAt: 200 });
  const { server, world, storage } = scene;
  const until = async (done: () => boolean) => {
    while (!done() && world.elapsed < 7_200_000 && (await world.step()));
  };
  const runs = () => server.runs.get('batch') ?? [];
  await until(() => world.elapsed > 60_000);
  const ids = scene.leads.flatMap(({ id, surveyStatus }) => (surveyStatus === 'completed' ? id : []));
  storage.documents.set(LIST, Buffer.from(ids.map((leadId) => `${JSON.stringify({ leadId })}\n`).join('')));
  const input = { operation: 'convertLead', file: { ref: LIST }, approval: 'none', window: 6, maxCredits: 200_000 };
  scene.start('backfill', 'batch', input);
  await until(() => runs().length === 5 && (runs()[4]?.history.length ?? 0) > 40 + 3 * (seed % 20));
  const base = runs()[seed % 4];
  if (base) server.reset(base, base.points.length - 1);
  await until(() => server.current('batch')?.isOpen === false);

  const run = server.current('batch');
  const { files } = ((run && scene.resultOf(run)) ?? {}) as { files?: { ledger: string } };
  const lines = storage.documents
    .get(files?.ledger ?? '')
    ?.toString()
    .split('\n')
    .filter(Boolean);
  const items = lines?.map((line) => {
    const { id, outcome, ref } = JSON.parse(line) as Item;
    const child = server.current(`convert-lead.default.${id}`);
    const { projectId: own } = ((child && scene.resultOf(child)) ?? {}) as { projectId?: string };
    return { id, outcome, ref, own };
  });
  scene.close();
  return items;
}

async function main(): Promise<void> {
  for (const seed of process.argv.slice(2)) console.log(JSON.stringify(await play(Number(seed))));
}

if (require.main === module) void main();
