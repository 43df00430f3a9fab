/** How long `doctor` looks at all: what it has not seen by then is unknown, and it ends. */
export const LIMIT_MS = 30_000;

/** Ended by the limit. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
  constructor() {
    super('not seen before the time was up; what hangs may be seen from the other checks');
  }
}

/** Waits for a look until the limit is over. @throws TooLate */
export function within<T>(limit: AbortSignal, look: () => Promise<T>): Promise<T> {
  if (limit.aborted) return Promise.reject(new TooLate());
  return new Promise<T>((resolve, reject) => {
    const late = () => reject(new TooLate());
    limit.addEventListener('abort', late, { once: true });
    look()
      .then(resolve, reject)
      .finally(() => limit.removeEventListener('abort', late));
  });
}
