/** What a call is given, checked against its route before anything is sent. */
import type { StreamedBody } from './http';
import { Id } from './id';
import { InvalidCall } from './invalid-call';
import type { Query } from './query';
import type { Route } from './routes';

/** A body as it goes out; given as it is for uploads (`documentUpload`). */
export interface RawBody {
  readonly contentType: string;
  readonly data: Buffer | StreamedBody;
}

/** What one call is given; at most one of `body` and `raw`. */
export interface CallInput {
  /** The identifier in the path, for routes that have one. */
  readonly id?: string | undefined;
  /** Query parameters by meaning; `undocumented` gives their names on the wire. */
  readonly query?: Query;
  /** The query of a list's next page as the service wrote it. */
  readonly next?: string | undefined;
  /** A JSON body, checked by the route's schema. */
  readonly body?: unknown;
  readonly raw?: RawBody;
  /** The reply is taken as it comes: its value is whatever it holds. */
  readonly asIs?: true;
  readonly signal?: AbortSignal | undefined;
  /** A moment of `steadyNow()`: the request is written before it or not at all (S1). */
  readonly writeBy?: number | undefined;
  /** Called once, immediately before the request is written. */
  readonly onWrite?: (() => void) | undefined;
}

/** The route's path with its identifier. @throws InvalidCall */
export function pathOf(route: Route, id: string | undefined): string {
  const takesId = route.path.includes('{id}');
  if (takesId !== (id !== undefined))
    throw new InvalidCall(route, takesId ? "'id' is missing" : "'id' is given, but the path has none");
  const parsed = Id.optional().safeParse(id);
  if (!parsed.success) throw new InvalidCall(route, `'id' is not ${parsed.error.issues[0]?.message}`);
  return route.path.replace('{id}', () => encodeURIComponent(parsed.data ?? ''));
}

/** The body as it goes out, or undefined for none. @throws InvalidCall */
export function wireBody(route: Route, { body, raw }: CallInput): RawBody | undefined {
  if (raw !== undefined) {
    if (body !== undefined) throw new InvalidCall(route, "either 'body' or 'raw', not both");
    if (route.method === 'GET' || route.body) throw new InvalidCall(route, "no 'raw' body");
    return raw;
  }
  const value = route.body ? parsed(route, route.body, body) : body;
  if (value === undefined) return undefined;
  if (route.method === 'GET') throw new InvalidCall(route, "no 'body'");
  return { contentType: 'application/json', data: Buffer.from(JSON.stringify(value)) };
}

function parsed(route: Route, schema: NonNullable<Route['body']>, body: unknown): unknown {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  // No deeper than the fields of the route's own schema, and not by the name that a strict one does not know (S4).
  const problems = result.error.issues.map(
    ({ path, code, message }) =>
      `'${['body', ...path.slice(0, 1)].join('.')}': ${code === 'unrecognized_keys' ? 'a field that is unknown' : message}`,
  );
  throw new InvalidCall(route, problems.join('; '));
}
