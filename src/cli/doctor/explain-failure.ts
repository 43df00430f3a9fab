/** What a failed call means for whoever set the account up. Pure. */
import type { Failure } from '../../agent-api/failure';
import { type RouteName, routes } from '../../agent-api/routes';

export interface Problem {
  found: string;
  mend: string;
  /** Every further call would fail the same way; why. */
  stop?: string;
  /** What is wrong, where that is not what was asked for. */
  about?: string;
}

/** The documented route that every token may use: when it is not there, nothing is. */
const FIRST: RouteName = 'account.user';

export function explain(route: RouteName, baseUrl: string, failure: Failure): Problem {
  const { method, path } = routes[route];
  const where = `${method} ${baseUrl}${path}`;
  const mend = `check the base address ${baseUrl}: it is what stands before /api`;
  const elsewhere = route === FIRST ? { stop: 'the base address seems to be wrong' } : {};
  switch (failure.kind) {
    case 'notSent':
      if (failure.reason === 'tooLate')
        return { found: `${where} is redirected, and the limit lets no further read through yet`, mend: 'try again' };
      return {
        found: `${where} cannot be reached (${failure.reason})`,
        mend,
        stop: 'the base address cannot be reached',
      };
    case 'unknown':
      return {
        found: `${where} gave no answer that can be used (${failure.reason})`,
        mend: 'the service fails: try again',
      };
    case 'unreadable':
      if (failure.problem.includes('not JSON')) return { found: `${where}: ${failure.problem}`, mend, ...elsewhere };
      return { found: failure.problem, mend: mendUnreadable(failure.problem) };
    case 'rejected':
      if (route === FIRST && (failure.status === 404 || failure.code === 'PAT_ROUTE_NOT_ALLOWED'))
        return { found: refusal(where, failure), mend, ...elsewhere };
      return refused(where, failure);
  }
}

type Rejected = Extract<Failure, { kind: 'rejected' }>;

const refusal = (where: string, { status, code }: Rejected) =>
  `${where} was refused: ${status}${code ? ` ${code}` : ''}`;

function refused(where: string, failure: Rejected): Problem {
  const { status, code, requiredTier, currentTier, upgradeUrl, retryAfterMs = 60_000 } = failure;
  const found = refusal(where, failure);
  if (code === 'PAT_DISABLED')
    return {
      about: 'kill switch',
      found: `${found}: the service has switched its agent API off`,
      mend: 'wait: runs wait as well, and go on by themselves',
      stop: 'the kill switch is on',
    };
  if (status === 401)
    return {
      found,
      mend: 'create a new token in the web app (scopes read and write) and put it in its place',
      stop: 'the token is not accepted',
    };
  if (requiredTier)
    return {
      found: `${found}: the plan${currentTier ? ` ${currentTier}` : ''} is too low`,
      mend: `the plan ${requiredTier} is needed${upgradeUrl ? `: ${upgradeUrl}` : ''}`,
    };
  if (code === 'PAT_ROUTE_NOT_ALLOWED') return { found, mend: 'the service does not let tokens use this route' };
  if (status === 429) return { found, mend: `the limit is used up: try again in ${Math.ceil(retryAfterMs / 1_000)} s` };
  return { found, mend: `see ${status} under 'Errors' in the document of the API` };
}

/** A reader's message names the setting that corrects its guess. */
function mendUnreadable(problem: string): string {
  const setting = /'(undocumented\.[\w.]+)'/.exec(problem)?.[1];
  return setting
    ? `say where it is in the account's configuration: ${setting}`
    : "correct the guess under 'undocumented' in the account's configuration";
}
