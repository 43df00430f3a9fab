import { z } from 'zod';
import { type Route, routes } from '../agent-api/routes';
import { Undocumented } from '../agent-api/undocumented';
import { badRequest } from './refusal';
import type { AgentRouteName } from './router';

/**
 * What a configuration must say under `undocumented` for audit-runner to work with variant `b`. Whatever is not named here, `b`
 * also does in its own way, but so that the tolerant readers find it.
 */
export const variantOverrides = {
  leadsList: { surveyLink: 'linkId', limit: 'pageSize', offset: 'skip', sort: 'sortBy', direction: 'sortDir' },
  projectsList: { limit: 'pageSize', offset: 'skip' },
  capturesList: { project: 'project' },
  memoriesList: { type: 'memoryType' },
  account: { userId: 'data.profile.accountId', balance: 'data.wallet.amount', tier: 'data.membership.level' },
  upload: { encoding: 'json', file: 'contentBase64', fileName: 'name', fileType: 'mimeType' },
  note: { content: 'text', project: 'project' },
} as const satisfies z.input<typeof Undocumented>;

/** The names that a variant uses on the wire. `a` is by construction what audit-runner guesses. */
export const wireNames = (variant: 'a' | 'b'): Undocumented =>
  Undocumented.parse(variant === 'a' ? {} : variantOverrides);

/** Query parameters by their meaning. */
export class Query {
  constructor(private readonly values: ReadonlyMap<string, string>) {}

  text(name: string): string | undefined {
    return this.values.get(name);
  }

  /** @throws 400 for anything but one of the values. */
  choice<T extends string>(name: string, values: readonly [T, ...T[]], otherwise: T): T;
  choice<T extends string>(name: string, values: readonly [T, ...T[]]): T | undefined;
  choice<T extends string>(name: string, values: readonly [T, ...T[]], otherwise?: T): T | undefined {
    const given = this.values.get(name);
    if (given === undefined) return otherwise;
    const known = values.find((value) => value === given);
    if (known === undefined) throw badRequest(`${name} must be one of ${values.join(', ')}`);
    return known;
  }

  /** @throws 400 for anything but an integer between the two. */
  integer(name: string, min: number, max: number, otherwise: number): number {
    const given = this.values.get(name);
    if (given === undefined) return otherwise;
    const parsed = z.coerce.number().int().min(min).max(max).safeParse(given);
    if (!parsed.success || given.trim() === '') throw badRequest(`${name} must be an integer from ${min} to ${max}`);
    return parsed.data;
  }
}

const renamed = (route: AgentRouteName, names: Undocumented): Partial<Record<string, string>> => {
  if (route === 'leads.list') return names.leadsList;
  if (route === 'projects.list') return names.projectsList;
  if (route === 'captures.list') return names.capturesList;
  if (route === 'memories.list') return names.memoriesList;
  return {};
};

/**
 * Reads a query string: names on the wire to meanings. An unknown parameter is ignored, as most services do.
 * @param strict Answers 400 to an unknown parameter instead.
 */
export function readQuery(route: AgentRouteName, params: URLSearchParams, names: Undocumented, strict: boolean): Query {
  const { query = [] }: Pick<Route, 'query'> = routes[route];
  const wire = renamed(route, names);
  const meanings = new Map(query.map((meaning) => [wire[meaning] ?? meaning, meaning]));
  const values = new Map<string, string>();
  for (const [name, value] of params) {
    const meaning = meanings.get(name);
    if (meaning !== undefined) values.set(meaning, value);
    else if (strict) throw badRequest(`Unknown query parameter: ${name}`);
  }
  return new Query(values);
}
