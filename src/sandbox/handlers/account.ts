import { ok } from '../refusal';
import type { HandlersOf, Service } from '../service';

/** agent-api.md, "Account". */
export const accountHandlers = ({ shapes, settings }: Service): HandlersOf<'account'> => ({
  'account.user': ({ user }) => ok(shapes.user(user)),
  'account.tier': ({ user }) => ok(shapes.tier(user)),
  'account.credits': ({ user }) => ok(shapes.credits(user, settings.credits)),
});
