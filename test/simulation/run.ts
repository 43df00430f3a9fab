/** `npm run simulate`: plays stories of fresh seeds until one shows something that must not be. */
import { parseArgs } from 'node:util';
import { planOf } from './stories/plan';
import { play } from './stories/story';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    trace: { type: 'boolean' },
    from: { type: 'string' },
  },
});

async function main(): Promise<void> {
  const { seed, seeds, minutes, trace } = values;
  const beganAt = process.hrtime();
  const seconds = () => {
    const [whole, nanos] = process.hrtime(beganAt);
    return whole + nanos / 1e9;
  };
  const first = Number(seed ?? values.from ?? Math.floor(Date.now() / 1_000) % 1_000_000_000);
  const most = seed !== undefined ? 1 : Number(seeds ?? (minutes ? Number.POSITIVE_INFINITY : 100));
  const within = 60 * Number(minutes ?? Number.POSITIVE_INFINITY);
  const sum = { stories: 0, runs: 0, replays: 0, payments: 0, steps: 0, elapsed: 0 };
  const happened = new Map<string, number>();
  for (let n = 0; n < most && seconds() < within; n++) {
    const played = await play(planOf(first + n), trace ? (line) => console.log(line) : undefined);
    sum.stories++;
    for (const key of ['runs', 'replays', 'payments', 'steps', 'elapsed'] as const) sum[key] += played[key];
    for (const [what, times] of played.happened) happened.set(what, (happened.get(what) ?? 0) + times);
    if (played.finding) {
      console.log(`seed ${played.seed}: ${played.finding.message}`);
      console.log(`again: npm run simulate -- --seed ${played.seed} --trace`);
      process.exitCode = 1;
    } else if (seed !== undefined) console.log(`seed ${played.seed}: ${played.digest}`);
  }
  const rate = Math.round((sum.stories / seconds()) * 3_600);
  console.log(
    `${sum.stories} stories, ${sum.runs} runs, ${sum.replays} replays, ${sum.payments} payments, ${sum.steps} steps, ${Math.round(sum.elapsed / 3_600_000)} simulated hours; ${rate} stories an hour`,
  );
  console.log(
    [...happened]
      .sort()
      .map(([what, times]) => `${what} ${times}`)
      .join(', '),
  );
}

void main();
