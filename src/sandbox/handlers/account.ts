import { ok } from '../refusal';
import type { HandlersOf, Service } from '../service';
import { balanceAt } from '../user-balance';

/** agent-api.md, "Account". */
export const accountHandlers = ({ shapes, settings, clock }: Service): HandlersOf<'account'> => ({
  'account.user': ({ user }) => ok(shapes.user(user)),
  'account.tier': ({ user }) => ok(shapes.tier(user)),
  'account.credits': ({ user }) => {
    const shown = balanceAt(user, clock.wall() - clock.scaled(settings.balanceLagMs));
    return ok(shapes.credits(shown, settings.credits));
  },
});
