import { parse } from 'csv-parse/sync';
import { renderSpending } from '../../../src/report/spending';
import { cell } from '../../../src/report/spending/csv';
import { bookedIn, sum } from '../../../src/report/spending/facts';
import { account, hostile, idle, sample } from './sample';

const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true });

test('the page says what was spent, by what, and what is not known', () => {
  const { html } = renderSpending(sample);
  for (const said of [
    '23 Oct 2026 to 22 Nov 2026',
    'pipeline morning',
    'cap 20,000 a day',
    'not known',
    '46 done, 8 done already',
    '144 of the 388 runs',
    'Approval by a person',
    'Too few credits',
    'still there',
    'tier required',
    'at least 118',
    'caps of earlier days are not kept',
  ])
    expect(html).toContain(said);
  expect(html).toContain(`<dd>${bookedIn(account).toLocaleString('en-US')}</dd>`);
});

/** The rows of a table of the page, by the heading above it. */
function tableOf(html: string, heading: string): string[][] {
  const [, section = ''] = new RegExp(`<h2>${heading}</h2>([\\s\\S]*?)</section>`).exec(html) ?? [];
  return [...section.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, '')),
  );
}

test('what was spent stands beside every cap: of a day, of each month, of one run', () => {
  const rows = tableOf(renderSpending(sample).html, 'Against the caps').filter((row) => row.length > 0);
  const booked = account.days.map((day) => day.booked ?? 0);
  const november = sum(account.days.filter(({ day }) => day.startsWith('2026-11')).map((day) => day.booked ?? 0));
  expect(rows.map((row) => row.slice(0, 4))).toEqual([
    ['Today', '4,000', '20,000', '20 %'],
    [
      expect.stringMatching(/^The highest day, 2026-1/),
      `at least ${Math.max(...booked).toLocaleString('en-US')}`,
      '20,000',
      expect.stringMatching(/ %$/),
    ],
    ['The month 2026-10', expect.stringMatching(/^at least /), '300,000', expect.stringMatching(/ %$/)],
    ['The month 2026-11', november.toLocaleString('en-US'), '300,000', `${Math.round(november / 3_000)} %`],
    ['The dearest pipeline run or batch', '46,500', '60,000', '78 %'],
  ]);
  const { perMonth: _, perRun: __, ...before } = account;
  const old = tableOf(renderSpending({ ...sample, accounts: [before] }).html, 'Against the caps');
  expect(old.flat().join()).not.toMatch(/month|run/);
  const none = { ...account, perDay: null, perMonth: null, perRun: null };
  expect(renderSpending({ ...sample, accounts: [none] }).html).toContain(
    'No cap is set for a day, a month or one run.',
  );
});

test('what did not go well is told in words', () => {
  const rows = tableOf(renderSpending(sample).html, 'What did not go well').filter((row) => row.length > 0);
  expect(rows).toContainEqual(['Conversions: refused', 'the service cannot use what was sent (http422)', '5']);
  expect(rows).toContainEqual(['Audits: refused', 'what an audit needs was not there (prerequisitesMissing)', '3']);
  expect(rows).toContainEqual(['Conversions: failed with an error', 'the input was wrong (BadInput)', '1']);
  expect(rows).toContainEqual(['Rows of batches', 'the row could not become an item (quarantined)', '1']);
});

test('an account that has done nothing gets sentences, no empty tables', () => {
  const { html, csv } = renderSpending({ ...sample, accounts: [idle] });
  for (const said of [
    'Nothing was spent in the period.',
    'No pipeline ran',
    'No batch ran',
    'nothing is known of waits',
    'only holds that are there now are shown',
  ])
    expect(html).toContain(said);
  expect(html).not.toContain('NaN');
  expect(html).not.toContain('Infinity');
  expect(rowsOf(csv)).toHaveLength(idle.days.length);
});

test('a day whose sum is no longer kept is not known, not 0', () => {
  const [first] = rowsOf(renderSpending(sample).csv);
  expect(first).toMatchObject({ dayBooked: '' });
  const { html } = renderSpending({
    ...sample,
    accounts: [{ ...idle, days: [{ day: '2026-11-01', booked: null, sources: [], conversions: 0 }] }],
  });
  expect(html).toContain('not known');
});

test('the rows of a day in the CSV add up to what was booked on it, also where more was told', () => {
  const days = [{ day: '2026-11-21', booked: 1_000, sources: [{ source: 'batches', credits: 3_000 }], conversions: 1 }];
  const accounts = [account, { ...account, account: 'other', days }];
  const rows = rowsOf(renderSpending({ ...sample, accounts }).csv);
  for (const { account: name, days: all } of accounts)
    for (const { day, booked } of all) {
      if (booked === null) continue;
      const own = rows.filter((row) => row.account === name && row.day === day);
      expect(sum(own.map(({ credits }) => Number(credits)))).toBe(booked);
    }
});

test('a text in the CSV is no formula of a spreadsheet', () => {
  expect(['=1', '+1', '-1', '@a', '\ta', '\ra', 'a=', -5].map(cell)).toEqual([
    ...["'=1", "'+1", "'-1", "'@a", "'\ta", '"\'\ra"', 'a=', '-5'],
  ]);
  expect(cell('a,"b"')).toBe('"a,""b"""');
  const sources = new Set(rowsOf(renderSpending(hostile).csv).map(({ source }) => source));
  expect([...sources].filter((source) => /^[=+\-@\t\r]/.test(source ?? ''))).toEqual([]);
});

test('hostile text is text', () => {
  const { html } = renderSpending(hostile);
  expect(html).not.toMatch(/<script/i);
  expect(html).toContain('&#60;script&#62;');
});

test('the same facts give the same bytes, and the JSON has all of them', () => {
  expect(renderSpending(sample)).toEqual(renderSpending(sample));
  expect(JSON.parse(renderSpending(sample).json)).toEqual(JSON.parse(JSON.stringify(sample)));
});
