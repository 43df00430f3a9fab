import { createHash } from 'node:crypto';
import { type RouteName, routes } from '../agent-api/routes';
import type { Clock } from './clock';
import { Refusal } from './refusal';
import type { User } from './rows';
import { setBalance } from './user-balance';

/** One deduction. */
export interface Payment {
  userId: string;
  /** `lead:{id}`, or `project:` with the client's name and a hash of the whole body. */
  subject: string;
  at: string;
  credits: number;
  /** Through a token, or by a person in the web app. */
  by: 'agent' | 'person';
}

export const leadSubject = (leadId: string) => `lead:${leadId}`;

/** Two projects with the same body are the same subject: what a reference in the description tells apart is not. */
export function projectSubject(body: { clientName: string }): string {
  const canonical = JSON.stringify(Object.entries(body).sort(([one], [two]) => (one < two ? -1 : 1)));
  return `project:${body.clientName}#${createHash('sha256').update(canonical).digest('hex').slice(0, 12)}`;
}

/** The books: what was paid for what, and what was paid for more than once. */
export class Payments {
  readonly all: Payment[] = [];
  private readonly inFlight = new Map<string, number>();
  private readonly inFlightLargest = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Deducts a route's price, or changes nothing. @throws 402 */
  charge(user: User, route: RouteName, subject: string, by: Payment['by'] = 'agent'): number {
    const { credits } = routes[route];
    if (user.credits < credits) throw new Refusal(402, 'Insufficient credits');
    setBalance(user, user.credits - credits, this.clock.wall());
    this.all.push({ userId: user.id, subject, at: this.clock.iso(), credits, by });
    return credits;
  }

  /** A request that pays for a subject, if for any, has arrived; returns what to call when it can have no more effect. */
  begin(subject: string | undefined): () => void {
    if (subject === undefined) return () => {};
    const now = (this.inFlight.get(subject) ?? 0) + 1;
    this.inFlight.set(subject, now);
    this.inFlightLargest.set(subject, Math.max(now, this.inFlightLargest.get(subject) ?? 0));
    return () => {
      this.inFlight.set(subject, (this.inFlight.get(subject) ?? 1) - 1);
    };
  }

  /** Subjects that more than one payment was made for. */
  twice(): { subject: string; times: number; credits: number }[] {
    const subjects = new Map<string, { subject: string; times: number; credits: number }>();
    for (const { userId, subject, credits } of this.all) {
      const entry = subjects.get(`${userId} ${subject}`) ?? { subject, times: 0, credits: 0 };
      subjects.set(`${userId} ${subject}`, { subject, times: entry.times + 1, credits: entry.credits + credits });
    }
    return [...subjects.values()].filter(({ times }) => times > 1);
  }

  /** Subjects that several paid requests were in flight for at the same time, late commits included. */
  overlapping(): { subject: string; requests: number }[] {
    return [...this.inFlightLargest]
      .filter(([, requests]) => requests > 1)
      .map(([subject, requests]) => ({ subject, requests }));
  }

  spent(userId: string): number {
    return sum(this.all.filter((payment) => payment.userId === userId));
  }
}

const sum = (payments: readonly Payment[]) => payments.reduce((total, { credits }) => total + credits, 0);
