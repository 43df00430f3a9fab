/** Query parameters by their meaning, turned into the names that go over the wire. */
import { closest } from 'fastest-levenshtein';
import { InvalidCall } from './invalid-call';
import { type Route, type RouteName, routes } from './routes';
import type { Undocumented } from './undocumented';

/** Parameters by meaning, for example `{ surveyLink, limit }`; undefined ones are not sent. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** Wire names of the parameters whose names the document does not show; undefined: not sent at all. */
const WIRE_NAMES: Partial<Record<RouteName, (undocumented: Undocumented) => Record<string, string | undefined>>> = {
  'leads.list': ({ leadsList }) => leadsList,
  'projects.list': ({ projectsList: { limit, offset, page, paging } }) =>
    paging === 'send' ? { limit, offset, page } : { limit: undefined, offset: undefined, page: undefined },
  'captures.list': ({ capturesList }) => capturesList,
  'memories.list': ({ memoriesList }) => memoriesList,
};

/**
 * The query string with its `?`, or nothing. A route whose parameters are listed in the table takes no others; where the
 * document shows none at all, they go out as they are given.
 * @param next the query of the next page as the service wrote it, which wins
 * @throws InvalidCall for a parameter that the route does not take.
 */
export function queryString(name: RouteName, query: Query, undocumented: Undocumented, next = ''): string {
  const route: Route = routes[name];
  const wireNames = WIRE_NAMES[name]?.(undocumented) ?? {};
  const params = new URLSearchParams();
  for (const [meaning, value] of Object.entries(query)) {
    if (route.query !== undefined && !route.otherQuery && !route.query.includes(meaning))
      throw new InvalidCall(
        route,
        `no query parameter '${meaning}'; did you mean '${closest(meaning, [...route.query])}'? It takes ${route.query.join(', ')}`,
      );
    const wireName = Object.hasOwn(wireNames, meaning) ? wireNames[meaning] : meaning;
    if (value !== undefined && wireName !== undefined) params.append(wireName, String(value));
  }
  const given = new URLSearchParams(next);
  for (const key of new Set(given.keys())) params.delete(key);
  for (const [key, value] of given) params.append(key, value);
  return params.size === 0 ? '' : `?${params}`;
}
