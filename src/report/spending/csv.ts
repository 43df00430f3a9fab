/** Spending by day and source, for a spreadsheet. */
import { restOf, type SpendingFacts } from './facts';

const HEAD = ['account', 'day', 'timeZone', 'source', 'credits', 'dayBooked', 'dayCap', 'dayConversions'];

/** What stands for credits that belong to no pipeline and no batch. */
export const REST = 'single runs and runs under way';

/**
 * A cell by RFC 4180. A spreadsheet takes a text that begins with one of these characters for a formula: an apostrophe
 * before it makes it a text again. Numbers are ours and stay numbers.
 */
export function cell(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : `${value}`;
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One row for each day and source; a day on which nothing was spent has one row. */
export function csv({ accounts }: SpendingFacts): string {
  const rows = accounts.flatMap(({ account, timeZone, perDay, days }) =>
    days.flatMap((one) => {
      const rest = restOf(one);
      const sources = [
        ...one.sources,
        ...(rest !== 0 || one.sources.length === 0 ? [{ source: REST, credits: rest }] : []),
      ];
      return sources.map(({ source, credits }) => [
        ...[account, one.day, timeZone, source, credits, one.booked, perDay, one.conversions],
      ]);
    }),
  );
  return [HEAD, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
