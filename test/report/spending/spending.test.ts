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
    '46 done, 8 already done',
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
