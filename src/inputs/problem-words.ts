/**
 * How a problem's sentence speaks of what a person gave (S4): it stands in failures, histories and logs, and what is wrong
 * may be a name or a phone number in the wrong place, also where a field's name should be. So of a value it tells the kind
 * and the length, and of a field that no schema knows its place.
 */
import type { z } from 'zod';
import { grouped } from '../text/numbers';
import { fieldsAt, type Node } from './allowed';

const counted = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

/** Longer numbers are written with an exponent. */
const LONGEST_NUMBER = 1e15;

/** 'text of 12 characters', 'a list of 2 entries'. */
export function kindOf(value: unknown): string {
  if (value === '') return 'empty text';
  if (typeof value === 'string') return `text of ${counted(value.length, 'character')}`;
  if (typeof value === 'number') return numberKind(value);
  if (Array.isArray(value)) return `a list of ${counted(value.length, 'entry', 'entries')}`;
  if (typeof value === 'object' && value !== null) return `an object of ${counted(Object.keys(value).length, 'field')}`;
  return String(value);
}

function numberKind(value: number): string {
  const sign = value < 0 ? 'negative ' : '';
  if (!Number.isInteger(value)) return `a ${sign}number that is not whole`;
  if (Math.abs(value) >= LONGEST_NUMBER) return `a ${sign}number of more than 15 digits`;
  return `a ${sign}whole number of ${counted(String(Math.abs(value)).length, 'digit')}`;
}

/** The value at a path; undefined where there is none. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    input,
  );
}

/** Which field of an object it is, from 1. */
const place = (input: unknown, path: readonly PropertyKey[], key: PropertyKey): string =>
  `field ${Object.keys(Object(valueAt(input, path))).indexOf(String(key)) + 1}`;

/** A path as a person writes it: `scoring.exclude.names[2]`; a field that the schema does not know is `[field 3]`. */
export function written(path: readonly PropertyKey[], root: Node, input: unknown): string {
  return path
    .map((key, i) => {
      if (typeof key === 'number') return `[${key}]`;
      const before = path.slice(0, i);
      if (!fieldsAt(root, before).includes(String(key))) return `[${place(input, before, key)}]`;
      return `${i > 0 ? '.' : ''}${String(key)}`;
    })
    .join('');
}

/** A field that the schema does not know: 'field 3 of scoring is unknown (11 characters)'. */
export function unknown(path: readonly PropertyKey[], key: string, root: Node, input: unknown): string {
  const of = path.length > 0 ? written(path, root, input) : 'the input';
  return `${place(input, path, key)} of ${of} is unknown (${counted(key.length, 'character')})`;
}

/** What one sentence is about: an issue, or one of the fields that an issue calls unknown. */
export type Problem = z.core.$ZodIssue | { readonly path: readonly PropertyKey[]; readonly unknown: string };

export const problemsOf = (issues: readonly z.core.$ZodIssue[]): Problem[] =>
  issues.flatMap((issue): Problem[] =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ path: issue.path, unknown: key })) : [issue],
  );

/** Problems of one input that are put into words: nobody mends more at once, and each sentence takes a look at all of it. */
const MOST_WORDED = 20;

/** A sentence for each of the first problems, and how many more there are. */
export function worded<T>(problems: readonly T[], inWords: (problem: T) => string): string[] {
  const sentences = new Set(problems.slice(0, MOST_WORDED).map(inWords));
  const more = problems.length - MOST_WORDED;
  return more > 0
    ? [...sentences, `${grouped(more)} more ${more === 1 ? 'problem is' : 'problems are'} not listed here.`]
    : [...sentences];
}
