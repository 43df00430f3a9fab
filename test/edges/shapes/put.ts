/** How services usually put things: envelopes, pages, spellings. Each takes plain JSON and gives plain JSON. */
import { Answer, type Asking, type Json, type JsonObject } from './wire';

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const obj = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
export const arr = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** The record or list below keys, outermost first. */
export const under =
  (...keys: string[]) =>
  (value: Json): Json =>
    keys.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);

/** With other things beside it. */
export const beside =
  (key: string, others: JsonObject) =>
  (value: Json): Json => ({ ...others, [key]: value });

/** Only these fields, under other names: `{ accountId: 'id' }`. */
export const renamed =
  (names: Readonly<Record<string, string>>) =>
  (value: Json): Json =>
    Object.fromEntries(Object.entries(names).map(([to, from]) => [to, obj(value)[from] ?? null]));

/** Without fields. */
export const without =
  (...keys: string[]) =>
  (value: Json): Json =>
    Object.fromEntries(Object.entries(obj(value)).filter(([key]) => !keys.includes(key)));

/** With some fields changed. */
export const having =
  (change: (record: JsonObject) => JsonObject) =>
  (value: Json): Json => ({ ...obj(value), ...change(obj(value)) });

/** One after the other. */
export const then =
  (...steps: ((value: Json) => Json)[]) =>
  (value: Json): Json =>
    steps.reduce((now, step) => step(now), value);

/** What belongs together, in the order of its first. */
export function grouped<T>(all: readonly T[], of: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(of(one), [...(groups.get(of(one)) ?? []), one]);
  return groups;
}

/** Each of a list. */
export const each =
  (change: (value: Json) => Json) =>
  (value: Json): Json =>
    arr(value).map(change);

/** JSON:API: the identifier and the fields apart. */
export const resource =
  (type: string) =>
  (value: Json): Json => {
    const { id, ...attributes } = obj(value);
    return { type, id: String(id), attributes };
  };
export const jsonApi = (type: string) => then(resource(type), under('data'));

export const status =
  (code: number, put: (value: Json) => Json = (value) => value, headers?: Record<string, string>) =>
  (value: Json) =>
    new Answer(code, put(value), headers);
export const nothing = (code: number, headers?: Record<string, string>) => () => new Answer(code, undefined, headers);

/** Every key and every value, at any depth. */
export function deep(
  value: Json,
  change: { key?(key: string): string; value?(value: Json, key: string): Json },
  key = '',
): Json {
  if (Array.isArray(value)) return value.map((one) => deep(one, change, key));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [change.key?.(name) ?? name, deep(inner, change, name)]),
    );
  return change.value?.(value, key) ?? value;
}

export const snake = (value: Json): Json =>
  deep(value, { key: (key) => key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`) });
export const camel = (value: Json): Json =>
  deep(value, { key: (key) => key.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase()) });
export const pascal = (value: Json): Json => deep(value, { key: (key) => key.charAt(0).toUpperCase() + key.slice(1) });

const DATE = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
export const dates =
  (write: (ms: number) => Json) =>
  (value: Json): Json =>
    deep(value, { value: (one) => (typeof one === 'string' && DATE.test(one) ? write(Date.parse(one)) : one) });

const STATUSES = /^(surveyStatus|status|uploadStatus|webResearchStatus)$/;
export const statuses =
  (write: (status: string) => string) =>
  (value: Json): Json =>
    deep(value, { value: (one, key) => (typeof one === 'string' && STATUSES.test(key) ? write(one) : one) });

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Identifiers of another kind, one for each of the sandbox's, and back. */
export class Ids {
  private readonly forth = new Map<string, Json>();
  private readonly back = new Map<string, string>();

  constructor(private readonly make: (id: string) => string | number) {}

  of(id: string): string | number {
    const known = this.forth.get(id) ?? this.make(id);
    this.forth.set(id, known);
    this.back.set(String(known), id);
    return known as string | number;
  }

  readonly out = (value: Json): Json =>
    deep(value, { value: (one) => (typeof one === 'string' && one.match(UUID)?.[0] === one ? this.of(one) : one) });

  /** In path, query and body. */
  readonly in = (asking: Asking): Asking => {
    const plain = (text: string) => this.back.get(text) ?? text;
    asking.path = asking.path
      .split('/')
      .map((part) => plain(decodeURIComponent(part)))
      .join('/');
    for (const [name, value] of [...asking.query]) asking.query.set(name, plain(value));
    if (asking.json !== undefined)
      asking.json = deep(asking.json, {
        value: (one) =>
          typeof one === 'string' || typeof one === 'number' ? (this.back.get(String(one)) ?? one) : one,
      });
    return asking;
  };
}

/** Query parameters under other names. */
export const parameters =
  (
    names: Readonly<Record<string, string>>,
    otherwise: 'ignored' | 400 | 422 = 'ignored',
    own: readonly string[] = [],
  ) =>
  (asking: Asking): Asking | Answer => {
    const plain = new URLSearchParams();
    for (const [name, value] of asking.query) {
      const to = names[name] ?? (own.includes(name) ? name : undefined);
      if (to !== undefined) plain.set(to, value);
      else if (otherwise !== 'ignored') return new Answer(otherwise, { error: `Unknown query parameter: ${name}` });
    }
    return Object.assign(asking, { query: plain });
  };

/** Fields of the body under other names; those that are missing are asked for. */
export const fields =
  (names: Readonly<Record<string, string>>, code = 400) =>
  (asking: Asking): Asking | Answer => {
    const given = obj(asking.json);
    const missing = Object.keys(names).filter((name) => given[name] === undefined);
    if (missing.length > 0) return new Answer(code, { error: `Missing: ${missing.join(', ')}` });
    return Object.assign(asking, {
      json: Object.fromEntries(Object.entries(given).map(([name, value]) => [names[name] ?? name, value])),
    });
  };

/** A part of a list. */
export interface Part {
  items: Json[];
  start: number;
  size: number;
  total: number;
  /** The next page's number, from 1. */
  page: number;
  more: boolean;
}

/** How a list is paged by this service: names of its parameters, its usual and its largest page. */
export const paged =
  (
    how: { number?: string; size?: string; offset?: string; cursor?: string; usual?: number; most?: number },
    put: (part: Part, asking: Asking) => Json | Answer,
  ) =>
  (all: Json, asking: Asking): Json | Answer => {
    const read = (name: string | undefined) => (name === undefined ? undefined : asking.query.get(name)) ?? undefined;
    const list = arr(all);
    const size = Math.min(how.most ?? 500, Number(read(how.size) ?? how.usual ?? 20));
    const page = Number(read(how.number) ?? 1);
    const cursor = read(how.cursor);
    const start =
      cursor !== undefined
        ? Number(Buffer.from(cursor, 'base64url'))
        : how.offset !== undefined
          ? Number(read(how.offset) ?? 0)
          : (page - 1) * size;
    const items = list.slice(start, start + size);
    return put({ items, start, size, page, total: list.length, more: start + size < list.length }, asking);
  };
export const cursorOf = ({ start, size }: Part): string => Buffer.from(String(start + size)).toString('base64url');
/** Where the next page is, as a path with its query. */
export const nextOf = ({ page }: Part, { path }: Asking, name = 'page') => `${path}?${name}=${page + 1}`;
