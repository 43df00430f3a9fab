/** S7: what else puts an account on hold: its token; the rest is in holds.server.test.ts. */
import { CAUSES, LIMIT_MS, passes } from './support/holding';

test.concurrent.each(Object.entries(CAUSES).filter(([, { kind }]) => kind === 'token'))(
  '%s: one hold, few probes, no run fails, and the pipeline says why it waits and goes on',
  (_, cause) => passes(cause),
  LIMIT_MS,
);
