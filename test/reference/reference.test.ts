/** `docs/reference/` is what the code says, and the code says what everything means. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '../../src/cli/environment';
import { program } from '../../src/cli/main';
import { REASON_WORDS } from '../../src/runs/reason-words';
import { STAGES } from '../../src/runs/stages';
import { WORKFLOW_TYPES } from '../../src/runs/workflow-types';
import { packageRoot } from '../../src/temporal/package-root';
import { commands, optionsOf } from './commands';
import { settings } from './configuration';
import { type Field, fieldsOf } from './fields';
import { failures, notices } from './messages';
import { pages, referenceFolder } from './pages';
import { reasons, verdicts } from './reason-codes';
import { attributes } from './search-attributes';
import { type AllMessages, allMessages } from './updates';

let messages: AllMessages;
beforeAll(async () => {
  messages = await allMessages();
});

const sources = (...folders: string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(packageRoot(), folder, file), 'utf8')),
  );

/** Every field that a person can give, with where it belongs. */
const fields = (): [where: string, Field][] => [
  ...settings().map((field): [string, Field] => ['configuration', field]),
  ...Object.entries(WORKFLOW_TYPES).flatMap(([type, { schema }]) =>
    fieldsOf(schema).map((field): [string, Field] => [type, field]),
  ),
  ...messages.people.flatMap(({ type, name, schema }) =>
    fieldsOf(schema).map((field): [string, Field] => [`${type}.${name}`, field]),
  ),
];

test('the committed pages are those that `npm run reference` writes', async () => {
  const made = await pages();
  const committed = readdirSync(referenceFolder());
  expect(committed.sort()).toEqual([...made.keys()].sort());
  for (const name of committed) expect(readFileSync(join(referenceFolder(), name), 'utf8')).toBe(made.get(name));
});

test('every field has a meaning', () => {
  const all = fields();
  expect(all.length).toBeGreaterThan(200);
  expect(all.filter(([, { meaning }]) => meaning === '').map(([where, { path }]) => `${where}: ${path}`)).toEqual([]);
});

test('what a meaning says of a default is the default', () => {
  expect(
    fields().flatMap(([where, { contradiction }]) => (contradiction ? [`${where}: ${contradiction}`] : [])),
  ).toEqual([]);
});

test('every command, option, search attribute, notice, failure and reason has a meaning', () => {
  const all = [
    ...commands().flatMap(({ name, command }) => [
      [name, command.description()],
      ...optionsOf(command).map(({ flags, description }) => [`${name} ${flags}`, description]),
    ]),
    ...optionsOf(program).map(({ flags, description }) => [flags, description]),
    ...[...attributes(), ...notices(), ...failures(), ...reasons(), ...verdicts()].map(({ name, meaning }) => [
      name,
      meaning,
    ]),
  ];
  expect(all.length).toBeGreaterThan(50);
  expect(all.filter(([, meaning]) => !meaning)).toEqual([]);
});

test('every reason code is told, those of runs and those of leads', () => {
  const told = reasons().map(({ name }) => name);
  expect(told).toEqual(expect.arrayContaining([...Object.keys(REASON_WORDS), 'http404', 'planTooLow:…']));
  expect(new Set(told).size).toBe(told.length);
  // What the rules decide; an example of each way in which they do.
  expect(verdicts().map(({ name }) => name)).toEqual(
    expect.arrayContaining(['meetsAll', 'belowReadiness', 'missingEmail', 'excludedName', 'overMaxConversions']),
  );
  expect(verdicts().length).toBeGreaterThan(19);
});

test('every update takes the fields that are told of it', () => {
  const told = messages.people.map(({ type, name, schema }) => [
    `${type}.${name}`,
    fieldsOf(schema)
      .map(({ path }) => path)
      .filter((path) => !path.includes('.'))
      .sort(),
  ]);
  expect(told).toEqual(messages.people.map(({ type, name, takes }) => [`${type}.${name}`, [...takes].sort()]));
});

test('every update, query and signal that a workflow knows is told, with its meaning', () => {
  const defined = sources('workflows', 'src/ledger').flatMap((text) =>
    [...text.matchAll(/define(?:Update|Query|Signal)(?:<.*>)?\(\s*'(\w+)'/g)].map(([, name = '']) => name),
  );
  expect(defined.length).toBeGreaterThan(30);
  const told = [...messages.people, ...messages.workers, ...messages.queries, ...messages.signals];
  expect([...new Set(defined)].filter((name) => !told.some((one) => one.name === name))).toEqual(RUNS_OWN);
  expect(told.filter(({ description }) => description === '').map(({ type, name }) => `${type}.${name}`)).toEqual([]);
});

/** Registered only while runs queue; sent by runs. */
const RUNS_OWN = ['place'];

test('every environment variable that the code reads is told', () => {
  const read = sources('src').flatMap((text) =>
    [...text.matchAll(/\b(?:AGENT_API|AUDIT_RUNNER|TEMPORAL|STORAGE_URL|LOG_LEVEL\b|AWS)_?[A-Z0-9_]*\b/g)].map(
      ([name]) => name,
    ),
  );
  const told = Object.entries(VARIABLES).flat().join(' ');
  expect(read.length).toBeGreaterThan(20);
  expect([...new Set(read)].filter((name) => !new RegExp(`\\b${name}`).test(told)).sort()).toEqual(NOT_FOR_PEOPLE);
});

/** The code sets it for a library. */
const NOT_FOR_PEOPLE = ['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'];

test('every stage is one that some workflow shows', () => {
  const text = sources('workflows').join('\n');
  expect(Object.keys(STAGES).filter((stage) => !text.includes(`'${stage}'`))).toEqual([]);
});
