/** What an exchange proves about the effect of its call. Pure. */
import { hasToken } from '../redact';
import type { Failure } from './failure';
import type { Exchange, ResponseHead } from './http';
import { parseHttpDate, parseRetryAfter } from './retry-after';
import { at, isObject } from './shape';

type NotSent = Extract<Failure, { kind: 'notSent' }>['reason'];

const NOT_SENT: Record<string, NotSent> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ETIMEDOUT: 'connectTimeout',
  UND_ERR_CONNECT_TIMEOUT: 'connectTimeout',
};
const TLS = /^(ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_)|CERT|_CRL_/;

function notSent({ ending }: Exchange): Failure {
  if (ending.kind === 'tooLate' || ending.kind === 'aborted') return { kind: 'notSent', reason: ending.kind };
  const code = ending.kind === 'lost' ? ending.code : '';
  return { kind: 'notSent', reason: NOT_SENT[code] ?? (TLS.test(code) ? 'tls' : 'unreachable') };
}

const header = (head: ResponseHead, name: string): string | undefined => {
  const value = head.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** The server's time by the `Date` header, milliseconds since the epoch; undefined without a valid one. */
export const serverTime = (head: ResponseHead | undefined): number | undefined =>
  head && parseHttpDate(header(head, 'date') ?? '');

/** A JSON body, or undefined when it is none. A byte order mark is ignored. */
export function parseJson(body: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder().decode(body)) };
  } catch {
    return undefined;
  }
}

/**
 * agent-api.md, "Errors": a JSON object, whose `error` text is never handed on (S4). The object is what proves that the
 * service itself refused; implementations that name its fields otherwise, or list several, refuse all the same.
 */
function errorBody({ ending }: Exchange): Record<string, unknown> | undefined {
  const body = ending.kind === 'complete' && ending.body.length > 0 ? parseJson(ending.body) : undefined;
  const [only] = Array.isArray(body?.value) ? body.value : [body?.value];
  return isObject(only) ? only : undefined;
}

/** Statuses by which a service says who may not pass: even without a body nothing behind the gate has happened. */
const GATE = [401, 402, 403];

/** A short word of the API such as a code or a tier; anything that could be a sentence or a secret is dropped (S4). */
const word = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Za-z][\w.+-]{0,63}$/.test(value) && !hasToken(value) ? value : undefined;

/** An address without what could be a secret in its query (S4). */
function address(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 200 || !URL.canParse(value)) return undefined;
  const { protocol, origin, pathname } = new URL(value);
  return protocol === 'https:' && !hasToken(pathname) ? origin + pathname : undefined;
}

/** agent-api.md, "Authentication" 10: the text lists them; of it only these two words are handed on. */
const scopesIn = (text: unknown) => {
  const found = (['read', 'write'] as const).filter((scope) => new RegExp(`\\b${scope}\\b`).test(String(text)));
  return found.length > 0 ? found : undefined;
};

/** agent-api.md, "Errors"; some services have it in an object. */
const codeOf = (error: Record<string, unknown> | undefined) => word(error?.code) ?? word(at(error, 'error.code'));

function rejected(
  head: ResponseHead,
  error: Record<string, unknown> | undefined,
  empty: boolean,
  endedAt: number,
): Failure {
  const code = codeOf(error);
  const requiredTier = word(error?.requiredTier);
  const currentTier = word(error?.currentTier);
  const upgradeUrl = address(error?.upgradeUrl);
  const missingScopes = code === 'PAT_SCOPE_INSUFFICIENT' ? scopesIn(error?.error) : undefined;
  const retryAfterMs = parseRetryAfter(header(head, 'retry-after') ?? '', serverTime(head) ?? endedAt);
  return {
    kind: 'rejected',
    status: head.status,
    ...(error === undefined && { unproven: true }),
    ...(empty && { empty }),
    ...(code !== undefined && { code }),
    ...(requiredTier !== undefined && { requiredTier }),
    ...(currentTier !== undefined && { currentTier }),
    ...(upgradeUrl !== undefined && { upgradeUrl }),
    ...(missingScopes !== undefined && { missingScopes }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** The failure of an exchange; undefined when a 2xx reply arrived whole. */
export function failureOf(method: string, exchange: Exchange, maxResponseBytes: number): Failure | undefined {
  const { head, ending } = exchange;
  if (exchange.sentAt === undefined) return notSent(exchange);
  if (head === undefined) return { kind: 'unknown', reason: ending.kind === 'timeout' ? 'timeout' : 'connectionLost' };
  const { status } = head;
  if (status < 300) {
    if (ending.kind === 'complete') return undefined;
    if (ending.kind === 'tooLarge')
      return { kind: 'unreadable', status, problem: `the reply is larger than ${maxResponseBytes} bytes` };
    return { kind: 'unknown', reason: ending.kind === 'timeout' ? 'timeout' : 'connectionLost', status };
  }
  const error = errorBody(exchange);
  const empty = ending.kind === 'complete' && ending.body.length === 0;
  const asRejected = () => rejected(head, error, empty, exchange.endedAt);
  // A limiter refuses before it hands on, whatever it writes into the body.
  if (status === 429) return asRejected();
  if (status >= 500)
    return status === 503 && codeOf(error) === 'PAT_DISABLED'
      ? asRejected()
      : { kind: 'unknown', reason: 'serverError', status };
  // The time limit of the service, not of the work that it began: agent-api.md, "Errors", 408 or 504.
  if (status === 408) return { kind: 'unknown', reason: 'timeout', status };
  if (method === 'GET' || (empty && GATE.includes(status))) return asRejected();
  // A redirect, or a page of something in between, does not prove that the service did nothing.
  return status >= 400 && error !== undefined ? asRejected() : { kind: 'unknown', reason: 'unprovenBody', status };
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** Where a reply sends a read: the path, where that is of the same service; undefined for any other reply or place. */
export function redirected({ head, ending }: Exchange, origin: string, path: string): string | undefined {
  if (head === undefined || ending.kind !== 'complete' || !REDIRECTS.includes(head.status)) return undefined;
  const to = header(head, 'location') ?? '';
  if (!URL.canParse(to, origin + path)) return undefined;
  const url = new URL(to, origin + path);
  return url.origin === origin ? url.pathname + url.search : undefined;
}
