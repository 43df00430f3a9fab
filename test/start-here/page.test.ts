import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ledgersOf, NOT_DONE } from '../../src/runs/lists';
import { WORKFLOW_TYPES } from '../../src/runs/workflow-types';
import { exampleAccount, exampleInput } from '../../src/start-here/example-inputs';
import { exampleForm, MAX_ENCODED, type Page, startPage } from '../../src/start-here/start-page';
import { linkToList } from '../../src/text/links';

const RUN_ID = '01a1fd5d-44c5-768a-81e8-a30700242da1';
const real = Object.entries(WORKFLOW_TYPES).map(([type, { about }]) => {
  return { type, about, input: exampleInput(type, 'default'), runId: RUN_ID };
});
const page = (over: Partial<Page> = {}): string =>
  startPage({
    namespace: 'default',
    accounts: ['default'],
    version: '0.1.0',
    today: '2026-01-31',
    entries: real,
    ...over,
  });
const encoded = (text: string) => encodeURIComponent(text).length;
const many = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ ...real[0], type: `type${i}`, about: 'does it', input: { n: i } }));

test.each(Object.entries(WORKFLOW_TYPES))('the example of %s is an input that it takes', (type, { plan }) => {
  expect(Object.keys(exampleInput(type, 'other')).length).toBeGreaterThan(1);
  expect(plan(exampleInput(type, 'other'))).toMatchObject({ account: 'other' });
});

test('examples name the account default, or else the first', () => {
  expect(exampleAccount(['other', 'default'])).toBe('default');
  expect(exampleAccount(['default', 'other'])).toBe('default');
  expect(exampleAccount(['b', 'a'])).toBe('b');
  expect(exampleAccount([])).toBe('default');
});

test('every workflow type is there with its sentence, its example and its link, and fits into an address', () => {
  const text = page();
  for (const { type, input } of real) {
    expect(text).toContain(`**[${type}](${exampleForm('default', { type, runId: RUN_ID })})**`);
    expect(text).toContain(`\`${JSON.stringify(input, null, 1).replace(/\n */g, ' ')}\``);
  }
  expect(encoded(text)).toBeLessThanOrEqual(MAX_ENCODED);
});

test('a page that grows too long leaves out what the form shows as well, then the links; never a type', () => {
  expect(page({ entries: many(12) })).toContain('{ "n": 3 }');
  const some = page({ entries: many(20) });
  expect(some).toContain('[type19](');
  expect(some).not.toContain('{ "n": 3 }');
  const all = page({ entries: many(100) });
  expect(all).toContain('- type99');
  for (const text of [some, all]) expect(encoded(text)).toBeLessThanOrEqual(MAX_ENCODED);
});

test('the form is addressed with all its fields, under the path of the Web UI', () => {
  const path = exampleForm('a b/c', { type: 'convertLead', runId: RUN_ID });
  const url = new URL(path, 'http://127.0.0.1/temporal/render?content=x');
  expect(url.pathname).toBe('/temporal/namespaces/a%20b%2Fc/workflows/start-workflow');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    ...{ workflowType: 'convertLead', taskQueue: 'audit-runner', workflowId: 'example.convertLead', runId: RUN_ID },
  });
});

test('nothing that is shown becomes markup', () => {
  const text = page({
    version: '1.0.0-<b>x</b>',
    entries: [{ type: 'a_b', about: '[no](http://link) <script> | $5', input: { text: '`</code>`\n# heading' } }],
  });
  expect(text).toContain('**[a\\_b](');
  // Bare addresses would become links, but not in code.
  expect(text).toContain('** `[no](http://link)` \\<script\\> \\| \\$5.');
  expect(text).not.toMatch(/^# heading/m);
  expect(text).toContain('`{ "text": "\\u0060</code>\\u0060\\n# heading" }`');
  expect(text).toContain('\\<b\\>x\\</b\\>');
});

describe('the ledgers of accounts', () => {
  const link = (account: string) => linkToList('default', ledgersOf(account), account).source;
  const all = linkToList('default', ledgersOf(), 'all accounts').source;
  const accounts = Array.from({ length: 40 }, (_, i) => `client-${i}`);

  test('have links, the first few of many', () => {
    const entries = many(3);
    const few = page({ entries, accounts: ['default', 'client_b'] });
    expect(few).toContain(`${link('default')}, ${link('client_b')}.`);
    expect(page({ entries, accounts })).toContain(`${link('client-4')}, ${all}.`);
  });

  test('have one list on a page that would grow too long, so that every type keeps its example', () => {
    const text = page({ accounts, entries: [...real, ...many(2)] });
    expect(text).toContain(`: ${all}.`);
    for (const shown of ['"documents": [', '{ "n": 1 }']) expect(text).toContain(shown);
    expect(encoded(text)).toBeLessThanOrEqual(MAX_ENCODED);
  });
});

test('what was spent is one list, and the report is named', () => {
  const query = 'CreditsSpent > 0 AND StartTime >= "2026-01-01T00:00:00Z"';
  expect(page()).toContain(linkToList('default', query, 'what has cost credits since 2026-01-01').source);
  expect(page()).toContain('`npx audit-runner report --since 30d`');
});

test('what ended without being done is one list, here and in operators.md', () => {
  expect(page()).toContain(linkToList('default', NOT_DONE, 'what ended without being done').source);
  expect(readFileSync(join(__dirname, '../../docs/operators.md'), 'utf8')).toContain(`\`${NOT_DONE}\``);
});
