/**
 * The boundary where a workflow's input comes in. A wrong input is refused at once and whole, before any API call, with
 * one sentence for each problem, which quotes nothing of it (S4). Pure: runs in Temporal's workflow sandbox.
 */
import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { isTooDeep, MOST_LEVELS } from '../text/json-depth';
import { allFields, allowed, describable, either, fieldsAt, type Node, nodesAt } from './allowed';
import { kindOf, type Problem, problemsOf, unknown, valueAt, worded, written } from './problem-words';

/** In the message of every wrong input, after the workflow's type and before the sentences. */
export const WRONG_INPUT = 'cannot start with this input:';

/** A wrong input. The workflow turns it into a non-retryable failure; a repetition cannot help. */
export class InputError extends Error {
  override readonly name = 'InputError';
  constructor(
    workflowType: string,
    /** One sentence each: the field, what kind of value was given, what is allowed. */
    readonly problems: readonly string[],
  ) {
    const numbered = problems.length > 1 ? problems.map((problem, i) => `(${i + 1}) ${problem}`) : problems;
    super(`${workflowType} ${WRONG_INPUT} ${numbered.join(' ')}`);
  }
}

/** An issue of zod with the whole path, from the input itself. */
type Issue = z.core.$ZodIssue;

/**
 * Checks a workflow's input and fills in what has a default. No input at all counts as `{}`.
 * @throws {InputError} naming its problems
 */
export function parseInput<S extends z.ZodType>(schema: S, raw: unknown, workflowType: string): z.output<S> {
  const input = raw ?? {};
  refuseTooDeep(input, workflowType);
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const root = describable(schema);
  const problems = problemsOf(parsed.error.issues.flatMap((issue) => concrete(issue, [])));
  throw new InputError(
    workflowType,
    worded(problems, (problem) => inWords(problem, input, root)),
  );
}

/** What recurses over it, also to say what is wrong, would not come back. @throws {InputError} */
export function refuseTooDeep(input: unknown, workflowType: string): void {
  if (isTooDeep(input))
    throw new InputError(workflowType, [`the input is nested deeper than ${MOST_LEVELS} levels; give a flatter one.`]);
}

/** A union's issue, replaced by those of the one branch whose kind of value was given, if there is one. */
function concrete(issue: Issue, prefix: readonly PropertyKey[]): Issue[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.filter((errors) =>
      errors.every((e) => e.path.length > 0 || e.code === 'unrecognized_keys'),
    );
    if (meant.length === 1) return (meant[0] ?? []).flatMap((inner) => concrete(inner, path));
  }
  return [{ ...issue, path }];
}

function inWords(problem: Problem, input: unknown, root: Node): string {
  if ('unknown' in problem) return unknownField(problem.path, problem.unknown, root, input);
  const issue = problem;
  if (issue.code === 'custom' && issue.path.length === 0) return `give ${issue.message}.`;
  const value = valueAt(input, issue.path);
  const field = issue.path.length > 0 ? written(issue.path, root, input) : 'the input';
  if (value === undefined) return `${field} is missing; give ${permitted(issue, root)}.`;
  if (typeof value === 'string' && expectsStructure(issue))
    return holdsJson(value)
      ? `${field} was given as text that holds JSON; give an object, not text (without the outer quotation marks).`
      : `${field} was given ${kindOf(value)}; give ${permitted(issue, root)}, not text.`;
  return `${field} was given ${kindOf(value)}; allowed is ${permitted(issue, root)}.`;
}

/** The messages of our own checks say what is allowed; those that zod makes itself are not meant for people. */
function permitted(issue: Issue, root: Node): string {
  const nodes = nodesAt(root, issue.path);
  const own = issue.code === 'custom' || (issue.code === 'invalid_format' && issue.format === 'regex');
  const words = nodes.map((node) =>
    own && node.allowed === undefined && !issue.message.startsWith('Invalid') ? issue.message : allowed(node),
  );
  return words.length > 0 ? either([...new Set(words)]) : issue.message;
}

const expectsStructure = (issue: Issue) =>
  issue.code === 'invalid_type' && ['object', 'array', 'record'].includes(issue.expected);

function holdsJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** `max_Credits` and `maxCredits` are one name for a person. */
const plain = (name: string) => name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

function unknownField(path: readonly PropertyKey[], key: string, root: Node, input: unknown): string {
  const siblings = fieldsAt(root, path);
  const near = nearest(key, siblings);
  const elsewhere = allFields(root).find((other) => plain(other.at(-1) ?? '') === plain(key));
  const meant = near === undefined ? elsewhere : [...path, near];
  const what = unknown(path, key, root, input);
  return meant === undefined
    ? `${what}; the fields of ${path.length > 0 ? written(path, root, input) : 'this input'} are ${siblings.join(', ')}.`
    : `${what}; did you mean '${meant === elsewhere ? meant.join('.') : written(meant, root, input)}'?`;
}

/** The name that is a slip of the hand away, at most a third of its letters. */
function nearest(key: string, names: readonly string[]): string | undefined {
  if (key.length > 100) return undefined;
  const [best] = names
    .map((name) => ({ name, slips: distance(plain(key), plain(name)) }))
    .filter(({ name, slips }) => slips <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.slips - b.slips);
  return best?.name;
}
