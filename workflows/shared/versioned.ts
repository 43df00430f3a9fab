/** Where workers are versioned, a run stays with the build that began it, but for those that must move to the next one. */
import { setWorkflowOptions } from '@temporalio/workflow';
import { VERSIONED } from '../../src/runs/versioned-bundle';

/**
 * A workflow that lasts for days or for ever goes on with the current build. What changes in it stands behind `patched`. From
 * workers that are not versioned the server takes no such word.
 * @param workflow exported by the file that calls this
 */
export function goesOnWithCurrentBuild<A extends unknown[]>(workflow: (...args: A) => Promise<unknown>): void {
  if (Reflect.get(globalThis, VERSIONED) === true) setWorkflowOptions({ versioningBehavior: 'AUTO_UPGRADE' }, workflow);
}
