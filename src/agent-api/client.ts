/**
 * The client of the Agent API: one attempt per call, a typed result, a classified failure. It never retries, and waits
 * for a limit only before it follows a redirect: the caller decides (docs/architecture.md). A read follows redirects
 * that stay with the service. A write follows none: a proxy's redirect is no proof that nothing happened, and the token
 * goes to nobody else.
 */
import { Client, type Dispatcher, Pool } from 'undici';
import { z } from 'zod';
import { steadyNow } from '../steady-clock';
import { isTooDeep, MOST_LEVELS } from '../text/json-depth';
import { parseBaseUrl } from './base-url';
import { type CallInput, pathOf, wireBody } from './call-input';
import { failureOf, parseJson, redirected, serverTime } from './classify';
import { decoded } from './encoding';
import type { Attempt, Failure } from './failure';
import type { Gate } from './gate';
import { type Exchange, exchange, type HttpRequest } from './http';
import { nextLink } from './paging';
import { doubtEnding, ended, learnEnding, type PathEndings } from './path-endings';
import { queryString } from './query';
import { PAID_MS_MIN, type Reply, type Route, type RouteName, routes } from './routes';
import { at } from './shape';
import { TokenError, type TokenSource } from './token';
import { type About, FailedReply, Undocumented, UnreadableBody } from './undocumented';

const CONNECT_MS = 10_000;
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const MAX_HOPS = 3;
/** The place that a redirect needs comes sooner, also under a limit of seven requests a minute; milliseconds. */
const HOP_WAIT_MS = 10_000;

/** Upper limits of one attempt, milliseconds. */
export interface Timeouts {
  /** Of a call that is paid for or must not happen twice, from its writing on. At least 200,000 unless the service is on this machine. @default the route's */
  readonly paidMs?: number;
  /** Of any other call, where it is shorter than the route's own. */
  readonly unpaidMs?: number;
  /** Until the request is written. @default 10,000 */
  readonly connectMs?: number;
}

/** Options of {@link createAgentApi}. */
export interface AgentApiOptions {
  /** The `{base_url}` of agent-api.md; may have a path prefix. https, except on this machine. */
  readonly baseUrl: string;
  readonly token: TokenSource;
  /** @default every guess as it stands */
  readonly undocumented?: Undocumented;
  /** @deprecated Its name before 0.3. */
  readonly unshown?: Undocumented;
  /** Credits of a route in this account: one that costs any is sent like what must not happen twice. @default none */
  readonly credits?: (route: RouteName) => number;
  readonly timeouts?: Timeouts;
  /** @default 32 MiB */
  readonly maxResponseBytes?: number;
  /**
   * Is told when a request leaves, and whether a 429 or another answer arrives; to wait for a place is the caller's part
   * (S5), but for a redirect.
   */
  readonly gate?: Pick<Gate, 'departed' | 'refused' | 'passed'> & Partial<Pick<Gate, 'acquire'>>;
  /** What several clients of one service learn together of its paths. @default this client's own */
  readonly endings?: PathEndings;
  /** How connections are made: through a proxy, or within a process. @default sockets */
  readonly open?: Open;
}

/** @param how.kept for many requests one after the other; else for a single one */
export type Open = (origin: string, how: { kept: boolean; connectTimeoutMs: number }) => Dispatcher;

const sockets: Open = (origin, { kept, connectTimeoutMs }) => {
  // HTTP/1.1 only: over HTTP/2 undici writes apart from the moment at which it asks (see http.ts).
  const options = { connect: { timeout: connectTimeoutMs }, pipelining: 1, allowH2: false } as const;
  return kept ? new Pool(origin, options) : new Client(origin, options);
};

/** The Agent API of one account. */
export interface AgentApi {
  /**
   * Makes one attempt. What the service or the network does is in the result.
   * @throws InvalidCall when the identifier, the query or the body is not what the route takes; nothing was sent.
   */
  call<N extends RouteName>(name: N, input?: CallInput): Promise<Attempt<Reply<N>>>;
  /** Lets the calls under way end and closes the connections. */
  close(): Promise<void>;
}

/** @throws Error with one sentence when the base address or a time limit is not allowed. */
export function createAgentApi(options: AgentApiOptions): AgentApi {
  const {
    token,
    timeouts = {},
    maxResponseBytes = MAX_RESPONSE_BYTES,
    gate,
    endings = new Map(),
    open = sockets,
  } = options;
  const undocumented = options.undocumented ?? options.unshown ?? Undocumented.parse({});
  const base = parseBaseUrl(options.baseUrl);
  if (!base.loopback && (timeouts.paidMs ?? PAID_MS_MIN) < PAID_MS_MIN)
    throw new Error(`the time limit of paid calls must be at least ${PAID_MS_MIN} ms`);
  const connectMs = timeouts.connectMs ?? CONNECT_MS;
  const pool = open(base.origin, { kept: true, connectTimeoutMs: connectMs });

  const isOnce = (name: RouteName) => routes[name].afterUnknown !== 'resend' || (options.credits?.(name) ?? 0) > 0;
  const timeoutMs = (name: RouteName, once: boolean): number => {
    const own: number = routes[name].timeoutMs;
    return once ? (timeouts.paidMs ?? Math.max(own, PAID_MS_MIN)) : Math.min(own, timeouts.unpaidMs ?? own);
  };

  /** What must not happen twice has a connection of its own: on a kept one the server may close just as the request is written. */
  async function send(once: boolean, request: HttpRequest): Promise<Exchange> {
    if (!once) return exchange(pool, request);
    const left = Math.min(connectMs, (request.writeBy ?? Number.POSITIVE_INFINITY) - steadyNow());
    // A little later than the limit in http.ts, which gives the reason; this one closes the socket.
    const own = open(base.origin, { kept: false, connectTimeoutMs: Math.max(1, Math.ceil(left) + 50) });
    try {
      return await exchange(own, { ...request, headers: { ...request.headers, connection: 'close' } });
    } finally {
      await own.destroy();
    }
  }

  /** S5: a redirect is one more request. @returns why there is no place for it */
  async function hopKeptBy({ rateClass }: Route, { signal }: CallInput): Promise<'tooLate' | 'aborted' | undefined> {
    try {
      const place = await gate?.acquire?.(rateClass, { maxWaitMs: HOP_WAIT_MS, ...(signal && { signal }) });
      return place?.ok === false ? 'tooLate' : undefined;
    } catch (error) {
      if (signal?.aborted) return 'aborted';
      throw error;
    }
  }

  return {
    async call<N extends RouteName>(name: N, input: CallInput = {}) {
      const route: Route = routes[name];
      const asked = base.prefix + pathOf(route, input.id);
      const query = queryString(name, input.query ?? {}, undocumented, input.next);
      const path = ended(endings, name, asked) + query;
      const body = wireBody(route, input);
      const secret = readToken(token);
      if (secret === undefined) return failed({ kind: 'notSent', reason: 'token' }, { endedAt: Date.now() });

      const once = isOnce(name);
      const request: HttpRequest & { path: string } = {
        method: route.method,
        origin: base.origin,
        path,
        headers: headers(secret, body?.contentType),
        ...(body && { body: body.data }),
        connectMs,
        timeoutMs: timeoutMs(name, once),
        writeBy: input.writeBy,
        signal: input.signal,
        maxResponseBytes,
        onWrite: () => {
          input.onWrite?.();
          gate?.departed(route.rateClass);
        },
      };
      let result = decoded(await send(once, request), maxResponseBytes);
      for (let hops = 0; hops < MAX_HOPS && route.method === 'GET'; hops++) {
        const to = redirected(result, base.origin, request.path);
        if (to === undefined) break;
        const reason = await hopKeptBy(route, input);
        if (reason !== undefined) return failed({ kind: 'notSent', reason }, result);
        request.path = to;
        result = decoded(await send(once, request), maxResponseBytes);
      }
      // A write is not sent again, but the next one goes there.
      const elsewhere = route.method === 'GET' ? undefined : redirected(result, base.origin, request.path);
      if (elsewhere !== undefined) learnEnding(endings, name, asked, elsewhere);
      const failure = failureOf(route.method, result, maxResponseBytes);
      if (failure?.kind === 'rejected' && failure.status === 429)
        gate?.refused(
          route.rateClass,
          failure.retryAfterMs === undefined ? undefined : result.endedAt + failure.retryAfterMs,
        );
      else if (isAnswer(failure)) {
        gate?.passed(route.rateClass);
        if (request.path !== path || isReached(failure)) learnEnding(endings, name, asked, request.path);
        else if (isNotThere(failure)) doubtEnding(endings, name);
      }
      return failure
        ? failed(failure, result)
        : read<Reply<N>>(route, result, undocumented, aboutOf(input, result), input.asIs);
    },
    close: () => pool.close(),
  };
}

function readToken(token: TokenSource): string | undefined {
  try {
    return token.read();
  } catch (error) {
    if (error instanceof TokenError) return undefined;
    throw error;
  }
}

const headers = (token: string, contentType: string | undefined): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  accept: 'application/json',
  // Replies are read as they come.
  'accept-encoding': 'identity',
  'user-agent': 'audit-runner',
  ...(contentType !== undefined && { 'content-type': contentType }),
});

function times({ sentAt, endedAt, head }: Pick<Exchange, 'sentAt' | 'endedAt' | 'head'>) {
  const time = serverTime(head);
  return { endedAt, ...(sentAt !== undefined && { sentAt }), ...(time !== undefined && { serverTime: time }) };
}

const failed = (failure: Failure, result: Pick<Exchange, 'sentAt' | 'endedAt' | 'head'>): Attempt<never> => ({
  ok: false,
  failure,
  ...times(result),
});

/** Whether the service itself said what became of the call. */
const isAnswer = (failure: Failure | undefined): boolean =>
  failure === undefined || (failure.kind === 'rejected' && !failure.unproven && failure.status >= 400);

const isRejected = (failure: Failure | undefined, ...statuses: number[]): boolean =>
  failure?.kind === 'rejected' && statuses.includes(failure.status);
/** Of an answer: the record is not there, or the service has no such path. */
const isNotThere = (failure: Failure | undefined): boolean => isRejected(failure, 404, 405);
/** Of an answer: the service has this path. Who asks may be checked before the path is. */
const isReached = (failure: Failure | undefined): boolean => !isNotThere(failure) && !isRejected(failure, 401, 403);

/** What the reader should know of a reply beside its body. */
function aboutOf({ id }: CallInput, { head }: Exchange): About {
  const header = (name: string) => (head?.headers[name] === undefined ? undefined : String(head.headers[name]));
  return { id, headers: { next: nextLink(header('link')), total: header('x-total-count') } };
}

/** A 2xx reply through the route's reader. An empty one has the value undefined. */
function read<R>(route: Route, result: Exchange, undocumented: Undocumented, about: About, asIs = false): Attempt<R> {
  const status = result.head?.status ?? 0;
  const unreadable = (problem: string, garbled = false) =>
    failed({ kind: 'unreadable', status, problem, ...(garbled && { garbled }) }, result);
  const body = result.ending.kind === 'complete' ? result.ending.body : Buffer.alloc(0);
  const json = body.length === 0 ? { value: undefined } : parseJson(body);
  if (json === undefined) return unreadable('the reply is not JSON', true);
  if (isTooDeep(json.value)) return unreadable(`the reply is nested deeper than ${MOST_LEVELS} levels`);
  const saidToFail = () => failed({ kind: 'unknown', reason: 'saysFailed', status }, result);
  if (isWithoutSuccess(json.value)) return saidToFail();
  try {
    return {
      ok: true,
      status,
      value: (asIs ? json.value : route.read(json.value, undocumented, about)) as R,
      body: json.value,
      ...times(result),
    };
  } catch (error) {
    if (body.length === 0) return unreadable('the reply is empty', true);
    if (error instanceof FailedReply) return saidToFail();
    if (error instanceof UnreadableBody) return unreadable(error.message);
    if (error instanceof z.ZodError) return unreadable(shapeProblem(error));
    throw error;
  }
}

/** A success by its status and a failure by its words proves neither; what it did is looked up (S2). */
const isWithoutSuccess = (body: unknown): boolean =>
  at(body, 'success') === false && (at(body, 'data') ?? null) === null;

/** Names the fields that are wrong; zod's own messages name kinds of values, not the values (S4). */
const shapeProblem = (error: z.ZodError): string =>
  `the reply is not what the document shows: ${error.issues
    .slice(0, 3)
    .map(({ path, message }) => `'${path.join('.')}': ${message}`)
    .join('; ')}`;
