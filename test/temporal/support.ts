import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder of a test's own. */
export const temporaryFolder = (): Promise<string> => mkdtemp(path.join(tmpdir(), 'audit-runner-test-'));

export const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** Writes a shell script that can be run under this name. It sees the test's PATH, which may have no other program. */
export async function executable(folder: string, name: string, script: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

/** What `temporal --version` prints. */
export const version = (server: string): string => `echo "temporal version 9.9.9 (Server ${server}, UI 2.0.0)"`;
