/**
 * Which routes `callApi` takes, and what is wrong with a call, by the table of routes. Never part of the workflow bundle
 * (see `inputs/fields.ts`): the command line and an activity ask here before anything is sent.
 */
import { createHash } from 'node:crypto';
import { closest } from 'fastest-levenshtein';
import { z } from 'zod';
import type { Query } from '../agent-api/query';
import { type Route, type RouteName, routes } from '../agent-api/routes';
import { ONCE_ONLY } from '../paying/once-only';
import { PROGRAM } from '../text/command';
import { isTooDeep } from '../text/json-depth';
import { allowed, describable, either, fieldsAt, type Node, nodesAt } from './allowed';
import { CallApiInput } from './call-api';
import { InputError, parseInput } from './parse-input';
import { kindOf, type Problem, problemsOf, unknown, valueAt, worded, written } from './problem-words';

/** The workflow of a route that has one of its own, which knows how to look before it sends again (S2). */
export const ownWorkflow = (name: RouteName): string | undefined =>
  (ONCE_ONLY as Readonly<Partial<Record<RouteName, { workflow: string }>>>)[name]?.workflow;

/** A call that its route takes. */
export interface AnyCall {
  readonly account: string;
  readonly route: RouteName;
  readonly id?: string | undefined;
  readonly query?: Query;
  readonly body?: unknown;
  readonly reference?: string | undefined;
}

/** What of an input is as the envelope wants it; what is not is told by the envelope's own check. */
const Seen = z.looseObject({
  account: CallApiInput.shape.account.catch('default'),
  route: CallApiInput.shape.route.optional().catch(undefined),
  id: CallApiInput.shape.id.or(z.null()).catch(null),
  query: CallApiInput.shape.query.catch(undefined),
  body: z.unknown().optional(),
  reference: CallApiInput.shape.reference.catch(undefined),
});

/**
 * Checks a call against the table. Both may be of use at once: what is wrong, of an input that may be wrong elsewhere too,
 * one sentence each; and the call, where the table takes it. No sentence quotes it (S4).
 */
export function checkCall(raw: unknown): { problems: string[]; call?: AnyCall } {
  if (isTooDeep(raw)) return { problems: [] };
  const { data: seen } = Seen.safeParse(raw ?? {});
  if (seen?.route === undefined) return { problems: [] };
  const { account, id, query, body, reference } = seen;
  const name = nameOf(seen.route);
  const refusal = name === undefined ? unknownRoute(seen.route) : refused(name);
  if (name === undefined || refusal !== undefined) return { problems: refusal === undefined ? [] : [refusal] };
  const route: Route = routes[name];
  const problems = [...idProblems(route, name, id), ...queryProblems(route, query), ...bodyProblems(route, body)];
  if (problems.length > 0) return { problems };
  const texts = Object.entries(query ?? {}).map(([key, value]) => [key, String(value)] as const);
  return {
    problems,
    call: {
      ...{ account, route: name, id: id ?? undefined, reference },
      ...(texts.length > 0 && { query: Object.fromEntries(texts) }),
      ...(body !== undefined && { body }),
    },
  };
}

/** Checks an input of `callApi` whole, as a run of it does. @throws InputError naming every problem */
export function readCall(raw: unknown): AnyCall {
  const { problems, call } = checkCall(raw);
  try {
    parseInput(CallApiInput, raw, 'callApi');
  } catch (error) {
    if (error instanceof InputError) throw new InputError('callApi', [...error.problems, ...problems]);
    throw error;
  }
  if (call === undefined) throw new InputError('callApi', problems);
  return call;
}

/** Whether a repetition of the call would do something twice. */
export const createsSomething = (name: RouteName): boolean => routes[name].afterUnknown !== 'resend';

/**
 * Equal for equal calls: account, route and everything that is sent, the order of fields left aside.
 * @param run makes it a call of this run alone, where a repetition is nothing but a price to pay again
 */
export function callKey({ account, route, id, query, body, reference }: AnyCall, run?: string): string {
  const content = JSON.stringify(sorted([account, route, id, query, body, reference, run]));
  return createHash('sha256').update(content).digest('hex').slice(0, 24);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

const names = Object.keys(routes) as RouteName[];
const nameOf = (text: string): RouteName | undefined => names.find((name) => name === text);

/** As far as places in it go. */
const QUERY: Node = { properties: { query: {} } };

const unknownRoute = (text: string): string =>
  `route was given ${kindOf(text)}; did you mean '${closest(text, names)}'? \`${PROGRAM} api\` lists all routes.`;

/** Why a route is not for `callApi`, if so. */
function refused(name: RouteName): string | undefined {
  const own = ownWorkflow(name);
  if (own !== undefined) return `route '${name}' has a workflow of its own: start ${own}.`;
  if (routes[name].allowlist !== 'session') return undefined;
  return `route '${name}' needs a browser session, which no token has: use the web app.`;
}

/** @param id null where the envelope refuses it */
function idProblems({ method, path }: Route, name: string, id: string | null | undefined): string[] {
  const takesId = path.includes('{id}');
  if (takesId && id === undefined) return [`id is missing; route '${name}' needs it: ${method} ${path}.`];
  if (!takesId && id !== undefined) return [`id was given, and route '${name}' takes none: ${method} ${path}.`];
  return [];
}

/** Where the document shows no parameters at all, any may be given. */
function queryProblems({ query: known }: Route, query: object | undefined): string[] {
  if (known === undefined) return [];
  return worded(
    Object.keys(query ?? {}).filter((key) => !known.includes(key)),
    (key) =>
      `${unknown(['query'], key, QUERY, { query })}; did you mean 'query.${closest(key, [...known])}'? The parameters are ${known.join(', ')}.`,
  );
}

function bodyProblems(route: Route, body: unknown): string[] {
  if (route.body === undefined)
    return body === undefined ? [] : [`body was given, and ${route.method} ${route.path} takes none.`];
  if (typeof body === 'string') return ['body was given as text; give an object, not text (without the outer quotes).'];
  const parsed = route.body.safeParse(body);
  if (parsed.success) return [];
  const root: Node = { properties: { body: describable(route.body) } };
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ['body', ...issue.path] }));
  return worded(problemsOf(issues), (problem) => bodyInWords(problem, { body }, root));
}

/** Like the sentences of `parseInput`, without the kind of what was given: what a body may hold is the service's. */
function bodyInWords(problem: Problem, input: unknown, root: Node): string {
  const { path } = problem;
  if ('unknown' in problem) {
    const fields = fieldsAt(root, path);
    return `${unknown(path, problem.unknown, root, input)}; did you mean '${written([...path, closest(problem.unknown, fields)], root, input)}'? The fields are ${fields.join(', ')}.`;
  }
  const own = problem.code === 'custom' && !problem.message.startsWith('Invalid');
  const words = own ? problem.message : either([...new Set(nodesAt(root, path).map(allowed))]) || problem.message;
  const field = written(path, root, input);
  return valueAt(input, path) === undefined
    ? `${field} is missing; give ${words}.`
    : `${field} cannot be sent as it is; allowed is ${words}.`;
}
