/** Some of what operators can do to runs; all of it: `npm run edges -- operators`. */
import { cases, play } from './operators/case';

/** Beside others on a busy machine: it waits for calm twice. */
const LIMIT_MS = 1_200_000;

/** Plays these cases. */
export function operatorsSuite(names: readonly string[]): void {
  test.concurrent.each([...names])(
    'S1 S3 S6 S7: %s',
    async (name) => {
      const found = cases.find((one) => one.name === name);
      const verdict = found && (await play(found));
      expect([verdict?.came, ...(verdict?.wrong ?? [])].join('; ')).toBe('right');
    },
    LIMIT_MS,
  );
}
