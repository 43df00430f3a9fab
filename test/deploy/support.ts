import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { packageRoot } from '../../src/temporal/package-root';

/** The checkout: where the files that are deployed are. */
export const ROOT = packageRoot();

export const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

const onPath = (tool: string) =>
  (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, tool)));

/** A test that needs a program. In CI a missing one fails it; elsewhere it counts as skipped, never as passed. */
export const testWith = (tool: string): typeof test.skip => (process.env.CI || onPath(tool) ? test : test.skip);

/** Runs a program in the checkout. Throws when there is no such program. */
export function run(program: string, args: readonly string[], options: { input?: string; cwd?: string } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', ...options });
  if (error) throw error;
  return { status, output: `${stdout}${stderr}` };
}

const Service = z.looseObject({
  image: z.string(),
  entrypoint: z.array(z.string()).default([]),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  secrets: z
    .array(
      z.union([
        z.string().transform((source) => ({ source, target: source })),
        z.object({ source: z.string(), target: z.string() }),
      ]),
    )
    .default([]),
  network_mode: z.string().optional(),
  stop_grace_period: z.string().optional(),
});
export type Service = z.infer<typeof Service>;

const Compose = z.looseObject({
  services: z.record(z.string(), Service),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});

/** docker-compose.yml as it is, with its anchors resolved and its variables not. */
export const compose = () => Compose.parse(parse(read('docker-compose.yml'), { merge: true }));

/** A service of docker-compose.yml. Throws when there is none of that name. */
export function service(name: string): Service {
  const found = compose().services[name];
  if (!found) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}
