import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { ROOT, read, run, testWith } from './support';

const Package = z.looseObject({
  dependencies: z.record(z.string(), z.string()),
  engines: z.object({ node: z.string() }),
});
const SOURCES = ['src', 'workflows', 'activities'];

const instructions = (name: string, file = 'Dockerfile'): string[] =>
  read(file)
    .split('\n')
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1));

/** What is copied from the checkout into the image's build. */
const context = () =>
  instructions('COPY')
    .filter((line) => !line.startsWith('--'))
    .flatMap((line) => line.split(' ').slice(0, -1));

describe('the image', () => {
  test('runs a pinned Node, of Debian, that the package allows', () => {
    const [, major] = /^NODE=(\d+)-bookworm$/.exec(instructions('ARG').join()) ?? [];
    const { engines } = Package.parse(JSON.parse(read('package.json')));
    const [, oldest] = /^>=(\d+)/.exec(engines.node) ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(Number(oldest));
    const [build, runtime, ...others] = instructions('FROM');
    expect(build).toMatch(/^node:\$\{NODE\} AS build$/);
    expect(runtime).toMatch(/^node:\$\{NODE\}-slim$/);
    expect(others).toEqual([]);
  });

  test('runs a worker by default, as a user who is not root', () => {
    expect(instructions('ENTRYPOINT')).toEqual(['["node", "bin/audit-runner.js"]']);
    expect(instructions('CMD')).toEqual(['["worker"]']);
    expect(instructions('USER')).toEqual(['1000:1000']);
    expect(instructions('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(instructions('ENV')).toEqual([
      'NODE_ENV=production',
      // Commands that people are told can be pasted where they are: in the container.
      'AUDIT_RUNNER_COMMAND="node bin/audit-runner.js"',
      'MALLOC_ARENA_MAX=2',
    ]);
  });

  test('S4: is built from nothing but what it names: no secrets, no local state', () => {
    const ignore = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(ignore).toEqual(['*', ...context().map((name) => `!${name}`)]);
    expect(context()).not.toContain('deploy');
    expect(context()).not.toContain('.');
  });

  test('is built from all that the build needs', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'audit-runner-test-'));
    try {
      for (const name of context()) cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
      symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
      const tsc = path.join(ROOT, 'node_modules', '.bin', 'tsc');
      expect(run(tsc, ['-p', 'tsconfig.build.json', '--noEmit'], { cwd: folder })).toEqual({ status: 0, output: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('has every package that its code imports: development packages are not in it', () => {
    const { dependencies } = Package.parse(JSON.parse(read('package.json')));
    const imported = SOURCES.flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => [
          ...readFileSync(path.join(ROOT, folder, file), 'utf8').matchAll(
            /(?:^(?:import|\}|export)[^']* from|import\(|require\() ?'([^'.][^']*)'/gm,
          ),
        ])
        .map(([, name = '']) =>
          name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/'),
        ),
    );
    expect(imported).toContain('@temporalio/worker');
    const missing = imported.filter((name) => !name.startsWith('node:') && !(name in dependencies));
    expect([...new Set(missing)].filter((name) => !builtinModules.includes(name))).toEqual([]);
  });
});

describe('the image of the package', () => {
  const file = 'deploy/package.Dockerfile';

  test.each(['ARG', 'FROM', 'ENV', 'USER', 'STOPSIGNAL', 'ENTRYPOINT', 'CMD'])('has the same %s', (name) => {
    expect(instructions(name, file)).toEqual(instructions(name));
    expect(instructions(name, file)).not.toEqual([]);
  });

  test('says how it is called, as the image of the sources does', () => {
    expect(instructions('ENV', file)).toEqual(instructions('ENV'));
  });

  test('S4: is built from nothing but what it names', () => {
    expect(instructions('COPY', file).filter((line) => !line.startsWith('--'))).toEqual([
      'package.json package-lock.json ./',
    ]);
    expect(read(`${file}.dockerignore`)).toMatch(/^\*\n!package.json\n!package-lock.json\n$/m);
  });
});

describe('hadolint', () => {
  testWith('hadolint').each(['Dockerfile', 'deploy/package.Dockerfile'])('has nothing to say of %s', (file) => {
    expect(run('hadolint', [file])).toEqual({ status: 0, output: '' });
  });

  testWith('hadolint')('does say something of a base image that is not pinned', () => {
    const { status, output } = run('hadolint', ['-'], { input: 'FROM node\n' });
    expect(status).not.toBe(0);
    expect(output).toContain('DL3006');
  });
});
