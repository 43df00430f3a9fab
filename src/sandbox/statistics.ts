import { perClass, type RateClass } from '../agent-api/rate-class';
import type { Payment } from './payments';
import type { AgentRouteName, BrowserRouteName } from './router';
import type { Service } from './service';

/** What the sandbox has seen so far. */
export interface Stats {
  /** Requests that arrived, by route (`unknown`: none), by rate class, and by the status of the answer (`cut`: none). */
  requests: {
    total: number;
    byRoute: Partial<Record<AgentRouteName | BrowserRouteName | 'unknown', number>>;
    byClass: Record<RateClass, number>;
    byStatus: Record<string, number>;
  };
  /** Answers 429 by the sandbox's own limits or by a fault. */
  refused429: number;
  /**
   * For each token and class, the largest number of requests, refused ones included, in any window of the class's
   * (scaled) length with both ends included; `limit` is absent where limits are off.
   */
  windows: { tokenId: string; rateClass: RateClass; windowMs: number; largest: number; limit?: number }[];
  /** Credits spent, by user ID, in the web app too. */
  creditsSpent: Record<string, number>;
  /** Leads converted, in the web app too. */
  conversions: number;
  payments: readonly Payment[];
  /** Subjects that were paid for more than once. */
  paidTwice: { subject: string; times: number; credits: number }[];
  /** Subjects for which several paid requests were in flight at the same time, late commits included. */
  paidOverlapping: { subject: string; requests: number }[];
  /** Largest number of analyses that ran at the same time, by project ID. */
  runningAnalyses: Record<string, number>;
  /** Same project, name and content. */
  documentsDoubled: { projectId: string; fileName: string; times: number }[];
  /** Same user, project and text. */
  notesDoubled: { projectId: string | null; rawContent: string; times: number }[];
  /** Faults that happened, in order, with what their rule was about. */
  faults: readonly { route: AgentRouteName; about?: string; fault: string; at: string }[];
}

/** Counts requests and answers; the rest of {@link Stats} is kept where it happens. */
export class Statistics {
  private readonly byRoute: Stats['requests']['byRoute'] = {};
  private readonly byClass = perClass(() => 0);
  private readonly byStatus: Record<string, number> = {};

  constructor(private readonly service: Service) {}

  arrived(route: keyof Stats['requests']['byRoute'], rateClass: RateClass | undefined): void {
    this.byRoute[route] = (this.byRoute[route] ?? 0) + 1;
    if (rateClass !== undefined) this.byClass[rateClass]++;
  }

  answered(status: number | 'cut'): void {
    this.byStatus[status] = (this.byStatus[status] ?? 0) + 1;
  }

  now(): Stats {
    const { payments, limits, store, audits, documents, notes, faults } = this.service;
    const total = Object.values(this.byRoute).reduce((sum, count) => sum + count, 0);
    return {
      requests: { total, byRoute: this.byRoute, byClass: this.byClass, byStatus: this.byStatus },
      refused429: this.byStatus['429'] ?? 0,
      windows: limits.all().map(({ tokenId, rateClass, windowMs, largest, max }) => ({
        tokenId,
        rateClass,
        windowMs,
        largest,
        ...(max !== undefined && { limit: max }),
      })),
      creditsSpent: Object.fromEntries([...store.users.keys()].map((id) => [id, payments.spent(id)])),
      conversions: payments.all.filter(({ subject }) => subject.startsWith('lead:')).length,
      payments: payments.all,
      paidTwice: payments.twice(),
      paidOverlapping: payments.overlapping(),
      runningAnalyses: audits.runningLargest(),
      documentsDoubled: documents.doubled(),
      notesDoubled: notes.doubled(),
      faults: faults.happened,
    };
  }
}
