/** The real workflow bundle in the SDK's own reusable VM, loaded once for all worlds. */
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { workflowBundlePath } from '../../../src/temporal/bundle';
import { withBug } from '../planted';

/** Without a limit: a watchdog for each call takes longer than the call. */
const UNLIMITED = undefined as unknown as number;

/** `before`: as it was before every patch, which knows of none of them. */
export type Build = 'now' | 'before';

/** As compiled: its argument is a name in quotes, or a constant, also one of another file. */
const PATCHED = /\(0, \w+\.patched\)\(('\w+'|[\w.]+)\)/g;

/** @throws Error where a patch would be left that it knows of, so that stories would not meet what was before it */
export function withoutPatches(code: string): string {
  const before = code.replace(PATCHED, 'false');
  const left = /\.patched\)?\(.{0,40}/.exec(before);
  if (left) throw new Error(`the build before every patch still asks for one: ${left[0]}`);
  return before;
}

const loaded = new Map<Build, ReusableVMWorkflowCreator>();

/** Without the SDK's hooks for stack traces of every promise, which take most of the time. */
export function workflowCreator(build: Build): ReusableVMWorkflowCreator {
  const known = loaded.get(build);
  if (known) return known;
  const path = workflowBundlePath();
  const bundle = parseWorkflowCode(readFileSync(path, 'utf8'), path);
  const code = withBug(build === 'now' ? bundle.code : withoutPatches(bundle.code));
  const script = new vm.Script(code, { filename: bundle.filename });
  const creator = new ReusableVMWorkflowCreator(script, bundle, UNLIMITED, new Set());
  loaded.set(build, creator);
  return creator;
}
