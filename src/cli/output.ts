/**
 * Results go to standard output, everything else to standard error. This is the only way to either (a test looks for others), so
 * nothing that others chose reaches a terminal as what it obeys.
 */
import { styleText } from 'node:util';
import Table from 'cli-table3';
import { redactText } from '../redact';
import { errorCode } from '../system';
import { clip, oneLine } from '../text/printable';
import { forTerminal, jsonForTerminal } from '../text/terminal';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** The line that {@link draw} has drawn and nothing has replaced yet. */
let drawn = '';

function writeTo(stream: NodeJS.WriteStream, text: string): void {
  erase();
  stream.write(`${redactText(text)}\n`);
}

/** A result. */
export const print = (text: string): void => writeTo(process.stdout, forTerminal(text));

/** Progress, hints and problems. */
export const tell = (text: string): void => writeTo(process.stderr, forTerminal(text));

/** A result for programs. */
export const printJson = (value: unknown): void =>
  writeTo(process.stdout, jsonForTerminal(JSON.stringify(value, null, 2)));

/** What is stored, an entry or a reply: who reads it from a pipe gets the very characters. */
export const printStored = (json: string): void =>
  writeTo(process.stdout, process.stdout.isTTY ? jsonForTerminal(json) : json);

/** A result that is meant to be told, such as the tokens of a sandbox, past the redaction of {@link print}. */
export function printSecret(text: string): void {
  erase();
  process.stdout.write(`${forTerminal(text)}\n`);
}

/** What a terminal cuts at its edge instead of wrapping it: a line that wraps cannot be drawn over. */
const uncut = (line: string): string => `\u001b[?7l${line}\u001b[?7h`;

/** At a terminal: the line takes the place of the one that was drawn before, until something else is written. */
export function draw(text: string): void {
  const line = clip(oneLine(redactText(text)), Math.max(20, process.stderr.columns - 1));
  if (line === drawn) return;
  erase();
  process.stderr.write(uncut(line));
  drawn = line;
}

/** Takes away what was drawn. */
export function erase(): void {
  if (drawn !== '') process.stderr.write('\r\u001b[K');
  drawn = '';
}

/** At a terminal: what is printed next is at its top. */
export function clearScreen(): void {
  if (process.stdout.isTTY) process.stdout.write('\u001b[2J\u001b[H');
}

/** When all results are out, or nobody takes them any more. @param done is told what went wrong, but for a reader who has left */
export function whenWritten(done: (error: Error | undefined) => void): void {
  process.stdout.write('', () => {
    const { errored } = process.stdout;
    done(errored === null || errorCode(errored) === 'EPIPE' ? undefined : errored);
  });
}

/** Colour for a person at a terminal, unless NO_COLOR is set (https://no-color.org). */
export const styled = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  stream.isTTY && !process.env.NO_COLOR ? styleText(style, text) : text;

/** A pipe whose reader has gone (`| head`) is no failure; where nobody hears problems there is nobody to tell that. */
export function endQuietlyOnBrokenPipe(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** `20,000`. The same on every machine. */
export const number = (value: number): string => value.toLocaleString('en-US');

export type Row = readonly (string | number | null | undefined)[];

/** Columns without a frame: readable at a terminal, and by `cut` and `awk` in a pipe. Numbers stand on the right. */
export function table(head: readonly string[], rows: readonly Row[]): string {
  const isNumber = (column: number) => rows.length > 0 && rows.every((row) => typeof row[column] !== 'string');
  const none = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '' };
  const no = { 'bottom-left': '', 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '' };
  const drawn = new Table({
    head: head.map((name) => styled('bold', name)),
    colAligns: head.map((_, column) => (isNumber(column) ? 'right' : 'left')),
    chars: { ...none, ...no, right: '', 'right-mid': '', middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows)
    drawn.push(row.map((cell) => (typeof cell === 'number' ? number(cell) : String(cell ?? '-').replace(/\s+/g, ' '))));
  return drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
