/** Calls that need the storage, or the ledger: while it is full, away or stuck they wait, and the run says so (S7). */
import { sleep } from '@temporalio/workflow';
import { FailureType } from '../../src/policy/failures';
import { failureText, failureType } from './failures';
import { ownStatus } from './status';

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 600_000;

/** What the worker cannot mend, and does not try again by itself. */
const LACKING: readonly (string | undefined)[] = [FailureType.storage, FailureType.ledger];

/**
 * The same calls, each repeated until storage and ledger take part. Less and less often: a call that stores a reply of the
 * service reads it again each time.
 */
export const onceThere = <T extends object>(calls: T): T =>
  new Proxy(calls, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name);
      return typeof call === 'function' ? (...args: unknown[]) => repeat(() => call(...args)) : call;
    },
  });

async function repeat(call: () => Promise<unknown>): Promise<unknown> {
  for (let failures = 0; ; failures++) {
    try {
      const value = await call();
      if (failures > 0) ownStatus()?.lacks(undefined);
      return value;
    } catch (error) {
      if (!LACKING.includes(failureType(error))) throw error;
      const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 12));
      ownStatus()?.lacks(`${failureText(error)} It is tried again in ${Math.ceil(wait / 1000)} s.`);
      await sleep(wait);
    }
  }
}
