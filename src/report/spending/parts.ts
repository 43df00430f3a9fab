/** What a day's sum is made of, in the picture and in the table: the sources that cost most, then all others, then the rest. */
import { REST } from './csv';
import { type DaySpending, restOf, sum } from './facts';

/** Sources that are told apart. */
const MOST_SOURCES = 5;

export interface Part {
  readonly name: string;
  /** Its colour: a class of the page. */
  readonly look: string;
  readonly of: (day: DaySpending) => number;
}

export function partsOf(days: readonly DaySpending[]): Part[] {
  const sums = new Map<string, number>();
  for (const { source, credits } of days.flatMap(({ sources }) => sources))
    sums.set(source, (sums.get(source) ?? 0) + credits);
  const ordered = [...sums]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MOST_SOURCES)
    .map(([source]) => source);
  const named = ordered.map((name, index) => ({ name, look: `s${index}`, of: spentFor((source) => source === name) }));
  const others = { name: 'other pipelines', look: 'others', of: spentFor((source) => !ordered.includes(source)) };
  const rest = { name: REST, look: 'rest', of: (day: DaySpending) => restOf(day) ?? 0 };
  return [...named, others, rest].filter(({ of }) => days.some((day) => of(day) !== 0));
}

const spentFor =
  (which: (source: string) => boolean) =>
  ({ sources }: DaySpending): number =>
    sum(sources.flatMap(({ source, credits }) => (which(source) ? credits : [])));
