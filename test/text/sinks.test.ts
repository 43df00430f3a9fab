/** S4: every text of the shared corpus goes through every way out, and is nothing there but a text. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { asName, Id } from '../../src/agent-api/id';
import { createLogger } from '../../src/log';
import { BODIES, type Notice, titleOf } from '../../src/notify/message';
import { cell } from '../../src/report/spending/csv';
import { isRef } from '../../src/storage/ref';
import { packageRoot } from '../../src/temporal/package-root';
import { asArgument } from '../../src/text/command';
import { linkToRun } from '../../src/text/links';
import { quoted } from '../../src/text/list-filter';
import { html, oneLine } from '../../src/text/printable';
import { forTerminal, jsonForTerminal } from '../../src/text/terminal';
import { HOSTILE, randomTexts, WORKFLOW_ID } from './hostile-texts';

const texts = [...HOSTILE, WORKFLOW_ID, ...randomTexts(500, 13)];

/** What a terminal obeys, and what makes a text read otherwise than it stands. */
const OBEYED = /[^\P{Cc}\n\t]|[^\P{Cf}\u200c\u200d]/u;

/** Those of the texts of which it is not so. */
const wrongly = (isSo: (text: string) => boolean) => expect(texts.filter((text) => !isSo(text))).toEqual([]);

const logged = (text: string, pretty: boolean) => {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', pretty, output: { write: (line) => lines.push(line) } });
  log.info({ id: text, [text]: 1, err: new Error(text) }, text);
  return lines.join('');
};

test('a terminal obeys none', () => {
  wrongly((text) => !OBEYED.test(forTerminal(text)));
  wrongly((text) => !OBEYED.test(oneLine(text)) && !oneLine(text).includes('\n'));
  wrongly((text) => {
    const json = jsonForTerminal(JSON.stringify({ text }));
    return !OBEYED.test(json) && JSON.parse(json).text === text;
  });
});

test('a line of a log is one line with the same values, of which a terminal obeys nothing', () => {
  wrongly((text) => {
    const line = logged(text, false);
    const { id, msg } = JSON.parse(line);
    return line.indexOf('\n') === line.length - 1 && !OBEYED.test(line) && id === text && msg === text;
  });
});

test('nor of a line of a log for people', () => wrongly((text) => !OBEYED.test(logged(text, true))));

test('in the filter of a list none ends its quotation', () => {
  // As a server reads it: a backslash takes what comes after it as it is.
  wrongly((text) => /^'(?:[^'\\]|\\.)*'$/s.test(quoted(text)));
});

/** Names of ours, not of others: constants, moments, and lists whose members are quoted. */
const OURS = [
  ...['type', 'TYPE', 'BUDGET_STAGE', 'FIRST_STAGE', 'SENDERS', 'OWNER', "scheduleId('')", 'ids', 'own', 'versions'],
  ...['since', 'until', 'new Date(since).toISOString()', 'moment(since)', 'moment(until)'],
  'UNDONE_OUTCOMES.map((word) => `"${word',
];

test('no filter of a list holds what others chose but as a quoted value', () => {
  const folders = ['src', 'activities', 'workflows'].map((folder) => join(packageRoot(), folder));
  const held = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => {
        const source = readFileSync(join(folder, name), 'utf8');
        return [...source.matchAll(/\b[A-Z]\w+ (?:=|!=|<|>|<=|>=|IN|STARTS_WITH) ?\(?["']?\$\{([^}]*)\}/g)].map(
          ([, value = '']) => `${basename(name)}: ${value}`,
        );
      }),
  );
  expect(held.length).toBeGreaterThan(8);
  expect(held.filter((one) => !/: quoted\(/.test(one) && !OURS.includes(one.replace(/^.*?: /, '')))).toEqual([]);
});

test('as the name of a document each has one of its own, which leads nowhere else', () => {
  wrongly((text) => /^[\w~-]*$/.test(asName(text)));
  expect(new Set(texts.map(asName)).size).toBe(new Set(texts).size);
  wrongly((text) => !isRef(text) || !text.split('/').some((part) => ['', '.', '..'].includes(part)));
});

test('what is an ID is no way up, no option and no markup of HTML, and is nothing that a terminal obeys', () => {
  wrongly((text) => !Id.safeParse(text).success || !/(?:^|\/)\.\.?(?:\/|$)|[<>"'`\s]|\p{C}/u.test(text));
});

test('a shell takes what is shown of each for one word', () => {
  const shown = texts.map((text) => asArgument(text)).filter((text) => text !== '<run>');
  const words = execFileSync('sh', ['-c', `printf '%s\\0' ${shown.join(' ')}`], { encoding: 'utf8' });
  expect(words.split('\0').slice(0, -1)).toEqual(shown.map((text) => text.replace(/^'(.*)'$/s, '$1')));
});

test('in a table none is a formula or more than one cell', () => {
  wrongly((text) => {
    const rows: string[][] = parse(`${cell(text)},last\r\n`, { relax_quotes: false });
    const [value = ''] = rows[0] ?? [];
    return (
      rows.length === 1 &&
      rows[0]?.[1] === 'last' &&
      !/^[=+\-@\t\r]/.test(value) &&
      value.endsWith(Buffer.from(text).toString())
    );
  });
});

test('in HTML none is markup or ends an attribute', () => {
  wrongly((text) => !/[<>"']/.test(html`${text}`.source) && !OBEYED.test(html`${text}`.source));
});

test('a link to a run leads to it and nowhere else, or is none', () => {
  const here = /\]\(namespaces\/default\/workflows\/(?!\.{1,2}\))[^/?#()\s]+\)$/;
  const link = (text: string) => linkToRun('default', text, 'a').source;
  wrongly((text) => here.test(link(text)) || !/[[\]()]/.test(link(text)));
  expect(texts.filter((text) => here.test(link(text))).length).toBeGreaterThan(texts.length - 10);
});

test('the title of a notice is one line, and a notice is JSON with the same values', () => {
  const notice: Notice = {
    ...{ kind: 'personActed', account: 'default', workflowType: 'leadPipeline', what: 'approve', nth: 1 },
    ...{ workflowId: 'run', runId: 'run-1' },
  };
  wrongly((text) => {
    const one = { ...notice, workflowId: text, by: text, what: text };
    const { data } = JSON.parse(BODIES.standard(one, 'https://ui.test/run', new Date(0)));
    return !/[\n\r]/.test(titleOf(one)) && !OBEYED.test(titleOf(one)) && data.workflowId === text;
  });
});
