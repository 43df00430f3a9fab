/** One configured account with everything resolved. */
import { resolve } from 'node:path';
import type { AgentApiOptions } from '../agent-api/client';
import type { Limit } from '../agent-api/limiter';
import { factsOf, perClass, queueClassOf, type RateClass } from '../agent-api/rate-class';
import type { RouteName } from '../agent-api/routes';
import { type TokenSource, tokenFromEnv, tokenFromFile } from '../agent-api/token';
import type { Undocumented } from '../agent-api/undocumented';
import { expandHome } from '../system';
import { isAllowed } from './call-routes';
import { type AccountFile, creditsOf } from './schema';

/** Milliseconds, after `speed`. */
export type Timing = AccountFile['timing'];

/** An account as the rest of the program uses it. */
export interface Account {
  readonly name: string;
  readonly baseUrl: string;
  readonly token: TokenSource;
  readonly undocumented: Undocumented;
  /** After `speed`. */
  readonly limits: Readonly<Record<RateClass, Limit>>;
  /** Credits of one success. */
  credits(route: RouteName): number;
  /** Whether `callApi` may call the route. */
  mayCall(route: RouteName): boolean;
  readonly timing: Readonly<Timing>;
  /** Credits; null is no ceiling. */
  readonly budget: AccountFile['budget'];
  readonly timeZone: string;
  /** Which names people are shown. */
  readonly showNames: AccountFile['showNames'];
  readonly speed: number;
}

/** A process cannot promise less between a grant and the writing of a request, however fast the sandbox's clock is. */
const SEND_WINDOW_MIN_MS = 1_000;

/** `folder` is where a relative token file begins. */
export function toAccount(
  name: string,
  file: AccountFile,
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Account {
  const faster = (ms: number) => Math.max(1, Math.round(ms / file.speed));
  const limit = ({ max, windowMs }: Limit): Limit => ({ max, windowMs: faster(windowMs) });
  const { timing } = file;
  return {
    name,
    baseUrl: file.baseUrl,
    token:
      file.tokenFile === undefined
        ? tokenFromEnv(env, file.tokenEnv ?? '')
        : tokenFromFile(resolve(folder, expandHome(file.tokenFile))),
    undocumented: file.undocumented,
    limits: perClass((rateClass) => limit(limitOf(file.limits, rateClass))),
    credits: (route) => creditsOf(file, route),
    mayCall: (route) => isAllowed(file.callApi.allow, route),
    timing: {
      paidTimeoutMs: faster(timing.paidTimeoutMs),
      sendWindowMs: Math.max(SEND_WINDOW_MIN_MS, faster(timing.sendWindowMs)),
      settlingMs: faster(timing.settlingMs),
      holdProbeMs: faster(timing.holdProbeMs),
      pollMs: faster(timing.pollMs),
    },
    budget: file.budget,
    timeZone: file.timeZone,
    showNames: file.showNames,
    speed: file.speed,
  };
}

/** What `createAgentApi` takes from an account; add the gate that its process shares. */
export const apiOptions = ({ baseUrl, token, undocumented, credits, timing }: Account): AgentApiOptions => ({
  baseUrl,
  token,
  undocumented,
  credits,
  timeouts: { paidMs: timing.paidTimeoutMs },
});

/** The configured limit of a class, or the document's; of one that the document does not show, that of its queue. */
function limitOf(limits: AccountFile['limits'], rateClass: RateClass): Limit {
  const { limit, notShown } = factsOf(rateClass);
  return limits[rateClass] ?? (notShown ? limitOf(limits, queueClassOf(rateClass)) : limit);
}
