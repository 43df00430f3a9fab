import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What some work comes to, if it does so in time. The work goes on all the same.
 * @param ms milliseconds
 * @param late what the error says when they are over
 */
export async function within<T>(work: Promise<T>, ms: number, late: string): Promise<T> {
  const over = new AbortController();
  const tooLate = sleep(ms, undefined, { ref: false, signal: over.signal }).then(() => {
    throw new Error(late);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    over.abort();
  }
}
