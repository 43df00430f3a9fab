/** Rows of a CSV or JSON Lines file, one at a time; one that cannot be read does not take those behind it with it. */
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { isTooDeep, MOST_LEVELS } from '../text/json-depth';
import { type Line, LONGEST, linesOf, UnreadableFile } from './lines';

/** A row as the file has it, or why it is none. */
export type Row = { line: number; values: Record<string, unknown> } | { line: number; problem: string };

const JsonRow = z.record(z.string(), z.unknown());

const TOO_LONG = `is longer than ${LONGEST} characters`;
/** What the decoder puts in the place of bytes that are no UTF-8. */
const NO_TEXT = '\uFFFD';

/** A row for each line that is not blank. */
export async function* readJsonl(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  for await (const { line, text } of linesOf(bytes))
    if (text === undefined || /\S/.test(text)) yield readLine(line, text);
}

function readLine(line: number, text: string | undefined): Row {
  if (text === undefined) return { line, problem: TOO_LONG };
  if (text.includes(NO_TEXT)) return { line, problem: 'is not UTF-8' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { line, problem: 'is not JSON' };
  }
  if (isTooDeep(value)) return { line, problem: `is nested deeper than ${MOST_LEVELS} levels` };
  const row = JsonRow.safeParse(value);
  if (!row.success || Array.isArray(value)) return { line, problem: 'is JSON, but not an object' };
  return { line, values: row.data };
}

const Cells = z.array(z.array(z.string())).length(1);

/** A record may go over so many lines, with line ends between quotation marks. */
const MOST_LINES = 2_000;

/**
 * Records of a CSV file (RFC 4180). Each is cut out of the file by its quotation marks and parsed by itself: a parser
 * that has the whole file loses every row behind a mark that is not closed. An empty cell is no value.
 * @param header told the column names once, before the first row
 * @throws {UnreadableFile} when the header itself cannot be read
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  delimiter: string,
  header: (columns: readonly string[]) => void,
): AsyncGenerator<Row> {
  let columns: string[] | undefined;
  for await (const { line, text } of records(bytes, delimiter)) {
    const read = cellsOf(text, delimiter);
    if (!columns) {
      columns = readHeader(read);
      header(columns);
    } else if ('problem' in read) yield { line, problem: read.problem };
    else if (read.cells.length !== columns.length)
      yield { line, problem: `has ${read.cells.length} columns, the header has ${columns.length}` };
    else {
      const filled = read.cells.flatMap((cell, i) => (cell === '' ? [] : [[columns?.[i] ?? '', cell] as const]));
      yield { line, values: Object.fromEntries(filled) };
    }
  }
}

function readHeader(read: { cells: string[] } | { problem: string }): string[] {
  if ('problem' in read) throw new UnreadableFile(`its first line, the header, ${read.problem}`);
  const names = read.cells.map((name) => name.trim());
  const twice = names.findIndex((name, i) => name !== '' && names.indexOf(name) !== i);
  // By their places: a file without a header has a row of somebody's data there (S4).
  if (twice >= 0)
    throw new UnreadableFile(
      `columns ${names.indexOf(names[twice] ?? '') + 1} and ${twice + 1} of its first line, the header, are called the same`,
    );
  return names;
}

function cellsOf(text: string | undefined, delimiter: string): { cells: string[] } | { problem: string } {
  if (text === undefined) return { problem: TOO_LONG };
  if (text.includes(NO_TEXT)) return { problem: 'is not UTF-8' };
  try {
    const [cells = []] = Cells.parse(parse(text, { delimiter, trim: true, relax_column_count: true }));
    return { cells };
  } catch {
    return { problem: 'has a quotation mark in the wrong place' };
  }
}

const marks = (text: string) => text.split('"').length - 1;

/** A record ends with the first line at whose end all quotation marks are in pairs, if the lines up to there parse. */
async function* records(bytes: AsyncIterable<Uint8Array>, delimiter: string): AsyncGenerator<Line> {
  /** Lines of a record whose quotation marks are not in pairs yet. */
  let open: { line: number; text: string }[] = [];
  let length = 0;
  let odd = false;
  const take = function* (next: Line): Generator<Line> {
    const { line, text } = next;
    if (text === undefined) {
      yield* giveUp();
      yield next;
      return;
    }
    if (open.length === 0 && !/\S/.test(text)) return;
    open.push({ line, text });
    length += text.length + 1;
    odd = odd !== (marks(text) % 2 === 1);
    if (!odd) yield* close();
    else if (open.length > MOST_LINES || length > LONGEST) yield* giveUp();
  };
  const reset = () => {
    const lines = open;
    [open, length, odd] = [[], 0, false];
    return lines;
  };
  const close = function* (): Generator<Line> {
    const text = open.map((part) => part.text).join('\n');
    const [first] = open;
    if (first && (open.length === 1 || !('problem' in cellsOf(text, delimiter)))) {
      reset();
      yield { line: first.line, text };
    } else yield* giveUp();
  };
  /** The first line was not the beginning of a longer record: it stands alone, and what follows it is read anew. */
  const giveUp = function* (): Generator<Line> {
    const [first, ...others] = reset();
    if (first) yield first;
    for (const other of others) yield* take(other);
  };
  for await (const line of linesOf(bytes)) yield* take(line);
  while (open.length > 0) yield* giveUp();
}
