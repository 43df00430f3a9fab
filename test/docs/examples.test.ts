/** What the documents tell people to type is what the program takes. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { VARIABLES } from '../../src/cli/environment';
import { program } from '../../src/cli/main';
import { ConfigFile } from '../../src/config/schema';
import { LimitChanges as BatchChanges } from '../../src/inputs/backfill';
import { LimitChanges } from '../../src/inputs/lead-pipeline';
import * as said from '../../src/inputs/person-messages';
import { isWorkflowName, WORKFLOW_TYPES } from '../../src/runs/workflow-types';
import { packageRoot } from '../../src/temporal/package-root';
import { commands, optionsOf } from '../reference/commands';
import { blocks, FOR_READERS, prose, rows, textOf, withoutBlocks } from './documents';

/** An ID in place of the one that a reader puts in. */
const filled = (json: string): unknown => JSON.parse(json.replaceAll('…', 'x-1'));

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => textOf(join(folder, name)));
const workflows = sourcesIn('workflows');
const sources = [...workflows, ...sourcesIn('src'), ...sourcesIn('activities')];

describe('commands', () => {
  /** Commands as they stand in code, in the text and in blocks, after `npx audit-runner`. */
  const written = prose().flatMap((file) =>
    [...textOf(file).matchAll(/npx audit-runner ((?:[^`\n|#;&]|\\\n)+)/g)].map(
      ([, words = '']) => [file, words.trim()] as const,
    ),
  );
  const ofAll = optionsOf(program).flatMap(({ long, short }) => [long, short]);
  const options = new Map(
    commands().map(({ name, command }) => [
      name.replace(/^audit-runner /, ''),
      [...optionsOf(command).flatMap(({ long, short }) => [long, short]), ...ofAll],
    ]),
  );
  /** The longest name that the words begin with: of `books verify` both. */
  const nameIn = (words: string) =>
    [...options.keys()].filter((name) => `${words} `.startsWith(`${name} `)).sort((a, b) => b.length - a.length)[0];
  const groups = new Set([...options.keys()].filter((name) => name.includes(' ')).map((name) => name.split(' ')[0]));

  test('are commands of the program, with options that they have', () => {
    expect(written.length).toBeGreaterThan(80);
    const wrong = written.flatMap(([file, words]) => {
      const name = nameIn(words);
      if (name === undefined) return groups.has(words) || ofAll.includes(words) ? [] : [[file, words]];
      const given = words.replace(/'[^']*'|"[^"]*"/g, '').match(/(?<=\s)--?[a-z][\w-]*/g) ?? [];
      const known = [...(options.get(name) ?? []), '--help'];
      return given.filter((flag) => !known.includes(flag)).map((flag) => [file, words, flag]);
    });
    expect(wrong).toEqual([]);
  });

  test('give inputs that the workflows take', () => {
    const given = FOR_READERS.flatMap((file) =>
      [...textOf(file).matchAll(/npx audit-runner (run (\w+)|backfill start) --input '([^']+)'/g)].map(
        ([, , type = 'backfill', input = '']) => [type, input] as const,
      ),
    );
    expect(given.length).toBeGreaterThan(8);
    for (const [type, input] of given) {
      if (!isWorkflowName(type)) throw new Error(`there is no workflow ${type}`);
      expect([input, WORKFLOW_TYPES[type].schema.safeParse(filled(input)).error?.message]).toEqual([input, undefined]);
    }
  });
});

describe('operators.md', () => {
  const text = textOf('docs/operators.md');
  const jsonIn = (cell: string) => [...cell.matchAll(/`(\{[^`]*\})`/g)].map(([, json = '']) => json);

  test('gives inputs that the workflows take', () => {
    const given = rows(text).flatMap(([name = '', inputs = '']) => {
      const type = name.replaceAll('`', '');
      return isWorkflowName(type) ? jsonIn(inputs).map((json) => [type, json] as const) : [];
    });
    const batches = (text.split('\n## Batches')[1] ?? '').split('\n## ')[0] ?? '';
    const ofBatches = rows(batches).flatMap(([, json = '']) => jsonIn(json).map((one) => ['backfill', one] as const));
    const audit = blocks(text, 'json').map(
      (json) => [json.includes('project"') ? 'auditProject' : 'ingestCapture', json] as const,
    );
    expect([given.length, ofBatches.length, audit.length]).toEqual([11, 5, 2]);
    for (const [type, json] of [...given, ...ofBatches, ...audit]) {
      const { error } = WORKFLOW_TYPES[type as keyof typeof WORKFLOW_TYPES].schema.safeParse(filled(json));
      expect([type, json, error?.message]).toEqual([type, json, undefined]);
    }
  });

  const { PersonNote, DecideSaid, ProjectSaid, CaptureSaid, StopSaid } = said;
  const UPDATES = {
    ...{ approve: PersonNote, reject: PersonNote, pause: PersonNote, resume: PersonNote, retryFailed: PersonNote },
    ...{ accept: PersonNote, reprocess: PersonNote, giveUp: PersonNote, documentsUploaded: PersonNote },
    ...{ changeLimits: LimitChanges.or(BatchChanges), stop: StopSaid, decide: DecideSaid },
    ...{ chooseProject: ProjectSaid, noteSubmitted: CaptureSaid, hold: said.Reasoned, release: said.ReleaseSaid },
    ...{ setBudget: said.BudgetSaid, adjust: said.AdjustSaid, clear: said.ClearSaid },
  };

  test('gives updates as their runs take them, and all that people send', () => {
    const section = (text.split('\n## Updates\n')[1] ?? '').split('\n## ')[0] ?? '';
    const given = rows(section).flatMap(([name = '', data = '']) =>
      jsonIn(data).map((json) => [name.replaceAll('`', ''), json] as const),
    );
    expect([...new Set(given.map(([name]) => name))].sort()).toEqual(Object.keys(UPDATES).sort());
    for (const [name, json] of given) {
      const schema = UPDATES[name as keyof typeof UPDATES];
      expect([name, json, schema.safeParse(JSON.parse(json)).error?.message]).toEqual([name, json, undefined]);
    }
  });

  test('names every update that a run has', () => {
    const defined = sources.flatMap((source) =>
      [...source.matchAll(/defineUpdate<[^(]*>\('(\w+)'\)/g)].map(([, name = '']) => name),
    );
    expect(defined.length).toBeGreaterThan(20);
    expect(defined.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  /** What a page says, as it stands in the code: its parts between what differs from run to run. */
  const inCode = sources.join('\n').replace(/\\`/g, '`').replace(/\\'/g, "'");
  const quoted = rows(text).flatMap(([first = '']) =>
    [...first.matchAll(/"([^"]+)"/g)].map(([, sentence = '']) => sentence),
  );

  test('quotes what the pages say', () => {
    expect(quoted.length).toBeGreaterThan(50);
    const parts = quoted.flatMap((sentence) => sentence.split('…').map((part) => part.trim()));
    const missing = parts.filter((part) => /[a-z]{3}/i.test(part) && !inCode.includes(part));
    expect(missing).toEqual([]);
  });

  /** What a literal says between what is filled in. */
  const LITERAL = /(?:(?:waits|decide|asksPerson)\(|\b(?:asks|also) =)\s*(?:`((?:[^`\\]|\\.)*)|'((?:[^'\\]|\\.)*)')/gs;
  const waits = workflows.flatMap((source) =>
    [...source.matchAll(LITERAL)].map(([, template, plain]) => (template ?? plain ?? '').replace(/\\`/g, '`')),
  );
  const holds = [
    ...textOf('src/ledger/describe-holds.ts').matchAll(
      /^ {2}(?:killSwitch|token|otherUser|noCredits|books|manual|unreadable|refused):\s*['"](.*)['"],$/gm,
    ),
  ].map(([, sentence = '']) => sentence);

  test('explains every sentence with which a run waits, and every hold', () => {
    expect([waits.length > 25, holds.length]).toEqual([true, 8]);
    const parts = quoted.flatMap((sentence) => sentence.split('…').map((part) => part.trim()));
    const explained = (sentence: string) => parts.some((part) => part.length >= 9 && sentence.includes(part));
    /** Others are all filled in. */
    const isSaid = (sentence: string) => /[a-z]{4}/i.test(sentence.replace(/\$\{[^}]*(\}|$)/g, ''));
    expect([...waits, ...holds].filter((sentence) => isSaid(sentence) && !explained(sentence))).toEqual([]);
  });
});

test('the configuration in administrators.md is one that audit-runner reads', () => {
  // Overrides of the compose file are that file's: test/docs/deployed.deploy.test.ts reads them.
  const yaml = blocks(textOf('docs/administrators.md'), 'yaml').filter((text) => !text.startsWith('services:'));
  expect(yaml.length).toBeGreaterThan(4);
  for (const text of yaml) {
    const read = ConfigFile.safeParse(parse(text.replaceAll('https://…', 'https://example.com')));
    expect([text, read.error?.message]).toEqual([text, undefined]);
  }
});

test('administrators.md names the commands that have no --json', () => {
  const [, sentence = ''] = /Every command has `--json`, except ([^.]+)\./.exec(textOf('docs/administrators.md')) ?? [];
  const named = [...sentence.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const without = commands().filter(({ command }) => !optionsOf(command).some(({ long }) => long === '--json'));
  expect(named.sort()).toEqual(without.map(({ name }) => name.replace(/^audit-runner /, '')).sort());
});

test('administrators.md quotes what the program says', () => {
  const [, section = ''] = textOf('docs/administrators.md').split('\n## Troubleshoot');
  const quoted = rows(section).flatMap(([first = '']) =>
    [...first.matchAll(/"([^"]+)"/g)].map(([, words = '']) => words),
  );
  expect(quoted.length).toBeGreaterThan(9);
  expect(quoted.filter((words) => !sources.some((source) => source.includes(words)))).toEqual([]);
});

test('the environment variables that the code reads are documented', () => {
  const listed = withoutBlocks(textOf('docs/administrators.md'));
  const named = Object.keys(VARIABLES);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !listed.includes(name))).toEqual([]);
});

test('the unit of systemd starts a file of the package, with variables of its own, and lets it end', () => {
  const [unit = ''] = blocks(textOf('docs/administrators.md'), 'ini');
  const [, file = '', command] = /^ExecStart=\S+ node_modules\/audit-runner\/(\S+) (\w+)$/m.exec(unit) ?? [];
  expect([existsSync(join(packageRoot(), file)), command]).toEqual([true, 'worker']);
  const variables = [...unit.matchAll(/\bAUDIT_RUNNER_\w+/g)].map(([name]) => name);
  expect(variables.filter((name) => !(name in VARIABLES))).toEqual([]);
  // Calls in flight may take 6 minutes.
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(420);
});
