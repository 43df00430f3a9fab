/** What operators can do, crossed with each state in which each workflow waits: `npm run edges -- operators`. */
import { availableParallelism } from 'node:os';
import down from '../../support/temporal-down';
import up from '../../support/temporal-up';
import { type Asked, chosenOf, listOf } from '../matrix';
import { cases, play, type Verdict } from './case';
import { expected } from './expected';
import { SAMPLE } from './sample';

export { guards } from './guards';

/** Cases wait far more than they work. */
const AT_ONCE = 2 * availableParallelism();

/** @returns the exit code: 1 where a case came out wrong that is not expected to */
export async function run(asked: Asked): Promise<number> {
  const chosen = chosenOf(cases, SAMPLE, asked);
  if (asked.list || chosen.length === 0) return listOf(chosen, asked);
  await up();
  try {
    const verdicts: Verdict[] = [];
    const left = [...chosen];
    const lane = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const verdict = await play(next);
        verdicts.push(verdict);
        console.log(`${verdicts.length}/${chosen.length} ${lineOf(verdict)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    console.log(totalsOf(verdicts));
    return verdicts.some((verdict) => wordOf(verdict) === 'wrong') ? 1 : 0;
  } finally {
    await down();
  }
}

/** One that is wrong and known to be does not fail the command. */
const wordOf = ({ name, came }: Verdict) => (came === 'wrong' && expected(name) !== undefined ? 'expected' : came);

function lineOf(verdict: Verdict): string {
  const { name, wrong, ms } = verdict;
  const why = wrong.length > 0 && expected(name);
  const lines = [...(why ? [`known: ${why}`] : []), ...wrong].map((line) => `\n${' '.repeat(20)}${line}`);
  return `${wordOf(verdict).padEnd(8)} ${(ms / 1000).toFixed(1).padStart(7)} s  ${name}${lines.join('')}`;
}

function totalsOf(verdicts: readonly Verdict[]): string {
  const count = (word: string) => verdicts.filter((verdict) => wordOf(verdict) === word).length;
  const sums = `${verdicts.length} cases: ${count('right')} right, ${count('wrong')} wrong, ${count('expected')} wrong as known, ${count('none')} with nothing to do it to.`;
  const wrong = verdicts.flatMap((verdict) => (wordOf(verdict) === 'wrong' ? `--only ${verdict.name}` : []));
  return ['', sums, ...wrong].join('\n');
}
