/**
 * How soon after a question the request leaves here, as far as lately seen. A turn counts as used at its latest, so one that is
 * used soon costs the others little; but who promises more than it keeps never gets to send.
 */

/** The last times that count. */
const KEPT = 8;
/** Of the longest of them. */
const ROOM = 2;
const LEAST_MS = 1_000;

export class Promptness {
  #lately: number[] = [];

  /** @param mostMs it may take so long at most */
  constructor(private readonly mostMs: number) {}

  /** It is promised to leave within so many milliseconds. */
  get withinMs(): number {
    return Math.min(this.mostMs, Math.max(LEAST_MS, ROOM * Math.max(0, ...this.#lately)));
  }

  /** It has taken so long, or so long was not enough. */
  took(ms: number): void {
    this.#lately = [...this.#lately.slice(1 - KEPT), ms];
  }
}
