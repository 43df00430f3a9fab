/** Readers of documented records and lists in whatever wrapping: each is known by the fields that it shows. */
import type { z } from 'zod';
import { isSameId } from './id';
import { type Paging, pagingIn } from './paging';
import {
  at,
  collections,
  describeKeys,
  describePath,
  type Fields,
  flat,
  isObject,
  isWithin,
  type Layer,
  layers,
  type Names,
  namesOf,
  plainKey,
  saysFailed,
  withNames,
} from './shape';
import { FailedReply, type ListNoun, type Reader, type RecordNoun, UnreadableBody } from './undocumented';

/** How records of one kind are told from others. */
export interface Kind<S extends z.ZodObject> {
  readonly schema: S;
  /** Fields by which this kind is known: never `id`, which any record may have. */
  readonly own: readonly string[];
  /** The field that has the identifier of the request's path. @default id */
  readonly asked?: 'id' | 'projectId' | 'none';
  /** An identifier alone does not do: that of a request, a job or another record would. */
  readonly strict?: true;
}

interface Candidate<T> extends Layer {
  readonly parsed: T;
  readonly shows: number;
  readonly ofItsOwn: number;
}

function candidateOf<S extends z.ZodObject>(
  { value, path }: Layer,
  { schema, own }: Kind<S>,
  names: Names,
): Candidate<z.output<S>> | undefined {
  const renamed = withNames(flat(value), names);
  const has = (key: string) => renamed[key] !== undefined;
  const shows = Object.keys(schema.shape).filter(has).length;
  if (shows === 0) return undefined;
  const parsed = schema.safeParse(renamed);
  return parsed.success ? { value, path, parsed: parsed.data, shows, ofItsOwn: own.filter(has).length } : undefined;
}

/** Of the same number of fields, the inner one: an envelope may have a status or an ID of its own. */
function better<T>(one: Candidate<T>, other: Candidate<T>): boolean {
  return one.shows === other.shows ? isWithin(one.path, other.path) : one.shows > other.shows;
}

/** One record, in whatever envelope. */
export function record<S extends z.ZodObject>(noun: RecordNoun, kind: Kind<S>): Reader<z.output<S>> {
  const names = namesOf(Object.keys(kind.schema.shape));
  const { asked = 'id' } = kind;
  return (body, { records }, about = {}) => {
    const path = records[noun];
    const isAsked = ({ parsed }: Candidate<z.output<S>>) => {
      const id = (parsed as Fields)[asked];
      return about.id !== undefined && typeof id === 'string' && isSameId(id, about.id);
    };
    const isOther = (candidate: Candidate<z.output<S>>) => {
      const id = (candidate.parsed as Fields)[asked];
      return about.id !== undefined && typeof id === 'string' && !isAsked(candidate);
    };
    const found: Candidate<z.output<S>>[] = [];
    for (const layer of path === undefined ? layers(body, names) : layers(at(body, path), names)) {
      const candidate = candidateOf(layer, kind, names);
      if (candidate && (candidate.ofItsOwn > 0 || (!kind.strict && isAsked(candidate)))) found.push(candidate);
    }
    const right = found.filter((candidate) => !isOther(candidate));
    const [best, ...others] = right.sort((one, other) => (better(one, other) ? -1 : better(other, one) ? 1 : 0));
    const what = `where the record stands with 'undocumented.records.${noun}'`;
    if (best === undefined && found.length > 0)
      throw new UnreadableBody(`the reply shows another ${noun} than the one that was asked for: say ${what}`);
    if (best === undefined && isSaidToFail(body))
      throw new FailedReply(`the reply holds no ${noun}, and says that the call failed`);
    if (best === undefined)
      throw new UnreadableBody(
        `the reply holds no ${noun} in a shape that audit-runner knows (${describeKeys(body)}): say ${what}`,
      );
    // Beside it, not around or in it: which of two is meant, nobody can tell.
    const rival = others.find(
      (other) =>
        !isWithin(other.path, best.path) &&
        !isWithin(best.path, other.path) &&
        other.shows === best.shows &&
        JSON.stringify(other.parsed) !== JSON.stringify(best.parsed),
    );
    if (rival === undefined) return best.parsed;
    throw new UnreadableBody(
      `the reply holds more than one ${noun} (at ${describePath(best.path)} and ${describePath(rival.path)}): say ${what}`,
    );
  };
}

/** Names of what has the whole reply in it. An error under any other is that of a part. */
const ENVELOPES = ['data', 'result', 'response', 'payload', '0'];
const isSaidToFail = (body: unknown): boolean =>
  [...layers(body)].some(
    ({ value, path }) => path.every((key) => ENVELOPES.includes(plainKey(key))) && saysFailed(value),
  );

/** A list with what the service says of its pages. */
export interface Page<T> extends Paging {
  items: T[];
  /** Entries that are no records, such as those without an ID. */
  unreadable?: number;
}

/** Names under which lists stand, where more than one would do. */
const USUAL = [
  ...['data', 'items', 'results', 'records', 'content', 'edges', 'nodes', 'entries', 'rows', 'values', 'list'],
  ...['result', 'response', 'payload', 'value', 'docs', 'hits', 'objects', 'elements'],
];

/** A list: an array, a map by ID or the edges of a graph, in whatever envelope. */
export function list<S extends z.ZodObject>(noun: ListNoun, kind: Kind<S>): Reader<Page<z.output<S>>> {
  const names = namesOf(Object.keys(kind.schema.shape));
  const read = (entry: unknown, key?: string): Candidate<z.output<S>> | undefined => {
    // Of a map by ID the records need not repeat it.
    if (key !== undefined && isObject(entry))
      return candidateOf({ value: { id: key, ...entry }, path: [] }, kind, names);
    let best: Candidate<z.output<S>> | undefined;
    for (const layer of layers(entry, names)) {
      const candidate = candidateOf(layer, kind, names);
      if (candidate && (best === undefined || better(candidate, best))) best = candidate;
      // Nothing in a record is another record of its kind.
      if (candidate && candidate.ofItsOwn > 0) break;
    }
    return best;
  };

  return (body, { lists }, about = {}) => {
    const setting = lists[noun];
    const root = setting === undefined ? body : at(body, setting);
    const base = setting === undefined ? [] : setting.split('.');
    const found = [...collections(root)].flatMap(({ entries, keys, path }) => {
      const fits = entries.map((entry, i) => read(entry, keys?.[i])).filter((one) => one !== undefined);
      const own = fits.reduce((sum, { ofItsOwn }) => sum + ofItsOwn, 0) / Math.max(1, fits.length);
      const name = path.findLast((key) => !/^\d+$/.test(key)) ?? '';
      const plain = plainKey(name);
      const rank = plain === noun ? 0 : USUAL.includes(plain) || name === '' ? 1 : 2;
      // An empty one is known by its name only: any other may be of anything, such as `details` of an error.
      if (entries.length === 0)
        return rank < 2 || plain.endsWith(noun) ? [{ items: [], own: 0, unreadable: 0, path, rank }] : [];
      // Entries that show no field of their own may be anything.
      if (fits.length === 0 || (own === 0 && (rank === 2 || keys !== undefined))) return [];
      return [{ items: fits.map(({ parsed }) => parsed), own, unreadable: entries.length - fits.length, path, rank }];
    });
    found.sort((one, other) => other.own - one.own || one.rank - other.rank || one.path.length - other.path.length);
    const [best, rival] = found;
    const shows = best === undefined ? 0 : best.items.length + best.unreadable;
    if (shows === 0 && saysFailed(body)) throw new FailedReply(`the reply says that it has no list of ${noun}`);
    if (best === undefined) {
      if (isEmptyList(root, noun)) return { items: [], ...pagingIn(body, [], 0, about.headers) };
      throw new UnreadableBody(
        `the reply holds no list of ${noun} in a shape that audit-runner knows (${describeKeys(body)}): say where it stands with 'undocumented.lists.${noun}'`,
      );
    }
    if (rival && best.items.length > 0 && rival.own === best.own && rival.rank === best.rank && best.rank === 2)
      throw new UnreadableBody(
        `the reply holds more than one list of ${noun} (at ${describePath(best.path)} and ${describePath(rival.path)}): say which it is with 'undocumented.lists.${noun}'`,
      );
    const { items, unreadable, path } = best;
    const paging = pagingIn(body, [...base, ...path], items.length + unreadable, about.headers);
    return { items, ...(unreadable > 0 && { unreadable }), ...paging };
  };
}

/** `{"leads": null}`, `{"leads": {}}`, or nothing but a count of 0. */
function isEmptyList(body: unknown, noun: ListNoun): boolean {
  if (!isObject(body)) return false;
  const value = at(body, noun) ?? at(body, `data.${noun}`) ?? at(body, 'data');
  const isThere = noun in body || 'data' in body;
  if (isThere && (value === null || value === undefined || (isObject(value) && Object.keys(value).length === 0)))
    return true;
  return pagingIn(body, ['-'], 0).total === 0;
}
