/**
 * The Temporal server's clock, as far as its answers tell (S1–S3, S5). Moments of workflows are compared with this one: the
 * clocks of two machines may be hours apart, and that of one may jump. It is never ahead of the server's, and behind by the
 * time that an answer took to arrive.
 */
import { steadyNow } from '../steady-clock';

/** An answer that took longer tells less than an earlier one, for a while. */
const QUICK_MS = 1_000;
const KEEP_MS = 900_000;

export class ServerClock {
  private known: { at: number; heardAt: number } | undefined;

  /**
   * An answer has arrived.
   * @param at the server's time when it was made, milliseconds since 1970
   * @param askedAt `steadyNow()` when it was asked for
   */
  heard(at: number, askedAt: number): void {
    const heardAt = steadyNow();
    const slow = heardAt - askedAt > QUICK_MS;
    if (this.known && slow && heardAt - this.known.heardAt < KEEP_MS) return;
    this.known = { at, heardAt };
  }

  /** Milliseconds since 1970; by this machine's clock until the server has answered. */
  now(): number {
    return this.known ? Math.floor(this.known.at + steadyNow() - this.known.heardAt) : Date.now();
  }
}
