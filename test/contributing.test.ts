/** The recipes of CONTRIBUTING.md name the files that their examples are made of: all of them, and no other. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/temporal/package-root';

const guide = readFileSync(join(packageRoot(), 'CONTRIBUTING.md'), 'utf8');

/** The recipe of a heading, and the files that it names. */
function recipe(heading: string): string[] {
  const [, text = ''] = guide.split(`### ${heading}\n`);
  const [own = ''] = text.split(/^###? /m);
  return [...own.matchAll(/`((?:src|workflows|activities|test)\/[^`]+\.ts)`/g)].map(([, file = '']) => file);
}

const product = ['src', 'workflows', 'activities'].flatMap((folder) =>
  readdirSync(join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);
const textOf = (file: string) => readFileSync(join(packageRoot(), file), 'utf8');

/** How the example of each recipe is named in code. */
const EXAMPLES: [heading: string, mark: RegExp][] = [
  ['Add a workflow', /captureSweep|CaptureSweep/],
  ['Add a route', /captures\.reprocess/],
  [
    'Add a call that costs, or that must not happen twice',
    /convertLeadOnce|leadSubject = \(leadId: string\): string|kind: 'lead',/,
  ],
  ['Add a rate class', /\bnotes: \{ limit|'notes'/],
  ['Add a scoring rule', /minComposite/],
  ['Add a metric', /audit_runner_sends_settling/],
  ['Add a notification format', /slackBody|BODIES\.slack/],
];

test.each(EXAMPLES)('%s', (heading, mark) => {
  const named = recipe(heading);
  const made = product.filter((file) => mark.test(textOf(file)));
  // What a recipe says of others than its example.
  const beside = [
    ...['workflows/shared/calls.ts', 'src/sandbox/marks.ts', 'activities/account.ts', 'src/batches/plan.ts'],
    ...['src/agent-api/records.ts', 'src/agent-api/undocumented.ts', 'src/sandbox/rows.ts', 'src/sandbox/seed.ts'],
    ...['src/sandbox/payments.ts', 'src/sandbox/agent-server.ts', 'src/sandbox/handlers/leads.ts'],
    ...['test/workflows/paying-types.test.ts', 'test/workflows/convert-lead.suite.ts'],
  ];
  expect(named.filter((file) => !file.startsWith('test/') && !beside.includes(file)).sort()).toEqual(
    made.filter((file) => !beside.includes(file)).sort(),
  );
  const shown = named.filter((one) => one.startsWith('test/') && !beside.includes(one));
  for (const file of shown) expect(textOf(file)).toMatch(mark);
});

test('every file and folder that the guide names is there', () => {
  const named = [...guide.matchAll(/`((?:src|workflows|activities|test|docs|bench|\.ci)\/[^`*{}]*)`/g)];
  expect(named.length).toBeGreaterThan(30);
  for (const [, file = ''] of named) expect([file, existsSync(join(packageRoot(), file))]).toEqual([file, true]);
});
