/** The packed file, installed into an empty folder by somebody whose HOME is empty, too. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { packageRoot } from '../../src/temporal/package-root';

export const ROOT = packageRoot();

/** A program of this project's development packages. */
export const tool = (name: string): string => path.join(ROOT, 'node_modules', '.bin', name);

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

const running = new Set<ChildProcess>();

async function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  // A group of its own, since npx does not hand a SIGKILL on to the program that it runs.
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  running.add(child);
  const ended = once(child, 'close');
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  running.delete(child);
  return { code, stdout, stderr };
}

/** Ends what a test that failed has left. */
export function endRunning(): void {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

/** Throws what the program said when it fails. */
async function output(...started: Parameters<typeof run>): Promise<string> {
  const { code, stdout, stderr } = await run(...started);
  if (code !== 0) throw new Error(`${started[0]} ${started[1].join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

/** Nothing of the npm that runs the tests, nor of the checkout's programs. */
const withoutNpm = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$)/i.test(name))),
  PATH: (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.startsWith(ROOT))
    .join(path.delimiter),
});

/**
 * What a person has whose HOME is empty. What was fetched before is not fetched again: npm's cache and the Temporal
 * server's are those of this machine, and so is the registry.
 */
async function emptyHome(home: string): Promise<NodeJS.ProcessEnv> {
  const config = (key: string) => output('npm', ['config', 'get', key], ROOT, withoutNpm());
  const [cache, registry] = await Promise.all([config('cache'), config('registry')]);
  mkdirSync(home);
  return {
    ...withoutNpm(),
    HOME: home,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'),
    npm_config_cache: cache.trim(),
    npm_config_registry: registry.trim(),
    npm_config_update_notifier: 'false',
    NO_COLOR: '1',
  };
}

const Packed = z.tuple([z.looseObject({ filename: z.string(), files: z.array(z.looseObject({ path: z.string() })) })]);

/** Packs the checkout as it was built, and installs that. */
export async function install() {
  const folder = mkdtempSync(path.join(tmpdir(), 'audit-runner-package-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    return { ...(await installInto(folder)), remove };
  } catch (error) {
    remove();
    throw error;
  }
}
export type Installed = Awaited<ReturnType<typeof install>>;

async function installInto(folder: string) {
  const env = await emptyHome(path.join(folder, 'home'));
  // Its scripts would build once more, into the folder that other tests run from.
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename, files }] = Packed.parse(JSON.parse(await output('npm', pack, ROOT, env)));
  const tarball = path.join(folder, filename);
  const project = path.join(folder, 'project');
  mkdirSync(project);
  await output('npm', ['install', '--prefer-offline', tarball], project, env);
  return {
    tarball,
    files: files.map((file) => file.path).sort(),
    /** Where it is installed. */
    root: path.join(project, 'node_modules', 'audit-runner'),
    /** Runs a program in the project that has installed it. */
    run: (program: string, args: readonly string[], cwd = project) => run(program, args, cwd, env),
    /** A project of its own beside it, with the same packages. Returns its folder. */
    source(name: string, contents: Record<string, string>): string {
      const at = path.join(project, name);
      mkdirSync(at);
      for (const [file, content] of Object.entries(contents)) writeFileSync(path.join(at, file), content);
      return at;
    },
    /** A copy of the checkout, without what is built or installed, to do with as one likes. */
    copyOfCheckout(): string {
      const at = path.join(folder, 'checkout');
      cpSync(ROOT, at, {
        recursive: true,
        filter: (file) => !/^(node_modules|\.git|dist)$/.test(path.relative(ROOT, file)),
      });
      return at;
    },
  };
}
