/** The real workflow bundle in the SDK's own reusable VM, loaded once for all worlds. */
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { workflowBundlePath } from '../../../src/temporal/bundle';

/** A run of workflow code that does not come back within this is an endless loop. Real milliseconds. */
const LONGEST_MS = 10_000;

let loaded: ReusableVMWorkflowCreator | undefined;

/** Without the SDK's hooks for stack traces of every promise, which take most of the time. */
export function workflowCreator(path = workflowBundlePath()): ReusableVMWorkflowCreator {
  if (loaded) return loaded;
  const bundle = parseWorkflowCode(readFileSync(path, 'utf8'), path);
  const script = new vm.Script(bundle.code, { filename: bundle.filename });
  loaded = new ReusableVMWorkflowCreator(script, bundle, LONGEST_MS, new Set());
  return loaded;
}
