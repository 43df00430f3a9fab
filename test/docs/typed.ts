/** What the documents tell people to type: each command of their blocks of shell, complete. */
import { blocks, prose, textOf, withoutIndent } from './documents';

export interface Typed {
  readonly file: string;
  readonly command: string;
}

const isOpen = (command: string): boolean =>
  // Inside quotes, before the word that ends a document, or before the rest of a line.
  (command.replace(/"[^"]*"/g, '').match(/'/g) ?? []).length % 2 === 1 ||
  /\\$/.test(command) ||
  (/<<'(\w+)'\n/.test(command) && !/<<'(\w+)'\n(?:.*\n)*\1$/.test(command)) ||
  /<<'(\w+)'$/.test(command);

/** Commands of one block. */
export function commandsOf(block: string): string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of block.split('\n')) {
    open += open === '' ? line : `\n${line}`;
    if (isOpen(open)) continue;
    if (!/^\s*(#|$)/.test(open)) commands.push(open);
    open = '';
  }
  if (open !== '') throw new Error(`it does not end: ${open}`);
  return commands;
}

/** Of one document, in their order. */
export const typedIn = (file: string): Typed[] =>
  [...textOf(file).matchAll(/^( *)```sh\n/gm)].length === 0
    ? []
    : blocks(textOf(file), 'sh')
        .flatMap((block) => commandsOf(withoutIndent(block, (/^ */.exec(block)?.[0] ?? '').length)))
        .map((command) => ({ file, command }));

export const typed = (): Typed[] => prose().flatMap(typedIn);

/** A test that types commands. Where it only plays something like them, it says what keeps a test of the documents from it. */
interface Typist {
  readonly which: RegExp;
  /** A file below `test/`, or another of the checkout. */
  readonly by: string;
  readonly why?: string;
}

/** Who types what. Each command is one typist's. */
export const TYPISTS: readonly Typist[] = [
  { which: /^npx audit-runner (?!(?:codec-server|demo|dev|worker)\b)/, by: 'docs/as-typed.matrix.test.ts' },
  { which: /^npm run simulate -- (?!--planted )/, by: 'docs/as-typed.matrix.test.ts' },
  { which: /^npm run edges -- shapes --list\b/, by: 'docs/as-typed.matrix.test.ts' },
  { which: /^temporal (?!worker deployment)/, by: 'docs/as-typed.matrix.test.ts' },
  {
    which: /^temporal worker deployment /,
    by: 'temporal/versioning.server.test.ts',
    why: 'it needs workers of two builds: their test types such commands',
  },
  {
    which: /^(?:docker compose|cat|chmod|cp|echo|export|mkdir|openssl|secret=\$)(?=[ (])/,
    by: 'docs/deployed.deploy.test.ts',
  },
  {
    which: /^kubectl /,
    by: 'deploy/kubernetes.deploy.test.ts',
    why: 'there is no cluster here: the test checks the file that is applied, and the names of the secrets',
  },
  { which: /^npm run build$|^npx jest .* check-project$/, by: 'docs/recipe.matrix.test.ts' },
  // What follows is not typed as it stands.
  {
    which: /^npx audit-runner dev\b/,
    by: 'cli/dev.crash.test.ts',
    why: 'it goes on until it is interrupted, and takes the ports of whoever works on this machine',
  },
  { which: /^npx audit-runner worker$/, by: 'cli/worker.crash.test.ts', why: 'it goes on until it is interrupted' },
  {
    which: /^npx audit-runner codec-server$/,
    by: 'cli/codec-server.test.ts',
    why: 'it goes on until it is interrupted',
  },
  {
    which: /^npm install audit-runner( && npx audit-runner demo)?$/,
    by: 'package/installed.package.test.ts',
    why: 'the registry has another version than this one: the test installs the package that this checkout makes',
  },
  {
    which: /^npm pkg set type=module$|^npm install --save-dev |^npx tsc |^node out\//,
    by: 'package/installed.package.test.ts',
    why: 'it is about a project of the reader: the test compiles the programs in some, and runs them',
  },
  {
    which: /^npm ci( && npm test)?$/,
    by: '.ci/bare-machine',
    why: 'it would replace the packages of the checkout under the feet of the test, and run the tests in a test',
  },
  {
    which: /^npm ci && npm run demo$/,
    by: 'cli/demo.crash.test.ts',
    why: 'it would replace the packages of the checkout under the feet of the test',
  },
  ...['scheduled-leads', 'csv-backfill', 'audits-with-documents', 'own-workflow'].map((name) => ({
    which: new RegExp(`^npm run example -- ${name}$`),
    by: `examples/${name}.crash.test.ts`,
    why: 'its own test plays it by this very script, and looks at what it leaves',
  })),
  {
    which: /^npm install && npm run build$|^TEMPORAL_ADDRESS=\S+ (?:NOTIFY_URL=\S+ npm run worker|npm start)$/,
    by: 'examples/own-workflow.crash.test.ts',
    why: 'the package has to be copied first: the example does that, without a registry, and runs the same scripts',
  },
  {
    which: /^npm run simulate -- --planted /,
    by: 'simulation/planted.long.test.ts',
    why: 'a bug is looked for up to ten minutes',
  },
];

export const typistsOf = (command: string): Typist[] => TYPISTS.filter(({ which }) => which.test(command));

/** All that one test has to type. */
export const typedBy = (by: string): Typed[] =>
  typed().filter(({ command }) => typistsOf(command).some((typist) => typist.by === by));
