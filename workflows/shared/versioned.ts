/** Where workers are versioned, a run stays with the build that began it, but for those that must move to the next one. */
import { setWorkflowOptions } from '@temporalio/workflow';

/** Set in the text of the bundle by workers that are versioned: the server refuses a behaviour from others. */
export const IS_VERSIONED: boolean = false;

/**
 * A workflow that lasts for days or for ever goes on with the current build. What changes in it stands behind `patched`.
 * @param workflow exported by the file that calls this
 */
export function goesOnWithCurrentBuild<A extends unknown[]>(workflow: (...args: A) => Promise<unknown>): void {
  if (IS_VERSIONED) setWorkflowOptions({ versioningBehavior: 'AUTO_UPGRADE' }, workflow);
}
