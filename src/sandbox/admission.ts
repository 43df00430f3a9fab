import type { IncomingMessage } from 'node:http';
import { routes } from '../agent-api/routes';
import type { Clock } from './clock';
import type { Limits } from './limits';
import type { Settings } from './options';
import { Refusal } from './refusal';
import { match, type Target } from './router';
import type { Token, User } from './rows';
import type { Store } from './store';

/** Switches of the operator. */
export interface Switches {
  /** The agent API kill switch: off answers 503 `PAT_DISABLED`. */
  agentApi: boolean;
  /** Whether the service's AI provider key works. */
  aiKey: boolean;
  projectsListed: Settings['projectsListed'];
  marks: Settings['marks'];
}

/** A request that passed. */
export interface Admission {
  target: Target;
  user: User;
}

const TOKEN_FORM = /^aky_[0-9A-Za-z]{32}$/;

/**
 * agent-api.md, "Authentication": who may call what. The order of the checks is not shown; what can be told without a
 * lookup comes first, and only a request that may be answered uses up its rate class.
 */
export class Gate {
  constructor(
    private readonly settings: Settings,
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly limits: Limits,
    private readonly switches: Switches,
  ) {}

  /** @throws Refusal: 401, 403, 404, 429 or 503. */
  admit(request: IncomingMessage, pathname: string): Admission {
    const method = request.method ?? 'GET';
    const target = match(method, pathname);
    const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    return bearer === undefined
      ? this.admitSession(request.headers.cookie ?? '', target)
      : this.admitToken(bearer, method, pathname, target);
  }

  private admitSession(cookie: string, target: Target | undefined): Admission {
    const session = /(?:^|;\s*)session=([^;]+)/.exec(cookie)?.[1];
    const user = session === undefined ? undefined : this.store.userOfSession(session);
    if (user === undefined || target?.kind === 'agent') throw new Refusal(401, 'Unauthorized');
    if (target === undefined) throw new Refusal(404, 'Not found');
    return { target, user };
  }

  private admitToken(bearer: string, method: string, pathname: string, target: Target | undefined): Admission {
    if (!TOKEN_FORM.test(bearer)) throw new Refusal(401, 'Malformed access token', { code: 'PAT_MALFORMED' });
    if (!this.switches.agentApi) throw new Refusal(503, 'The agent API is disabled', { code: 'PAT_DISABLED' });
    const token = this.store.token(bearer);
    const user = token === undefined ? undefined : this.store.users.get(token.userId);
    if (token === undefined || user === undefined || !this.store.isActive(token, this.clock.wall()))
      throw new Refusal(401, 'Invalid or expired access token');
    token.lastUsedAt = this.clock.iso();
    if (target?.kind === 'browser')
      throw new Refusal(403, 'This endpoint needs a browser session', { code: 'PAT_NOT_SUPPORTED_FOR_ENDPOINT' });
    if (target === undefined || !this.isAllowed(target))
      throw new Refusal(403, `${method} ${pathname} is not available to access tokens`, {
        code: 'PAT_ROUTE_NOT_ALLOWED',
      });
    this.checkScope(token, target);
    this.limits.admit(token.id, target.rateClass);
    return { target, user };
  }

  private isAllowed(target: Target & { kind: 'agent' }): boolean {
    const { allowlist } = routes[target.name];
    if (allowlist === 'no') return this.settings.documentsRoute === 'allowed';
    if (allowlist === 'unclear') return this.settings.noteRoute === 'allowed';
    return true;
  }

  private checkScope(token: Token, { scope }: Target & { kind: 'agent' }): void {
    if (scope === 'write' && !token.scopes.includes('write'))
      throw new Refusal(403, 'Missing scopes: write', { code: 'PAT_SCOPE_INSUFFICIENT' });
  }
}
