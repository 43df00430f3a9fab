/**
 * Where a record or a list stands in a reply whose wrapping the document does not show. It is known by the fields that it
 * shows, never by the names around it: those are anybody's choice. Pure.
 */
import { hasToken } from '../redact';

export type Fields = Record<string, unknown>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Deeper than any envelope; what is nested further is part of a record. */
const MAX_DEPTH = 5;

/** `remaining_credits`, `RemainingCredits` and `remainingCredits` are one name. */
export const plainKey = (key: string): string => key.replace(/[_\-\s]/g, '').toLowerCase();

/** `InProgress`, `IN_PROGRESS`, `in-progress` and `in progress` are one word of a status. */
export const plainWord = (text: string): string =>
  text
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase();

/** The value at a dotted path, or undefined. */
export function at(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, body);
}

/** A field by its name, in whatever way the service writes names. */
export function fieldOf(layer: unknown, name: string): unknown {
  if (!isObject(layer)) return undefined;
  if (Object.hasOwn(layer, name)) return layer[name];
  const key = Object.keys(layer).find((one) => plainKey(one) === plainKey(name));
  return key === undefined ? undefined : layer[key];
}

/** A text that says something. */
export const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** Whether the value of a field such as `error` tells anything: `null`, `[]` and `{"code": 0, "message": ""}` do not. */
const isSaid = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(isSaid) : Boolean(value);

/**
 * Whether a reply, or an envelope in it, says that the call failed. Not by `"status": "failed"`: captures, and filters by it,
 * say that.
 */
export const saysFailed = (body: unknown): boolean =>
  ['success', 'ok'].some((name) => fieldOf(body, name) === false) ||
  ['error', 'errors'].some((name) => isSaid(fieldOf(body, name))) ||
  ['error', 'fail', 'failure'].includes(plainWord(asText(fieldOf(body, 'status')) ?? ''));

/** Names of fields as the document has them, by their plain form. */
export type Names = ReadonlyMap<string, string>;
export const namesOf = (names: readonly string[]): Names => new Map(names.map((name) => [plainKey(name), name]));

/** The object with the document's names of fields; others stay as they are, and a name that is there already wins. */
export function withNames(value: Fields, names: Names): Fields {
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const name = names.get(plainKey(key));
    return [name === undefined || (name !== key && Object.hasOwn(value, name)) ? key : name, inner];
  });
  return Object.fromEntries(entries);
}

/** A record of JSON:API keeps its ID beside its fields. */
export const flat = (value: Fields): Fields =>
  isObject(value.attributes) && value.id !== undefined ? { ...value.attributes, id: value.id } : value;

/** An object in a reply, and the names that lead to it. */
export interface Layer {
  readonly value: Fields;
  readonly path: readonly string[];
}

/**
 * All objects of a reply, outermost first; of arrays, the entry of one that has only one.
 * @param closed names of fields that belong to the record itself: it does not stand in one of its own
 */
export function* layers(body: unknown, closed?: Names, path: readonly string[] = []): Generator<Layer> {
  if (Array.isArray(body)) {
    if (body.length === 1) yield* layers(body[0], closed, [...path, '0']);
    return;
  }
  if (!isObject(body)) return;
  yield { value: body, path };
  if (path.length >= MAX_DEPTH) return;
  for (const [key, inner] of Object.entries(body))
    if (typeof inner === 'object' && inner !== null && !closed?.has(plainKey(key)))
      yield* layers(inner, closed, [...path, key]);
}

/** Whether one path leads through the other. */
export const isWithin = (inner: readonly string[], outer: readonly string[]): boolean =>
  outer.length < inner.length && outer.every((key, i) => inner[i] === key);

/** All arrays of a reply, and objects that hold a record under each of their keys, with the names that lead to them. */
export function* collections(
  body: unknown,
  path: readonly string[] = [],
): Generator<{ entries: unknown[]; keys?: string[]; path: readonly string[] }> {
  if (Array.isArray(body)) {
    yield { entries: body, path };
    // An envelope may stand in an array of one.
    if (body.length === 1 && path.length < MAX_DEPTH) yield* collections(body[0], [...path, '0']);
    return;
  }
  if (!isObject(body)) return;
  const inner = Object.entries(body);
  if (inner.length > 0 && inner.every(([, value]) => isObject(value)))
    yield { entries: inner.map(([, value]) => value), keys: inner.map(([key]) => key), path };
  if (path.length >= MAX_DEPTH) return;
  for (const [key, value] of inner) yield* collections(value, [...path, key]);
}

const KEY = /^[A-Za-z_$@][\w$-]{0,40}$/;
/** S4: a key as it may be told: what does not look like the name of a field may be anything, such as an e-mail address. */
const tellable = (key: string): string => (KEY.test(key) && !hasToken(key) ? key : '*');

/** S4: where something stands in a reply, as it may be told; `0` is the only entry of an array. */
export const describePath = (path: readonly string[]): string =>
  path.length === 0 ? 'the top' : path.map((key) => (key === '0' ? key : tellable(key))).join('.');

/** Keys that are no names of fields but IDs, or names of people. */
const isMap = (value: Fields): boolean => {
  const inner = Object.values(value);
  const [first] = inner;
  return (
    inner.length > 1 &&
    isObject(first) &&
    inner.every((one) => isObject(one) && Object.keys(one).join() === Object.keys(first).join())
  );
};

/** S4: the keys of a reply, never a value, so that a person sees which of them a setting has to name. */
export function describeKeys(body: unknown): string {
  const found = new Set<string>();
  const walk = (value: unknown, path: string, depth: number): void => {
    if (Array.isArray(value)) walk(value[0], `${path}[]`, depth);
    if (!isObject(value) || depth > 3) return;
    if (isMap(value)) walk(Object.values(value)[0], path === '' ? '*' : `${path}.*`, depth + 1);
    else
      for (const [key, inner] of Object.entries(value)) {
        const name = `${path === '' ? '' : `${path}.`}${tellable(key)}`;
        if (found.size < 24) found.add(name);
        walk(inner, name, depth + 1);
      }
  };
  walk(body, '', 0);
  return found.size === 0
    ? `it is ${Array.isArray(body) ? 'an empty list' : 'no object'}`
    : `its keys: ${[...found].join(', ')}`;
}
