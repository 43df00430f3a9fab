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

/** A list that is read page by page, each page by another task. */
interface Listing {
  readonly askedAt: number;
  /** When its last page came. */
  readAt: number;
  readonly seen: Map<string, CaptureSeen>;
  /** The next page; absent when all are read. */
  next: { status: number; place: ListPlace } | undefined;
  pages: number;
  /** A page that is being read. */
  reading: Promise<void> | undefined;
}

interface Waiting {
  /** It counts as waiting until then, if it does not ask again. */
  until: number;
  /** Of this list the answer counts, however long it took. */
  joined?: Listing | undefined;
  /** A list has not told it: until then it is asked for by itself. */
  untoldUntil?: number;
}

/** How long it is believed how many pages the list has, milliseconds: without a look nobody knows that it grew shorter. */
const PAGES_KNOWN_MS = 300_000;
/** A list of which nobody has read the next page for so long is begun anew. */
const ABANDONED_MS = 60_000;
/** S5: the queue counts one read of each task. Who needs another one comes back after this. */
const COMES_BACK_MS = 100;

export class CapturePoll {
  readonly #waiting = new Map<string, Waiting>();
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
   * What a list says of a capture; undefined when it is not in it, or when the list would cost as much as a GET. Reads one page
   * at most.
   * @param maxAgeMs how old a list may be that was read to its end before; with 0 none is read
   * @param againMs after which time the capture is asked for again, if it still waits
   * @throws ApplicationFailure `waiting` where another read is needed, by another task
   */
  async seen(captureId: string, maxAgeMs: number, againMs: number): Promise<CaptureSeen | undefined> {
    const now = performance.now();
    for (const [id, { until }] of this.#waiting) if (until < now) this.#waiting.delete(id);
    const own: Waiting = { ...this.#waiting.get(captureId), until: now + 2 * againMs };
    this.#waiting.set(captureId, own);
    if (maxAgeMs === 0 || now < (own.untoldUntil ?? 0)) return undefined;
    for (let hasRead = false; ; ) {
      const listing = this.#listing;
      const isOld = !listing || (listing.next ? isAbandoned(listing, own, now) : now - listing.askedAt > maxAgeMs);
      const read = [own.joined, isOld ? undefined : listing].find((one) => one && !one.next);
      if (read) {
        own.joined = undefined;
        const told = read.seen.get(captureId);
        if (told !== undefined || !hasRead) return told;
        own.untoldUntil = now + PAGES_KNOWN_MS;
        own.until = Math.max(own.until, own.untoldUntil);
        throw comesBack();
      }
      if (isOld && this.#waiting.size <= this.#pagesExpected(now)) return undefined;
      own.joined = isOld ? this.#begin() : listing;
      // One page at a time: who comes meanwhile shares it.
      if (own.joined.reading) await own.joined.reading;
      else if (hasRead) throw comesBack();
      else {
        hasRead = true;
        await this.#readNext(own.joined);
      }
    }
  }

  /** It does not wait any more. */
  done(captureId: string): void {
    this.#waiting.delete(captureId);
  }

  #pagesExpected(now: number): number {
    return this.#pages && now < this.#pages.until ? this.#pages.count : this.statuses.length;
  }

  #begin(): Listing {
    const next = { status: 0, place: { offset: 0 } };
    const now = performance.now();
    this.#listing = { askedAt: now, readAt: now, seen: new Map(), next, pages: 0, reading: undefined };
    return this.#listing;
  }

  async #readNext(listing: Listing): Promise<void> {
    const page = this.#readPage(listing);
    listing.reading = page
      .catch((error) => {
        // Who shares the page fails alike; but not because the one that reads it is cancelled.
        throw error instanceof ApplicationFailure ? error : requeueAfter('the list of captures was not read', 1_000);
      })
      .finally(() => {
        listing.reading = undefined;
      });
    listing.reading.catch(() => undefined);
    await page;
  }

  async #readPage(listing: Listing): Promise<void> {
    const { next } = listing;
    const status = next && this.statuses[next.status];
    if (!next || status === undefined) return;
    const ends = (count: number) => {
      listing.next = undefined;
      this.#pages = { count, until: performance.now() + PAGES_KNOWN_MS };
    };
    try {
      const page = await this.list(status, next.place);
      listing.pages++;
      listing.readAt = performance.now();
      for (const { id, status: word, updatedAt } of page.items)
        if (word) listing.seen.set(id, { status: word, ...(updatedAt && { updatedAt }) });
      if (page.next) listing.next = { ...next, place: page.next };
      else listing.next = { status: next.status + 1, place: { offset: 0 } };
      if (listing.next.status === this.statuses.length) ends(listing.pages);
      // A list that grew so long saves nothing any more.
      else if (listing.pages >= this.#waiting.size) ends(listing.pages + 1);
    } catch (error) {
      // A service without such a list is asked for each capture.
      const type = error instanceof ApplicationFailure ? error.type : undefined;
      if (type !== FailureType.refused && type !== FailureType.unreadable) throw error;
      ends(Number.POSITIVE_INFINITY);
    }
  }
}

/** Nobody reads it any more, as far as is known. */
const isAbandoned = (listing: Listing, { joined }: Waiting, now: number): boolean =>
  listing !== joined && !listing.reading && now - listing.readAt > ABANDONED_MS;

const comesBack = () => requeueAfter('the list of captures is read page by page', COMES_BACK_MS);
