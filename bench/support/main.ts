/** Benches as programs: each ends within a stated time, with a verdict. */

let deadline: Promise<never> | undefined;

/** @throws Error when the bench has taken longer than it may */
export const inTime = <T>(work: Promise<T>): Promise<T> => (deadline ? Promise.race([work, deadline]) : work);

/**
 * Runs a bench: an error is shown and is the exit code.
 * @param minutes after which it has failed; what is started with {@link inTime} is cleared up first
 */
export function runBench(minutes: number, bench: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined;
  deadline = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`verdict: failed, for it has not ended in ${minutes} min`)),
      minutes * 60_000,
    );
  });
  deadline.catch(() => undefined);
  bench()
    .catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      // What did not end by itself must not keep the program.
      process.exit(1);
    })
    .finally(() => clearTimeout(timer));
}
