/**
 * Negative controls: a matrix has to fail where a guard of the product is switched off. The product has no such switch, so
 * a copy of what was built is patched, and the matrix runs from the copy.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';

/** One guard, and how the compiled file that holds it reads without it. */
export interface Guard {
  /** What it guards against, in words. */
  about: string;
  /** The compiled file, below `dist`, such as `src/paying/attempt-plan.js`. */
  file: string;
  /** What stands there, exactly once. */
  find: string;
  replace: string;
}
export type Guards = Readonly<Record<string, Guard>>;

/**
 * Copies the package as it was built, with one guard switched off, and its workflows bundled anew.
 * @returns the folder of the copy
 * @throws Error where the guard does not stand any more where it is said to
 */
async function copyWithout(guard: Guard): Promise<string> {
  const root = packageRoot();
  const copy = mkdtempSync(path.join(tmpdir(), 'audit-runner-edges-'));
  try {
    for (const part of ['bin', 'dist', 'package.json', 'deploy'])
      cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
    symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
    const file = path.join(copy, 'dist', guard.file);
    const parts = readFileSync(file, 'utf8').split(guard.find);
    if (parts.length !== 2)
      throw new Error(`the guard stands ${parts.length - 1} times in dist/${guard.file}, not once: ${guard.find}`);
    writeFileSync(file, parts.join(guard.replace));
    const code = await node([path.join(copy, 'dist/src/temporal/bundle.js')], 'ignore');
    if (code !== 0) throw new Error(`the workflows cannot be bundled without the guard (exit code ${code})`);
    return copy;
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    throw error;
  }
}

/** Runs this command again from a copy in which the guard is switched off. @returns its exit code */
export async function runWithout(guard: Guard, args: readonly string[]): Promise<number> {
  const copy = await copyWithout(guard);
  try {
    return await node([path.join(copy, 'dist/test/edges/run.js'), ...args], 'inherit');
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const node = (args: readonly string[], stdout: 'ignore' | 'inherit'): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'inherit'] });
    child.on('error', reject).on('exit', (code) => resolve(code ?? 1));
  });
