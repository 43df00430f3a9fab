/** What was tried and what came of it, for people. */
import Table from 'cli-table3';
import type { Case } from './cases';
import { isExpected } from './expected';
import { grouped } from './put';

export type End =
  | 'works'
  | 'works after the setting that the error names'
  | 'refuses before anything is paid'
  | 'books it once, and stops';

export interface Outcome {
  one: Case;
  /** One of the right ends, or what is wrong. */
  end?: End;
  wrong?: string;
  /** The settings that were applied. */
  settings: readonly string[];
  seconds: number;
}

const PLAIN = { style: { head: [], border: [] } };

/** @returns the exit code: 1 where a case came to a wrong end that is not expected */
export function print(outcomes: readonly Outcome[], seconds: number): number {
  const reasonOf = ({ one }: Outcome) => isExpected(one.name);
  const wrong = outcomes.filter(({ wrong }) => wrong !== undefined);
  const failures = wrong.filter((outcome) => reasonOf(outcome) === undefined);
  const mended = outcomes.filter((outcome) => outcome.wrong === undefined && reasonOf(outcome) !== undefined);

  const ends = [...new Set(outcomes.flatMap(({ end }) => end ?? []))];
  const table = new Table({
    head: ['open point', 'forms', 'cases', ...ends, 'expected to fail', 'wrong'],
    wordWrap: true,
    ...PLAIN,
  });
  const row = (name: string, of: readonly Outcome[]) => [
    ...[name, String(new Set(of.map(({ one }) => one.form)).size), String(of.length)],
    ...ends.map((end) => String(of.filter((outcome) => outcome.end === end).length)),
    String(of.filter((outcome) => wrong.includes(outcome) && !failures.includes(outcome)).length),
    String(of.filter((outcome) => failures.includes(outcome)).length),
  ];
  for (const [point, of] of grouped(outcomes, ({ one }) => one.form.point)) table.push(row(point, of));
  table.push(row('all', outcomes));
  console.log(table.toString());
  const { user, system } = process.cpuUsage();
  console.log(
    `${outcomes.length} cases in ${Math.round(seconds)} s, ${Math.round((user + system) / 1e6)} s of CPU in this process`,
  );
  for (const outcome of mended) console.log(`ends rightly now, take it out of expected.ts: ${outcome.one.name}`);
  for (const { one, wrong } of failures) console.log(`\nWRONG ${one.name}\n  ${wrong}`);
  if (failures.length > 0)
    console.log(`\n${failures.length} came to a wrong end. To repeat one: npm run edges -- shapes --only NAME`);
  return failures.length > 0 ? 1 : 0;
}
