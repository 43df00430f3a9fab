/** Which routes `callApi` may call: whoever reaches Temporal may start it, with any route. */
import { closest } from 'fastest-levenshtein';
import { z } from 'zod';
import { type RouteName, routes } from '../agent-api/routes';
import { PROGRAM } from '../text/command';

const groupOf = (route: string) => `${route.slice(0, route.indexOf('.'))}.*`;
const NAMES = Object.keys(routes);
const ALLOWABLE = ['*', ...new Set(NAMES.map(groupOf)), ...NAMES];

const AllowedRoute = z
  .string()
  .superRefine((name, context) => {
    if (ALLOWABLE.includes(name)) return;
    context.addIssue(
      `there is no route '${name}'; did you mean '${closest(name, ALLOWABLE)}'? \`${PROGRAM} api\` lists all routes`,
    );
  })
  .meta({ allowed: 'the name of a route, `contacts.*` for those of a group, or `*`' });

/** The setting `callApi` of an account. */
export const CallApiFile = z.strictObject({
  allow: z
    .array(AllowedRoute)
    .default(['*'])
    .describe(
      'Routes that runs of callApi may call: their names, `contacts.*` for those of a group, `*` for all. One that deletes is allowed by its full name alone, for example ["*", "contacts.delete"]; [] allows none.',
    ),
});

export const deletes = (route: RouteName): boolean => routes[route].method === 'DELETE';

/** Whether `allow` has the route. */
export function isAllowed(allow: readonly string[], route: RouteName): boolean {
  if (allow.includes(route)) return true;
  return !deletes(route) && (allow.includes('*') || allow.includes(groupOf(route)));
}

/** Why `callApi` does not call a route for this account, and what would change that; one sentence. */
export const notAllowed = (account: string, route: RouteName): string =>
  `route '${route}' is not allowed for callApi${deletes(route) ? ': it deletes, and is off until the configuration names it' : ' by the configuration'} (add '${route}' to accounts.${account}.callApi.allow and restart the workers).`;
