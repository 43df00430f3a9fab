/**
 * `npm run edges -- shapes|operators`: tries what the document leaves open, and what people can do to runs, each crossed with
 * the workflows that meet it; prints what was tried and what came of it. Needs a Temporal server, which it starts.
 */
import { Argument, Command } from 'commander';
import { runWithout } from './guards';
import type { Matrix } from './matrix';

const MATRICES = ['shapes', 'operators'] as const;
type Name = (typeof MATRICES)[number];

interface Options {
  only?: string;
  oneIn?: number;
  without?: string;
  sample?: boolean;
  list?: boolean;
}

async function main(name: Name, { only, oneIn, without, sample = false, list = false }: Options): Promise<number> {
  const { run, guards }: Matrix = await import(`./${name}/index.js`);
  if (without === undefined)
    return run({ ...(only !== undefined && { only }), ...(oneIn !== undefined && { oneIn }), sample, list });
  const guard = guards[without];
  if (guard === undefined) {
    console.error(`There is no guard '${without}'. There are: ${Object.keys(guards).join(', ')}.`);
    return 2;
  }
  console.log(`Without the guard '${without}': ${guard.about}`);
  const also = [
    ...(only === undefined ? [] : ['--only', only]),
    ...(oneIn === undefined ? [] : ['--one-in', String(oneIn)]),
  ];
  return runWithout(guard, [name, ...also, ...(sample ? ['--sample'] : [])]);
}

new Command('edges')
  .addArgument(new Argument('<matrix>', 'which').choices(MATRICES))
  .option('--only <name>', 'only the case of this name, or the cases whose names begin so; several with commas')
  .option('--one-in <n>', 'only one case in so many, spread over all', Number)
  .option('--sample', 'only the cases that `npm test` takes')
  .option('--list', 'only name the cases')
  .option('--without <guard>', 'with one guard of the product switched off, in a copy: has to fail')
  .action(async (name: Name, options: Options) => {
    // Whatever a case left open ends with the process.
    process.exit(await main(name, options));
  })
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
