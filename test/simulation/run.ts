/** `npm run simulate`: plays stories of fresh seeds until one shows something that must not be. */

import './planted';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isPlanted } from './planted';
import { type Plan, planOf } from './stories/plan';
import { shrink } from './stories/shrink';
import { play } from './stories/story';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    trace: { type: 'boolean' },
    shrink: { type: 'boolean' },
    plan: { type: 'string' },
    from: { type: 'string' },
    planted: { type: 'string' },
  },
});

async function main(): Promise<void> {
  const { seed, seeds, minutes, trace } = values;
  const given = values.plan === undefined ? undefined : (JSON.parse(readFileSync(values.plan, 'utf8')) as Plan);
  const beganAt = process.hrtime();
  const seconds = () => {
    const [whole, nanos] = process.hrtime(beganAt);
    return whole + nanos / 1e9;
  };
  const first = Number(given?.seed ?? seed ?? values.from ?? Math.floor(Date.now() / 1_000) % 1_000_000_000);
  const most = seed !== undefined || given ? 1 : Number(seeds ?? (minutes ? Number.POSITIVE_INFINITY : 100));
  const within = 60 * Number(minutes ?? Number.POSITIVE_INFINITY);
  const sum = { stories: 0, runs: 0, replays: 0, payments: 0, steps: 0, elapsed: 0 };
  const happened = new Map<string, number>();
  for (let n = 0; n < most && seconds() < within; n++) {
    const plan = given ?? planOf(first + n);
    const played = await play(plan, trace ? (line) => console.log(line) : undefined);
    sum.stories++;
    for (const key of ['runs', 'replays', 'payments', 'steps', 'elapsed'] as const) sum[key] += played[key];
    for (const [what, times] of played.happened) happened.set(what, (happened.get(what) ?? 0) + times);
    if (played.finding) {
      console.log(`seed ${played.seed}: ${played.finding.message}`);
      console.log(`again: npm run simulate -- --seed ${played.seed} --trace`);
      process.exitCode = 1;
      if (values.planted) break;
      if (values.shrink) console.log(`as small as it gets: ${JSON.stringify(await shrink(plan, played.finding.rule))}`);
    } else if (seed !== undefined) console.log(`seed ${played.seed}: ${played.digest}`);
  }
  if (!isPlanted()) throw new Error(`the bug '${values.planted}' has no place any more`);
  const { user, system } = process.cpuUsage();
  const perCore = Math.round((sum.stories / ((user + system) / 1e6)) * 3_600);
  const rate = Math.round((sum.stories / seconds()) * 3_600);
  console.log(
    `${sum.stories} stories, ${sum.runs} runs, ${sum.replays} replays, ${sum.payments} payments, ${sum.steps} steps, ${Math.round(sum.elapsed / 3_600_000)} simulated hours; ${rate} stories an hour, ${perCore} in an hour of one core`,
  );
  console.log(
    [...happened]
      .sort()
      .map(([what, times]) => `${what} ${times}`)
      .join(', '),
  );
}

void main();
