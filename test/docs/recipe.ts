/** The recipe of developers.md, followed word for word: which code goes into which file, and where. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withoutIndent } from './documents';

/** One piece of code, and the file that the text before it names last. */
export interface Piece {
  readonly file: string;
  /** The table to which it is an entry; undefined for a whole file, or for a line at its end. */
  readonly table: string | undefined;
  readonly code: string;
}

const FENCE = /^( *)```typescript\n(.*?)^ *```$/gms;
/** 'in `TABLE` of `file`', '`TABLE` in `file`', or a file alone. */
const PLACE = /(?:`([A-Za-z]+)` (?:of|in) )?`((?:src|workflows|activities|test)\/[\w./-]+\.ts)`/g;

/** @param section of the document, from its heading to the next */
export function pieces(section: string): Piece[] {
  let from = 0;
  return [...section.matchAll(FENCE)].map(({ 0: fence, 1: indent = '', 2: code = '', index }) => {
    const [, table, file] = [...section.slice(from, index).matchAll(PLACE)].at(-1) ?? [];
    if (file === undefined) throw new Error(`the text names no file for ${fence}`);
    from = index + fence.length;
    return { file, table, code: withoutIndent(code, indent.length) };
  });
}

const isImport = (line: string) => /^(import|export) .* from '/.test(line);

/** Writes a new file, adds a line to a file, or puts an entry at the head of a table and its imports at the file's. */
export function apply(root: string, { file, table, code }: Piece): void {
  const path = join(root, file);
  if (table === undefined) {
    mkdirSync(dirname(path), { recursive: true });
    // A file of one line is a list that goes on.
    writeFileSync(path, code, { flag: code.trim().includes('\n') ? 'wx' : 'a' });
    return;
  }
  const lines = readFileSync(path, 'utf8').split('\n');
  const opening = new RegExp(`^(export )?const ${table}\\b`);
  const named = lines.findIndex((line) => opening.test(line));
  const head = named < 0 ? -1 : lines.findIndex((line, n) => n >= named && /= \{$/.test(line));
  if (head < 0) throw new Error(`${file} has no table ${table}`);
  const own = code.split('\n');
  const entry = own.filter((line) => !isImport(line) && line !== '');
  lines.splice(head + 1, 0, ...entry);
  const firstImport = lines.findIndex((line) => line.startsWith('import '));
  lines.splice(firstImport, 0, ...own.filter(isImport));
  writeFileSync(path, lines.join('\n'));
}
