/** No command of the documents is left out: a test types it, or it is said which test stands for it, and why. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';
import { prose, textOf } from './documents';
import { commandsOf, TYPISTS, typed, typistsOf } from './typed';

const all = typed();

test('each command has one typist, and each typist a command', () => {
  expect(all.length).toBeGreaterThan(100);
  const others = all.filter(({ command }) => typistsOf(command).length !== 1);
  expect(others.map(({ file, command }) => [file, command, typistsOf(command).map(({ by }) => by)])).toEqual([]);
  const idle = TYPISTS.filter(({ which }) => !all.some(({ command }) => which.test(command)));
  expect(idle.map(({ which }) => which.source)).toEqual([]);
});

test('each typist is there, and a test of the documents unless it says why not', () => {
  for (const { by, why } of TYPISTS) {
    expect([by, existsSync(join(packageRoot(), by.startsWith('.ci/') ? '' : 'test', by))]).toEqual([by, true]);
    expect([by, why === undefined]).toEqual([by, by.startsWith('docs/')]);
  }
});

test('bash reads each of them', () => {
  for (const { file, command } of all) {
    // What a reader fills in.
    const filled = command.replace(/<(run|account)>/g, '$1');
    const { status, stderr } = spawnSync('bash', ['-n', '-c', filled], { encoding: 'utf8' });
    expect([file, command, status, stderr]).toEqual([file, command, 0, '']);
  }
});

test('every script of npm that the documents name is there', () => {
  const { scripts } = JSON.parse(textOf('package.json'));
  const named = prose().flatMap((file) =>
    [...textOf(file).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => [file, name] as const),
  );
  expect(named.length).toBeGreaterThan(30);
  // Those of the package of an example.
  const { scripts: own } = JSON.parse(textOf('examples/own-workflow/package.json'));
  const isThere = (file: string, name: string) =>
    Object.hasOwn(scripts, name) || (file.startsWith('examples/own-workflow/') && Object.hasOwn(own, name));
  expect(named.filter(([file, name]) => !isThere(file, name))).toEqual([]);
});

test('commands are told apart: those of several lines, and comments', () => {
  expect(commandsOf("# a word\na 'b\nc'\nd \\\n  e\ncat > f <<'END'\ng\nEND\n\nh # i's\n".replace("'s", ''))).toEqual([
    "a 'b\nc'",
    'd \\\n  e',
    "cat > f <<'END'\ng\nEND",
    'h # i',
  ]);
  expect(() => commandsOf("a 'b\n")).toThrow('it does not end');
  expect(typistsOf('rm -rf /')).toEqual([]);
});
