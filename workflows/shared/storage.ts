/** Calls that need the storage: while it is full or away they wait, and the run says so (S7). */
import { sleep } from '@temporalio/workflow';
import { FailureType } from '../../src/policy/failures';
import { failureText, failureType } from './failures';
import { ownStatus } from './status';

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 600_000;

/**
 * The same calls, each repeated until the storage takes part. Less and less often: a call that stores a reply of the
 * service reads it again each time.
 */
export const onceStorageThere = <T extends object>(calls: T): T =>
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
      if (failureType(error) !== FailureType.storage) throw error;
      const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 12));
      ownStatus()?.lacks(`${failureText(error)} It is tried again in ${Math.ceil(wait / 1000)} s.`);
      await sleep(wait);
    }
  }
}
