/** The task queue of this package's worker. */
export const QUEUE = 'best-lead';
