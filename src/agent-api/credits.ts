/** No account has more: a greater number, wherever it comes from, is no number of credits. */
export const MOST_CREDITS = 1_000_000_000;
