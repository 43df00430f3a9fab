/** `audit-runner books export`: every entry as one line, CSV or JSON as it is stored. */
import { once } from 'node:events';
import type { Entry } from '../../books/entry';
import { cell } from '../../report/spending/csv';
import { oneLine } from '../../text/printable';
import { utc } from '../../time/utc';
import { EXIT } from '../exit';
import { print, printStored } from '../output';
import { isIn, periodOf } from '../since';
import { type BooksOptions, booksOf, read } from './read';

export interface ExportBooksOptions extends BooksOptions {
  format: 'csv' | 'json';
  /** Only entries from then on. A date-time, a date, or a duration back from now. @default the beginning */
  since?: string;
  /** And before this. @default the end */
  until?: string;
}

const HEAD = [
  ...['user', 'seq', 'at', 'kind', 'subject', 'run', 'attempt', 'reserved', 'credits', 'outcome', 'ref'],
  ...['by', 'identity', 'principal', 'said'],
];

export async function exportBooksCommand({ format, ...options }: ExportBooksOptions): Promise<number> {
  const period = periodOf(options, Date.now());
  if (format === 'csv') print(HEAD.join(','));
  for (const books of await booksOf(options))
    for await (const { entry, text, booked } of read(books, process.stdout.isTTY)) {
      if (!isIn(period, entry.at)) continue;
      if (format === 'json') printStored(text);
      else
        print(
          [books.user, entry.seq, `${utc(entry.at)} UTC`, entry.kind, ...columnsOf(entry, booked?.credits ?? 0)]
            .map(cell)
            .join(','),
        );
      // Whoever reads it slowly does not make it pile up here.
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    }
  return EXIT.done;
}

/**
 * From `subject` on. What is reserved for a send is no sum of anything: what it came to stands in a later line, under `credits`.
 * @param booked credits
 */
function columnsOf(entry: Entry, booked: number): (string | number)[] {
  switch (entry.kind) {
    case 'begun': {
      // What was spent before there were these books.
      const before = Object.values(entry.days).reduce((sum, credits) => sum + credits, 0);
      return ['', '', '', '', before, '', '', '', '', '', ''];
    }
    case 'lost':
      return ['', '', '', '', booked, '', '', '', '', '', ''];
    case 'sending':
      return [entry.subject, entry.run, entry.attempt, entry.credits, '', '', '', '', '', '', ''];
    case 'became': {
      const { subject, run, attempt, settlement } = entry;
      const ref = 'ref' in settlement ? (settlement.ref ?? '') : '';
      return [subject, run, attempt, '', booked, settlement.kind, ref, '', '', '', ''];
    }
    case 'said':
      return ['', '', '', '', booked, '', '', '', '', '', JSON.stringify(entry.said)];
    case 'act': {
      const { workflowId, runId, update, by = '', identity = '', principal = '', said } = entry;
      return ['', oneLine(workflowId), runId, '', booked, update, '', by, identity, principal, said];
    }
  }
}
