/** `npm run simulate`: plays stories of fresh seeds, and fails when one shows something that must not be. */

import './planted';
import { fork, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { EVERY, PLANTED } from './planted';
import type { Answer } from './player';
import { neverMet } from './stories/coverage';
import { type Kind, planFor } from './stories/kinds';
import type { Plan } from './stories/plan';
import { shrink } from './stories/shrink';
import { play } from './stories/story';

interface Options {
  seeds?: number;
  minutes?: number;
  from?: number;
  processes?: number;
  losses?: true;
  attacks?: true;
  seed?: number;
  plan?: string;
  trace?: true;
  shrink?: true;
  planted?: string;
}

function number(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It is no number.');
  return Number(text);
}

const SEEDS = 100;
const values = new Command('simulate')
  .description('Plays the whole system under virtual time: see docs/simulation.md.')
  .option('--seeds <n>', `so many stories; ${SEEDS}, unless it has --minutes`, number)
  .option('--minutes <n>', 'as many stories as fit', number)
  .option('--from <seed>', 'the first seed; another one each time by default', number)
  .option('--processes <n>', 'how many stories at once; one for each core by default', number)
  .option('--losses', 'twenty payments at once, and what Temporal knows of them is lost')
  .option('--attacks', 'any message to any run, any input to any workflow')
  .option('--seed <seed>', 'this story alone', number)
  .option('--plan <file>', 'the story of this JSON file alone')
  .option('--trace', 'of one story: all that happens')
  .option('--shrink', 'of one story: made as small as it gets, as JSON')
  .option('--planted <bug>', "with a bug, or 'all' to plant one after the other")
  .parse()
  .opts<Options>();

const kind: Kind = values.losses ? 'losses' : values.attacks ? 'attacks' : 'usual';
const TELLS_EVERY_MS = 60_000;
/** A player that gives no sign for so long hangs: a workflow turns in circles, and time stands still. */
const HANGS_MS = 300_000;
const beganAt = Date.now();
const seconds = (): number => (Date.now() - beganAt) / 1_000;

/** One story, in this process: told as it goes, or made smaller. */
async function one(plan: Plan): Promise<void> {
  const { finding, digest } = await play(plan, values.trace ? (line) => console.log(line) : undefined);
  if (!finding) return console.log(`seed ${plan.seed}: ${digest}`);
  process.exitCode = 1;
  console.log(`seed ${plan.seed}: ${finding.message}`);
  if (values.shrink) console.log(`as small as it gets: ${JSON.stringify(await shrink(plan, finding.rule))}`);
}

/** Many stories, in a process for each core. */
async function many(): Promise<void> {
  const { planted, minutes } = values;
  const first = values.from ?? Math.floor(Date.now() / 1_000) % 1_000_000_000;
  const most = values.seeds ?? (minutes ? Number.POSITIVE_INFINITY : SEEDS);
  const within = 60 * (minutes ?? Number.POSITIVE_INFINITY);
  const sum = { stories: 0, runs: 0, replays: 0, payments: 0, steps: 0, elapsed: 0 };
  const happened = new Map<string, number>();
  let begun = 0;
  let isFound = false;
  let hasPlace = false;
  const figures = () =>
    `${sum.stories} stories, ${sum.runs} runs, ${sum.replays} replays, ${sum.payments} payments, ${sum.steps} steps, ${Math.round(sum.elapsed / 3_600_000)} simulated hours; ${Math.round((3_600 * sum.stories) / seconds())} stories an hour`;

  const take = (answer: Answer) => {
    sum.stories++;
    for (const key of ['runs', 'replays', 'payments', 'steps', 'elapsed'] as const) sum[key] += answer[key];
    for (const [what, times] of answer.happened) happened.set(what, (happened.get(what) ?? 0) + times);
    hasPlace ||= answer.isPlanted;
    if (!answer.finding) return;
    isFound = true;
    console.log(`seed ${answer.seed}: ${answer.finding.message}`);
    console.log(`again: npm run simulate --${kind === 'usual' ? '' : ` --${kind}`} --seed ${answer.seed} --trace`);
  };

  const player = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(join(__dirname, 'player.js'), [
        ...(planted === undefined ? [] : ['--planted', planted]),
        kind,
      ]);
      let watch: NodeJS.Timeout | undefined;
      let isHung = false;
      let seed = first;
      const next = () => {
        clearTimeout(watch);
        if (!(begun < most && seconds() < within && !(isFound && planted))) return child.disconnect();
        seed = first + begun++;
        child.send(seed);
        listen();
      };
      const listen = () => {
        clearTimeout(watch);
        watch = setTimeout(() => {
          isHung = true;
          isFound = true;
          console.log(`seed ${seed}: liveness: time stands still for ${HANGS_MS / 1_000} s of real time`);
          child.kill('SIGKILL');
        }, HANGS_MS);
      };
      child.on('message', (said) => {
        if (said === 'alive') return listen();
        take(said as Answer);
        next();
      });
      child.on('error', reject);
      child.on('exit', (code) => {
        clearTimeout(watch);
        if (code === 0 || isHung) resolve();
        else reject(new Error(`a player has ended with ${code}`));
      });
      next();
    });

  const telling = setInterval(() => console.log(figures()), TELLS_EVERY_MS);
  try {
    await Promise.all(Array.from({ length: values.processes ?? availableParallelism() }, player));
  } finally {
    clearInterval(telling);
  }
  console.log(figures());
  const said = [...happened].sort().map(([what, n]) => `${what} ${n}`);
  console.log(`What happened: ${said.filter((what) => !what.includes('/')).join(', ')}`);
  console.log(`What met whom: ${said.filter((what) => what.includes('/')).join(', ')}`);
  if (planted && !hasPlace && sum.stories > 0) throw new Error(`the bug '${planted}' has no place any more`);
  const never = kind !== 'usual' ? [] : neverMet(sum.stories, happened);
  if (never.length > 0) console.log(`never met: ${never.join(', ')}`);
  if (isFound || never.length > 0) process.exitCode = 1;
}

/** Plants each bug in turn, and says whether it was found, how soon, and that without the bug the same story is fine. */
function everyBug(): void {
  const minutes = String(values.minutes ?? 10);
  const simulate = (...args: string[]) =>
    spawnSync(process.execPath, [...process.execArgv, __filename, ...args], { encoding: 'utf8', maxBuffer: 1e8 });
  for (const name of Object.keys(PLANTED)) {
    const from = Date.now();
    const kind = PLANTED[name]?.kind;
    const stories = kind ? [`--${kind}`] : [];
    const { stdout } = simulate('--planted', name, '--minutes', minutes, ...stories);
    const [found = 'not found', seed] = /^seed (\d+): .*$/m.exec(stdout) ?? [];
    const seconds = Math.round((Date.now() - from) / 1_000);
    const isOwn = seed !== undefined && simulate('--seed', seed, ...stories).status === 0;
    if (!isOwn) process.exitCode = 1;
    const control = seed === undefined || isOwn ? '' : ' (and so without the bug)';
    console.log(`${name}: ${found}${control}, after ${seconds} s`);
  }
}

if (values.planted === EVERY) everyBug();
else if (values.plan !== undefined) void one(JSON.parse(readFileSync(values.plan, 'utf8')) as Plan);
else if (values.seed !== undefined) void one(planFor(kind, values.seed));
else void many();
