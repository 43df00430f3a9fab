/** Some of what operators can do to runs; all of it: `npm run edges -- operators`. */
import { cases, play } from './operators/case';

/** Beside others on a busy machine: it waits for calm twice. */
const LIMIT_MS = 600_000;

/** Plays these cases. */
export function operatorsSuite(names: readonly string[]): void {
  test.concurrent.each([...names])(
    'S1 S3 S6 S7: %s',
    async (name) => {
      const found = cases.find((one) => one.name === name);
      expect(found && (await play(found))).toMatchObject({ came: 'right', wrong: [] });
    },
    LIMIT_MS,
  );
}
