/** A ledger's answers to the queries `status` and `obstacle`. */
import * as policy from '../../src/ledger';
import type { LedgerStatus, Obstacle, ObstacleAsked } from '../../src/ledger/messages';

export function statusOf(state: policy.LedgerState, now: number): LedgerStatus {
  const available = policy.available(state);
  const balance = policy.balance(state);
  const booksTrouble = policy.booksTrouble(state, now);
  return {
    account: state.account,
    ...(balance !== undefined && { balance }),
    ...(available !== undefined && { available }),
    reserved: policy.reservedCredits(state),
    spentToday: policy.spentOn(state, now),
    spentThisMonth: policy.spentInMonth(state, now),
    elsewhere: state.elsewhere,
    ...(state.unreadable && { unreadable: state.unreadable }),
    budget: policy.budgetInForce(state, now),
    ...(booksTrouble !== undefined && { booksTrouble }),
    dearer: policy.dearer(state),
    ...(state.funds?.askedAt !== undefined && { balanceAskedAt: state.funds.askedAt }),
    ...(state.funds?.amount !== undefined && { balanceRead: state.funds.amount }),
    holds: state.holds,
    parked: Object.fromEntries(Object.entries(state.parked).filter(([, until]) => until > now)),
    ...(state.turns && { takesTurns: true }),
    ...(state.parksEndedAt !== undefined && { parksEndedAt: state.parksEndedAt }),
    ...(state.configuredAt !== undefined && { configuredAt: state.configuredAt }),
    ...(state.restingSince !== undefined && { restingSince: state.restingSince }),
    open: Object.entries(state.flights.open).map(([subject, { run, grantedAt, overAt }]) => ({
      subject,
      run,
      grantedAt,
      overAt,
    })),
    ...policy.patientUntil(state, now),
  };
}

export function obstacleOf(state: policy.LedgerState, { credits: said, call }: ObstacleAsked, now: number): Obstacle {
  const credits = call ? policy.reservation(state, call.subject, call.credits) : said;
  const obstacle = policy.obstacle(state, credits, now, call?.subject);
  if (obstacle?.kind !== 'capped') return obstacle ?? { kind: 'none', credits };
  const { account, budget, spentToday, spentThisMonth, reserved, available, unreadable } = statusOf(state, now);
  const figures = { account, budget, spentToday, spentThisMonth, reserved };
  const ofBalance = { ...(available !== undefined && { available }), ...(unreadable && { unreadable }) };
  return { ...obstacle, figures: { ...figures, ...ofBalance } };
}
