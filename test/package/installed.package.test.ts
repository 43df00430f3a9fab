import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageVersion } from '../../src/temporal/package-root';
import { endRunning, type Installed, install, ROOT, tool } from './support';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
}, 600_000);
afterAll(() => {
  endRunning();
  installed?.remove();
});

const SAID_NOTHING = { code: 0, stderr: '' };
const held = (file: string) => readFileSync(path.join(installed.root, file), 'utf8');

// Some versions of @swc/core lack packages for some platforms: a lock file that names one of them cannot be installed.
test('leaves a lock file that `npm ci` accepts', async () => {
  expect(await installed.run('npm', ['ci', '--dry-run'])).toMatchObject({ code: 0 });
});

describe('npx', () => {
  test('runs the installed command', async () => {
    const help = await installed.run('npx', ['audit-runner', '--help']);
    expect(help).toMatchObject(SAID_NOTHING);
    expect(help.stdout).toContain('demo');
    const version = await installed.run('npx', ['audit-runner', '--version']);
    expect(version).toEqual({ ...SAID_NOTHING, stdout: `${packageVersion()}\n` });
  });

  test('runs the demo, on a Temporal server and with the workflows that are in the package', async () => {
    const { code, stdout, stderr } = await installed.run('npx', ['audit-runner', 'demo', '--speed', '60']);
    expect(`${stdout}${stderr}`).not.toContain(ROOT);
    expect(stdout).toMatch(/leads paid for twice +0 +right/);
    expect(code).toBe(0);
  });

  // With a cache of npm that knows no checkout yet. Otherwise it would be built, under the feet of what runs from it.
  test('builds nothing in a checkout', async () => {
    const bundle = path.join(ROOT, 'dist', 'workflow-bundle.js');
    const { mtimeMs } = statSync(bundle);
    const cache = path.join(installed.root, '..', '..', 'new-cache');
    const args = ['--cache', cache, 'audit-runner', '--version'];
    expect(await installed.run('npx', args, ROOT)).toEqual({ ...SAID_NOTHING, stdout: `${packageVersion()}\n` });
    expect(existsSync(path.join(cache, '_npx'))).toBe(true);
    expect(statSync(bundle).mtimeMs).toBe(mtimeMs);
  });
});

/** The programs of developers.md, and what must not be allowed. */
const programs = (): string[] =>
  [...held('docs/developers.md').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
const REFUSED = `import { createAgentApi, tokenFromText } from 'audit-runner/agent-api';
import { startSandbox } from 'audit-runner/sandbox';
import { leadPipeline } from 'audit-runner/workflows';
export const refused = [
  // @ts-expect-error without a base address
  () => createAgentApi({ token: tokenFromText('') }),
  // @ts-expect-error no such route
  () => createAgentApi({ baseUrl: '', token: tokenFromText('') }).call('leads.lost'),
  // @ts-expect-error no number
  () => startSandbox({ port: 'http' }),
  // @ts-expect-error no boolean
  () => leadPipeline({ dryRun: 'yes' }),
];
`;

/** A CommonJS module cannot wait at its top. */
const inFunction = (code: string) => code.replace(/^(?!import )(.*)/ms, 'export async function main() {\n$1}\n');

const project = (type: string, moduleResolution: string, skipLibCheck: boolean) => ({
  'package.json': JSON.stringify({ type }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, target: 'es2023' },
      ...{ lib: ['es2023'], types: ['node'], noEmit: true, skipLibCheck, moduleResolution },
      module: moduleResolution === 'bundler' ? 'preserve' : moduleResolution,
    },
  }),
  'refused.ts': REFUSED,
  ...Object.fromEntries(
    programs().map((code, i) => [`program-${i}.ts`, type === 'module' ? code : inFunction(code)] as const),
  ),
});

describe('types', () => {
  test.each([
    ['module', 'nodenext'],
    ['module', 'bundler'],
    ['commonjs', 'nodenext'],
    ['commonjs', 'bundler'],
  ])(
    'the programs of developers.md compile, strictly, in a project of type %s, resolved as %s',
    async (type, resolution) => {
      expect(programs()).toHaveLength(4);
      const folder = installed.source(`types-${type}-${resolution}`, project(type, resolution, true));
      expect(await installed.run(tool('tsc'), [], folder)).toEqual({ ...SAID_NOTHING, stdout: '' });
    },
  );

  test('of the package itself need nothing that is not installed with it', async () => {
    const folder = installed.source('types-all', project('module', 'nodenext', false));
    const { stdout } = await installed.run(tool('tsc'), ['--listFiles'], folder);
    const lines = stdout.split('\n').filter((line) => line.includes('node_modules/audit-runner/'));
    expect(lines.length).toBeGreaterThan(10);
    // What is wrong in other packages is told here too, and is not ours.
    expect(lines.filter((line) => line.includes('error TS'))).toEqual([]);
  });

  test('are found under every way of looking for them', async () => {
    const { code, stdout, stderr } = await installed.run(tool('attw'), [installed.tarball, '--format', 'ascii']);
    expect(`${stdout}${stderr}`).toContain('No problems found');
    expect(code).toBe(0);
  });
});

test.each(['module', 'commonjs'])('client and sandbox work together at run time, imported by a %s', async (type) => {
  const [program = ''] = programs();
  const asCommonjs = inFunction(program).replace(/^import (\{.*\}) from (.*);$/gm, 'const $1 = require($2);');
  const file = type === 'module' ? 'program.mjs' : 'program.cjs';
  const code = type === 'module' ? program : `${asCommonjs.replace('export ', '')}main();`;
  const folder = installed.source(`run-${type}`, { [file]: code });
  expect(await installed.run(process.execPath, [file], folder)).toEqual({ ...SAID_NOTHING, stdout: '5 leads\n' });
});

test('the test of developers.md passes against the sandbox of the package', async () => {
  const program = programs().find((code) => code.includes("from 'node:test'")) ?? '';
  const folder = installed.source('run-test', { 'sandbox.test.mjs': program });
  const { code, stdout } = await installed.run(process.execPath, ['--test', 'sandbox.test.mjs'], folder);
  expect(stdout).toMatch(/pass 1\b/);
  expect(code).toBe(0);
});

describe('the package', () => {
  test('holds what is needed, and no tests', () => {
    const { files } = installed;
    expect(files).toEqual(
      expect.arrayContaining([
        ...[
          'LICENSE',
          'CHANGELOG.md',
          'CONTRIBUTING.md',
          'SECURITY.md',
          'README.md',
          'package.json',
          'bin/audit-runner.js',
          'docker-compose.yml',
        ],
        ...['deploy/package.Dockerfile', 'deploy/sandbox-token', 'deploy/temporal-dynamic-config.yaml'],
        ...['dist/workflow-bundle.js', 'dist/workflow-bundle.encrypted.js'],
      ]),
    );
    expect(files.filter((file) => /(^|\/)(test|bench|node_modules|\..*)\/|\.test\.|tsbuildinfo/.test(file))).toEqual(
      [],
    );
    expect(new Set(files.map((file) => file.split('/')[0]))).toEqual(
      new Set([
        ...[
          'LICENSE',
          'CHANGELOG.md',
          'CONTRIBUTING.md',
          'SECURITY.md',
          'README.md',
          'package.json',
          'bin',
          'docker-compose.yml',
          'deploy',
          'docs',
          'examples',
        ],
        ...['dist', 'src', 'workflows', 'activities'],
      ]),
    );
  });

  test('holds what its documents show and link, and what its compose file mounts', () => {
    const pages = installed.files.filter((file) => file.endsWith('.md'));
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/operators.md', 'docs/glossary.md']));
    const links = pages.flatMap((page) =>
      [...held(page).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)|src="([^"]+)"/g)]
        .map(([, link, picture]) => link ?? picture ?? '')
        .filter((link) => !/^(https?:|#)/.test(link))
        .map((link) => path.join(path.dirname(page), link)),
    );
    expect(links).toContain('docs/pictures/report.webp');
    const mounted = [...held('docker-compose.yml').matchAll(/"(\.\/[^":]+):/g)].map(([, file = '']) => file);
    expect(mounted).toContain('./deploy/temporal-dynamic-config.yaml');
    expect([...links, ...mounted].filter((file) => !existsSync(path.join(installed.root, file)))).toEqual([]);
  });

  test('holds the sources that its source maps name', () => {
    const maps = installed.files.filter((file) => file.endsWith('.js.map'));
    expect(maps.length).toBeGreaterThan(100);
    const missing = maps.flatMap((file) => {
      const { sources }: { sources: string[] } = JSON.parse(held(file));
      return sources.filter((source) => !existsSync(path.join(installed.root, path.dirname(file), source)));
    });
    expect(missing).toEqual([]);
  });

  test('names no folder of the machine that packed it', () => {
    const decoded = (text: string) =>
      text.replace(/base64,([\w+/=]{100,})/g, (_, data: string) => Buffer.from(data, 'base64').toString());
    const named = installed.files.filter((file) => decoded(held(file)).includes(ROOT));
    expect(named).toEqual([]);
    expect(decoded(held('dist/workflow-bundle.js'))).toContain('"workflows/lead-pipeline.ts"');
  });

  test('S4: holds no secret that is beside the compose file', async () => {
    const checkout = installed.copyOfCheckout();
    mkdirSync(path.join(checkout, 'deploy', 'secrets'), { recursive: true });
    for (const file of ['deploy/secrets/agent-api-token', '.env', 'deploy/shown']) {
      writeFileSync(path.join(checkout, file), 'secret');
    }
    const { stdout } = await installed.run('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], checkout);
    expect(stdout).toContain('"deploy/shown"');
    expect(stdout).not.toMatch(/"(deploy\/secrets\/.*|\.env)"/);
  });

  test('is what publint wants', async () => {
    const said = await installed.run(tool('publint'), ['run', '--strict', installed.tarball]);
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('All good!') });
  });

  test('would be published without a warning', async () => {
    const { code, stderr } = await installed.run('npm', ['publish', '--dry-run', '--ignore-scripts'], ROOT);
    const warnings = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('npm notice'));
    // Nobody is logged in here, nor needs to be.
    expect(warnings.filter((line) => !line.includes('requires you to be logged in'))).toEqual([]);
    expect(code).toBe(0);
  });
});
