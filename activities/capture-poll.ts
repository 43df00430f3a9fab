/**
 * One look for many: the captures of one account that wait in this process at the same time are looked at in one list
 * where that takes fewer reads than one GET each. What the list does not tell, the capture's own GET does.
 */
import { ApplicationFailure } from '@temporalio/common';
import { FailureType } from '../src/runs/failure-types';
import type { CaptureList } from './capture-list';
import type { ListPlace } from './list-pages';
import { requeueAfter } from './requeue';

/** What a capture says of itself, without its content (S4). */
export interface CaptureSeen {
  status: string;
  updatedAt?: string;
}

interface Listing {
  readonly askedAt: number;
  readonly seen: Promise<Map<string, CaptureSeen>>;
  isRead: boolean;
}

/** How long it is believed how many pages the list has, milliseconds: without a look nobody knows that it grew shorter. */
const PAGES_KNOWN_MS = 300_000;

export class CapturePoll {
  /** Who waits, and until when it counts as waiting if it does not ask again. */
  readonly #waiting = new Map<string, number>();
  #pages: { count: number; until: number } | undefined;
  #listing: Listing | undefined;

  /**
   * @param statuses those in which captures wait. In the order in which a capture goes through them: one that moves on
   * between two lists is then in the first
   * @param list reads one page, with a permit of its own (S5)
   */
  constructor(
    private readonly statuses: readonly string[],
    private readonly list: (status: string, place: ListPlace) => Promise<Pick<CaptureList, 'items' | 'next'>>,
  ) {}

  /**
   * What a list says of a capture; undefined when it is not in it, or when the list would cost as much as a GET.
   * @param maxAgeMs how old the answer may be
   * @param againMs after which time the capture is asked for again, if it still waits
   */
  async seen(captureId: string, maxAgeMs: number, againMs: number): Promise<CaptureSeen | undefined> {
    const now = performance.now();
    for (const [id, until] of this.#waiting) if (until < now) this.#waiting.delete(id);
    this.#waiting.set(captureId, now + 2 * againMs);
    for (;;) {
      const listing = this.#listing;
      if (listing && now - listing.askedAt <= maxAgeMs) return (await listing.seen).get(captureId);
      // One at a time: who finds it too old shares the next one.
      if (listing?.isRead === false) await listing.seen.catch(() => undefined);
      else if (this.#waiting.size <= this.#pagesExpected(now)) return undefined;
      else this.#start();
    }
  }

  /** It does not wait any more. */
  done(captureId: string): void {
    this.#waiting.delete(captureId);
  }

  #pagesExpected(now: number): number {
    return this.#pages && now < this.#pages.until ? this.#pages.count : this.statuses.length;
  }

  #start(): void {
    const askedAt = performance.now();
    const seen = this.#readAll(askedAt).then(
      (captures) => {
        listing.isRead = true;
        return captures;
      },
      (error) => {
        this.#listing = undefined;
        // Who shares the list fails alike; but not because the one that reads it is cancelled.
        throw error instanceof ApplicationFailure ? error : requeueAfter('the list of captures was not read', 1_000);
      },
    );
    const listing: Listing = { askedAt, seen, isRead: false };
    this.#listing = listing;
  }

  async #readAll(now: number): Promise<Map<string, CaptureSeen>> {
    const seen = new Map<string, CaptureSeen>();
    const know = (count: number) => {
      this.#pages = { count, until: now + PAGES_KNOWN_MS };
    };
    let pages = 0;
    try {
      for (const status of this.statuses)
        for (let place: ListPlace | undefined = { offset: 0 }; place !== undefined; ) {
          // A list that grew so long saves nothing any more.
          if (pages >= this.#waiting.size) {
            know(pages + 1);
            return seen;
          }
          const page: Pick<CaptureList, 'items' | 'next'> = await this.list(status, place);
          pages++;
          for (const { id, status: word, updatedAt } of page.items)
            if (word) seen.set(id, { status: word, ...(updatedAt && { updatedAt }) });
          place = page.next;
        }
    } catch (error) {
      // A service without such a list is asked for each capture.
      const type = error instanceof ApplicationFailure ? error.type : undefined;
      if (type !== FailureType.refused && type !== FailureType.unreadable) throw error;
      know(Number.POSITIVE_INFINITY);
      return seen;
    }
    know(pages);
    return seen;
  }
}
