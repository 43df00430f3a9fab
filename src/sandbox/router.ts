import { idKey } from '../agent-api/id';
import type { RateClass } from '../agent-api/rate-class';
import { type Route, type RouteName, routes } from '../agent-api/routes';

/** Routes of the web app that need a browser session; the document names only the creation of a token. */
export const browserRoutes = {
  'apiKeys.list': { method: 'GET', path: '/api/user/api-keys' },
  'apiKeys.revoke': { method: 'DELETE', path: '/api/user/api-keys/{id}' },
  'webhooks.list': { method: 'GET', path: '/api/user/webhooks' },
  'webhooks.create': { method: 'POST', path: '/api/user/webhooks' },
  'webhooks.delete': { method: 'DELETE', path: '/api/user/webhooks/{id}' },
  'webhooks.deliveries': { method: 'GET', path: '/api/user/webhook-deliveries' },
  'webhooks.replay': { method: 'POST', path: '/api/user/webhook-deliveries/{id}/replay' },
} as const;
export type BrowserRouteName = keyof typeof browserRoutes | 'apiKeys.create';

/** Where a request goes. */
export type Target =
  | { kind: 'agent'; name: AgentRouteName; id: string; scope: Route['scope']; rateClass: RateClass }
  | { kind: 'browser'; name: BrowserRouteName; id: string };
/** Routes that a token can call at all. */
export type AgentRouteName = Exclude<RouteName, 'apiKeys.create'>;

const isAgentRouteName = (name: string): name is AgentRouteName =>
  name !== 'apiKeys.create' && Object.hasOwn(routes, name);
const isBrowserRouteName = (name: string): name is BrowserRouteName => Object.hasOwn(browserRoutes, name);

const names = new Map<string, string>(
  Object.entries({ ...browserRoutes, ...routes }).map(([name, { method, path }]) => [`${method} ${path}`, name]),
);

/** The methods that exist on a path. */
export const methodsOf = (pathname: string): string[] =>
  ['GET', 'POST', 'PATCH', 'DELETE'].filter((method) => match(method, pathname) !== undefined);

/**
 * The route of a request, or undefined when no such route exists. HEAD is answered as GET is; OPTIONS needs no scope
 * whatever the path's methods need.
 */
export function match(method: string, pathname: string): Target | undefined {
  if (method === 'OPTIONS') {
    const [first] = methodsOf(pathname);
    const route = first === undefined ? undefined : match(first, pathname);
    return route?.kind === 'agent' ? { ...route, scope: 'none', rateClass: 'reads' } : route;
  }
  const verb = method === 'HEAD' ? 'GET' : method;
  const exact = names.get(`${verb} ${pathname}`);
  if (exact !== undefined) return target(exact, '');
  const segments = pathname.split('/');
  for (const [index, segment] of segments.entries()) {
    const name = segment === '' ? undefined : names.get(`${verb} ${segments.with(index, '{id}').join('/')}`);
    if (name !== undefined) return target(name, idKey(segment));
  }
  return undefined;
}

function target(name: string, id: string): Target | undefined {
  if (name === 'apiKeys.create' || isBrowserRouteName(name)) return { kind: 'browser', name, id };
  if (!isAgentRouteName(name)) return undefined;
  const { scope, rateClass } = routes[name];
  return { kind: 'agent', name, id, scope, rateClass };
}
