/** The clocks behind one service: the one of its `Date` header, and the one of its records. Pure. */

/** How far they may be apart, milliseconds. What is older than this by the header's clock was there before. */
export const CLOCKS_APART_MS = 300_000;

/** The `Date` header has whole seconds, and clocks that agree differ by as little. */
export const CLOCK_STEP_MS = 2_000;
