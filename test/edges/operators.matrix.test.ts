/** More of what operators can do to runs; all of it: `npm run edges -- operators`. */
import { cases, play } from './operators/case';
import { OTHERS } from './operators/sample';

/** Beside others on a busy machine: it waits for calm twice. */
const LIMIT_MS = 600_000;

test.concurrent.each([...OTHERS])(
  'S1 S3 S6 S7: %s',
  async (name) => {
    const found = cases.find((one) => one.name === name);
    expect(found && (await play(found))).toMatchObject({ came: 'right', wrong: [] });
  },
  LIMIT_MS,
);
