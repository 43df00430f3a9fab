import type { User } from './rows';

/** Changes the balance, and remembers what it was. @param at wall time, milliseconds */
export function setBalance(user: User, credits: number, at: number): void {
  user.balanceBefore.push({ credits: user.credits, until: at });
  user.credits = credits;
}

/** The balance as it was at a moment. */
export const balanceAt = (user: User, at: number): number =>
  user.balanceBefore.find(({ until }) => until > at)?.credits ?? user.credits;
