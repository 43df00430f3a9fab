import { z } from 'zod';
import { badRequest, found, ok, Refusal } from '../refusal';
import type { Token } from '../rows';
import { newToken } from '../seed';
import type { BrowserHandlers, Service } from '../service';

/** agent-api.md, "Limits". */
const MAX_ACTIVE = 10;
const Scope = z.enum(['read', 'write']);
const Create = z.object({
  label: z.string().trim().min(1).max(100),
  scopes: z.array(z.unknown()).optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});

/** agent-api.md, "Access tokens (browser session only)". */
export function apiKeyHandlers({
  store,
  clock,
  random,
}: Service): Pick<BrowserHandlers, `apiKeys.${'list' | 'create' | 'revoke'}`> {
  return {
    'apiKeys.list': ({ user }) => ok({ apiKeys: store.tokensOf(user.id).map(shownToken) }),
    'apiKeys.create': ({ user, body }) => {
      const parsed = Create.safeParse(body);
      if (!parsed.success) throw badRequest(`Invalid token: ${z.prettifyError(parsed.error)}`);
      const { label, expiresAt, scopes: wanted = ['read'] } = parsed.data;
      const scopes = Scope.options.filter((scope) => wanted.includes(scope));
      if (scopes.length === 0) throw badRequest('No valid scope');
      const active = store.tokensOf(user.id).filter((token) => store.isActive(token, clock.wall()));
      if (active.length >= MAX_ACTIVE) throw new Refusal(409, `At most ${MAX_ACTIVE} active tokens`);
      const token = newToken(store, random, clock, user, { label, scopes, expiresAt });
      return ok({ ...shownToken(token), plaintext: token.plaintext }, 201);
    },
    'apiKeys.revoke': ({ user, id }) => {
      const token = found(
        store.tokensOf(user.id).find((one) => one.id === id),
        'Access token',
      );
      token.revokedAt ??= clock.iso();
      return ok(shownToken(token));
    },
  };
}

/** Everything but the token itself, which is shown once. */
function shownToken({ plaintext, userId: _, ...token }: Token) {
  return { ...token, tokenPrefix: plaintext.slice(0, 6) };
}
