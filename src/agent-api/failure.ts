/**
 * How one attempt against the Agent API can fail. The four kinds differ in what is known about the effect of the call,
 * which is all that paying once needs to know (S1–S3). No failure carries a body, a token or the API's own text (S4).
 */
export type Failure =
  /** The request never left, or the one to which a read was redirected did not: nothing happened. */
  | {
      kind: 'notSent';
      reason: 'refused' | 'dns' | 'connectTimeout' | 'tls' | 'tooLate' | 'aborted' | 'token' | 'unreachable';
    }
  /**
   * The request left and no answer proves what became of it. `saysFailed`: 2xx with `success: false` and no data, or with an
   * error and no record.
   */
  | {
      kind: 'unknown';
      reason: 'connectionLost' | 'timeout' | 'serverError' | 'unprovenBody' | 'saysFailed';
      status?: number;
    }
  /** The service answered with a JSON error of the documented shapes, or a gate refused: nothing happened. */
  | {
      kind: 'rejected';
      status: number;
      /** Without a JSON object, so the word may be that of something in between and says nothing about the service. */
      unproven?: true;
      /** With no body at all: something in between writes a page of its own, so this is more likely the service. */
      empty?: true;
      code?: string;
      /** The tier that a 403 names. */
      requiredTier?: string;
      /** The tier that the account has, by the same reply, and where it can be changed. */
      currentTier?: string;
      upgradeUrl?: string;
      /** Scopes that the token lacks. */
      missingScopes?: ('read' | 'write')[];
      /** Milliseconds from `Retry-After`, given as seconds or as a date; absent when the header is. */
      retryAfterMs?: number;
    }
  /**
   * 2xx, but the body is not what the route returns. For a paid call that is money spent (S3). `garbled`: it is empty or no
   * JSON at all, so it says nothing about the shapes that this service has.
   */
  | { kind: 'unreadable'; status: number; problem: string; garbled?: true };

/**
 * One attempt's result: what the route's reader made of the reply, and the reply as it came (undefined for an empty one).
 * Times are wall-clock milliseconds; `serverTime` comes from the `Date` header (clock skew).
 */
export type Attempt<T> = ({ ok: true; status: number; value: T; body: unknown } | { ok: false; failure: Failure }) & {
  /** When the request was about to be written; absent when it never left. */
  sentAt?: number;
  endedAt: number;
  serverTime?: number;
};

const DOUBTS: Readonly<Record<Extract<Failure, { kind: 'unknown' }>['reason'], string>> = {
  connectionLost: 'the connection broke before the whole reply was there',
  timeout: 'no reply came in time',
  serverError: 'the service failed',
  unprovenBody:
    'what came back is no reply of the service, but a redirect, or the page of something in between such as a firewall',
  saysFailed: 'the reply says that the call failed, in spite of its status',
};

/** Why nobody knows what became of a call, for people: our own words and the status. */
export const describeDoubt = ({ reason, status }: Extract<Failure, { kind: 'unknown' }>): string =>
  `${DOUBTS[reason]}${status === undefined ? '' : ` (HTTP ${status})`}`;
