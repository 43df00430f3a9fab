/** What stands in the folder `examples/` is what the program takes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { EXAMPLES } from '../../examples';
import { readCsv } from '../../src/batches/item-rows';
import { loadConfig } from '../../src/config';
import { isWorkflowName, WORKFLOW_TYPES } from '../../src/runs/workflow-types';
import { startSandbox } from '../../src/sandbox';
import { packageRoot } from '../../src/temporal/package-root';

const FOLDER = join(packageRoot(), 'examples');
const NAMES = Object.keys(EXAMPLES);
const textOf = (...path: string[]) => readFileSync(join(FOLDER, ...path), 'utf8');

test('each folder is an example that can be run, and the list has all of them', () => {
  const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
  const [, ...listed] = textOf('README.md')
    .split('\n')
    .flatMap((line) => /^\| \[([^\]]+)\]/.exec(line)?.[1] ?? (/^\| example/.test(line) ? 'head' : []));
  expect(listed).toEqual(NAMES);
});

test.each(NAMES)('%s has a configuration file that audit-runner reads, without a secret', (name) => {
  const file = join(FOLDER, name, 'audit-runner.yaml');
  const { accounts, notices } = loadConfig({ env: {}, file, cwd: join(FOLDER, name), tokens: false });
  expect(Object.keys(accounts)).toEqual(['default']);
  expect(accounts.default?.speed).toBe(1);
  expect(notices).toEqual([]);
  for (const one of readdirSync(join(FOLDER, name), { recursive: true, withFileTypes: true }))
    if (one.isFile() && !one.parentPath.includes('node_modules'))
      expect(readFileSync(join(one.parentPath, one.name), 'utf8')).not.toMatch(/aky_|BEGIN .*KEY|AKIA/);
});

test.each(NAMES)('%s has a page that names its command, and commands and workflows that are there', (name) => {
  const text = textOf(name, 'README.md');
  const named = [...text.matchAll(/npm run example -- ([\w-]+)/g)].map(([, one]) => one);
  expect([...new Set(named)]).toEqual([name]);
  // `test/docs` looks whether the commands of audit-runner are there.
  const started = [...text.matchAll(/npx audit-runner run (\w+)/g)].map(([, type = '']) => type);
  expect(started.filter((type) => !isWorkflowName(type))).toEqual([]);
});

/** Inputs, by the workflow that takes them. */
const INPUTS = {
  'csv-backfill': { 'plan.json': 'backfill', 'backfill.json': 'backfill' },
  'audits-with-documents': { 'note.json': 'ingestCapture', 'audit.json': 'auditProject' },
} as const;

test.each(Object.entries(INPUTS))('%s has inputs that the workflow takes', (name, inputs) => {
  const files = readdirSync(join(FOLDER, name)).filter((file) => file.endsWith('.json'));
  expect(files.sort()).toEqual(Object.keys(inputs).sort());
  for (const [file, type] of Object.entries(inputs))
    expect(WORKFLOW_TYPES[type].schema.safeParse(JSON.parse(textOf(name, file))).error?.message).toBeUndefined();
});

test('the file of csv-backfill names leads that its sandbox has', async () => {
  const { file } = z
    .object({ file: z.object({ ref: z.string(), columns: z.record(z.string(), z.literal('leadId')) }) })
    .parse(JSON.parse(textOf('csv-backfill', 'backfill.json')));
  const [column = ''] = Object.keys(file.columns);
  const sandbox = await startSandbox(EXAMPLES['csv-backfill']?.sandbox);
  try {
    const known = new Set(sandbox.control.leads().map(({ id }) => id));
    const bytes = Readable.from([Buffer.from(textOf('csv-backfill', file.ref))]);
    const ids: unknown[] = [];
    for await (const row of readCsv(bytes, ',', () => undefined)) ids.push('values' in row && row.values[column]);
    expect(ids).toHaveLength(7);
    expect(ids.filter((id) => id !== undefined && !known.has(String(id)))).toEqual([]);
  } finally {
    await sandbox.close();
  }
});

test('developers.md quotes the workflow of own-workflow as it is', () => {
  const page = readFileSync(join(packageRoot(), 'docs', 'developers.md'), 'utf8');
  expect(page).toContain(`\`\`\`typescript\n${textOf('own-workflow', 'src', 'workflows.ts')}\`\`\`\n`);
});

test('own-workflow imports only what audit-runner exports, and asks for the versions that it has', () => {
  const Manifest = z.object({
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
  });
  const root = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  const { dependencies, devDependencies } = Manifest.parse(JSON.parse(textOf('own-workflow', 'package.json')));
  const { 'audit-runner': ours, ...others } = { ...dependencies, ...devDependencies };
  expect(ours).toBe('file:../..');
  expect({ ...root.dependencies, ...root.devDependencies }).toMatchObject(others);

  const imported = readdirSync(join(FOLDER, 'own-workflow', 'src')).flatMap((file) =>
    [...textOf('own-workflow', 'src', file).matchAll(/from '([^'.][^']*)'/g)].map(([, name = '']) => name),
  );
  const exported = Object.keys(root.exports).map((name) => name.replace('.', 'audit-runner'));
  expect(imported).toContain('audit-runner/workflows');
  const known = [...exported, ...Object.keys(others)];
  expect(imported.filter((name) => !known.includes(name))).toEqual([]);
});
