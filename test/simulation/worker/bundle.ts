/** The real workflow bundle in the SDK's own reusable VM, loaded once for all worlds. */
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { workflowBundlePath } from '../../../src/temporal/bundle';
import { withBug } from '../planted';

/** Without a limit: a watchdog for each call takes longer than the call. */
const UNLIMITED = undefined as unknown as number;

let loaded: ReusableVMWorkflowCreator | undefined;

/** Without the SDK's hooks for stack traces of every promise, which take most of the time. */
export function workflowCreator(path = workflowBundlePath()): ReusableVMWorkflowCreator {
  if (loaded) return loaded;
  const bundle = parseWorkflowCode(readFileSync(path, 'utf8'), path);
  const script = new vm.Script(withBug(bundle.code), { filename: bundle.filename });
  loaded = new ReusableVMWorkflowCreator(script, bundle, UNLIMITED, new Set());
  return loaded;
}
