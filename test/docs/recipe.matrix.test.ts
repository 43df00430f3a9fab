/** Whoever follows the recipe of developers.md word for word has a workflow that compiles, runs, and is known everywhere. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';
import { sectionOf, textOf } from './documents';
import { apply, type Piece, pieces } from './recipe';

const ROOT = packageRoot();
const COPIED = ['src', 'workflows', 'activities', 'test', 'bench', 'bin', 'examples', 'docs', 'package.json'];
const SETTINGS = [
  'tsconfig.json',
  'tsconfig.build.json',
  'jest.config.js',
  'biome.json',
  'README.md',
  'CONTRIBUTING.md',
];

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'audit-runner-recipe-'));
  for (const name of [...COPIED, ...SETTINGS]) cpSync(join(ROOT, name), join(root, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A program of this Node's, in the copy. @returns how it ended, and all that it said */
function node(...args: string[]): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return { code: status, said: `${stdout}${stderr}` };
}

const tsc = (...args: string[]) => node(join('node_modules', 'typescript', 'bin', 'tsc'), ...args);
const JEST = join('node_modules', 'jest', 'bin', 'jest.js');

const section = sectionOf(textOf('docs/developers.md'), '## Add a workflow in 30 minutes');
/** From this step on there are the tables that the compiler names. */
const [ofCode = '', ofTables = ''] = section.split('**5. What the compiler asks for now.**');
const tables: readonly Piece[] = pieces(ofTables).filter(({ table }) => table !== undefined);

test('it names the tables that the compiler misses an entry in, no more and no fewer', () => {
  for (const piece of pieces(ofCode)) apply(root, piece);
  const { said } = tsc('--noEmit');
  const missed = [...said.matchAll(/^([\w./-]+)\(\d+,\d+\): error/gm)].map(([, file = '']) => file);
  expect([...new Set(missed)].sort()).toEqual(
    tables
      .slice(0, 3)
      .map(({ file }) => file)
      .sort(),
  );
});

test('with them it compiles, and its test passes', () => {
  for (const piece of pieces(ofTables)) apply(root, piece);
  expect(tsc('--noEmit')).toEqual({ code: 0, said: '' });
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const step of scripts.build.split(' && ')) {
    const [program, ...args] = step.split(' ');
    expect(program === 'tsc' ? tsc(...args) : node(...args)).toMatchObject({ code: 0 });
  }
  expect(node(JEST, '--selectProjects', 'server', '--testPathPatterns', 'check-project')).toMatchObject({ code: 0 });
  expect(node(join('dist', 'test', 'reference', 'run.js'))).toMatchObject({ code: 0 });
  expect(readFileSync(join(root, 'docs', 'reference', 'inputs.md'), 'utf8')).toContain('\n## checkProject\n');
});

test('the tests of what every type has pass: its input, its result, its place on the start page and in the reference', () => {
  const which = '(inputs|start-here|reference|cli/results|docs/examples)[/.].*test';
  const { code, said } = node(JEST, '--selectProjects', 'unit', '--testPathPatterns', which);
  expect(code === 0 ? '' : said).toBe('');
});
