/** A stream of bytes as numbered lines of text, one at a time. */
import { StringDecoder } from 'node:string_decoder';

/** Longest line of a file and longest record of a CSV file, characters: a note has at most a tenth of it. */
export const LONGEST = 1024 * 1024;

export interface Line {
  /** 1 for the first. */
  line: number;
  /** Without its line end; undefined when it is longer than {@link LONGEST}. */
  text: string | undefined;
}

/** Where an encoding cannot be read at all, so that no row of the file can. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/**
 * Lines end at '\n' or '\r\n' alone: U+2028 may stand inside a JSON text. A byte order mark is left out.
 * @throws {UnreadableFile} for UTF-16
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new StringDecoder('utf8');
  let line = 0;
  let rest: string | undefined = '';
  let first = true;
  for await (const chunk of bytes) {
    if (first && (chunk[0] === 0xff || chunk[0] === 0xfe)) throw new UnreadableFile('it is UTF-16; save it as UTF-8');
    const decoded = decoder.write(Buffer.from(chunk));
    const parts: string[] = (first ? decoded.replace(/^\uFEFF/, '') : decoded).split('\n');
    first = false;
    // The first part goes on with what was left; of a line that is too long only the end is waited for.
    const head: string = parts.shift() ?? '';
    rest = rest === undefined || rest.length + head.length > LONGEST ? undefined : rest + head;
    for (const part of parts) {
      yield { line: ++line, text: rest?.replace(/\r$/, '') };
      rest = part;
    }
  }
  if (rest !== '') yield { line: ++line, text: rest?.replace(/\r$/, '') };
}
