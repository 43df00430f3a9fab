/** Runs an example by its one command, `npm run example -- <name>`, in a folder of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { errorCode } from '../../src/system';
import { packageRoot } from '../../src/temporal/package-root';

const { scripts } = z
  .object({ scripts: z.looseObject({ example: z.string() }) })
  .parse(JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')));
const [, script = ''] = scripts.example.split(' ');

export interface Played {
  stdout: string;
  stderr: string;
  /** Where it has left what it made. */
  folder: string;
}

const cwd = mkdtempSync(join(tmpdir(), 'audit-runner-example-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/**
 * @param others addresses of the test's own, which it names and does not end
 * @returns once it has ended with code 0, and all that it started with it
 */
export async function played(
  name: string,
  env: Readonly<Record<string, string>> = {},
  others: readonly string[] = [],
): Promise<Played> {
  // A group of its own, so that what it leaves running is found.
  const child = spawn(process.execPath, [join(packageRoot(), script), name], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('it cannot be started');
  try {
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const open = await Promise.all(addressesIn(`${stdout}${stderr}`, others).map(isOpen));
    expect({ processes: isAnyLeft(pid), addresses: open.filter((address) => address !== undefined) }).toEqual({
      processes: false,
      addresses: [],
    });
    if (code !== 0) throw new Error(`it ended with code ${code}:\n${stdout}\n${stderr}`);
    return { stdout, stderr, folder: join(cwd, '.audit-runner', 'examples', name) };
  } finally {
    if (isAnyLeft(pid)) process.kill(-pid, 'SIGKILL');
  }
}

function isAnyLeft(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
}

/** Of its Temporal server, its sandbox and its S3 server. */
function addressesIn(said: string, others: readonly string[]): string[] {
  const named = [...said.matchAll(/127\.0\.0\.1:\d+/g)].map(([address]) => address);
  const found = [...new Set(named)].filter((address) => !others.some((other) => other.endsWith(address)));
  expect(found.length).toBeGreaterThan(1);
  return found;
}

const isOpen = (address: string): Promise<string | undefined> =>
  fetch(`http://${address}`).then(
    () => address,
    () => undefined,
  );
