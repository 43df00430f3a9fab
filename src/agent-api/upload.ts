/**
 * A document as the body of its upload, in the form that the service takes: a form of RFC 7578 or JSON with base64. It is
 * read as it goes out, and its length is known before: no document is ever in memory whole.
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { RawBody } from './call-input';
import type { Undocumented } from './undocumented';

/** A document to upload. */
export interface DocumentFile {
  readonly fileName: string;
  /** Media type, for example `application/pdf`. */
  readonly fileType: string;
  /** Bytes. A source that gives more or fewer ends the request as a failure. */
  readonly size: number;
  /** Opens it. Called when the request is about to be written; nothing is written before the first bytes are there. */
  open(): Promise<Readable>;
}

/** What surrounds the content on the wire, and how the content is written. */
interface Frame {
  readonly contentType: string;
  readonly head: string;
  readonly tail: string;
  /** Bytes that so many bytes of content take. */
  length(size: number): number;
  encoded(content: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
}

/** @param undocumented how the service takes documents: `undocumented.upload` of the account; `auto` is JSON */
export function documentUpload(undocumented: Undocumented['upload'], file: DocumentFile): RawBody {
  const frame = undocumented.encoding === 'multipart' ? form(undocumented, file) : json(undocumented, file);
  const length = Buffer.byteLength(frame.head) + frame.length(file.size) + Buffer.byteLength(frame.tail);
  // A generator begins with the first read, so a body that is never sent opens nothing.
  const stream = Readable.from(body(frame, file), { objectMode: false });
  return { contentType: frame.contentType, data: { stream, length } };
}

async function* body({ head, tail, encoded }: Frame, file: DocumentFile): AsyncGenerator<Buffer> {
  const source = await file.open();
  // The head waits for the first bytes: a document that cannot be read is a request that never left (S2).
  let waiting = Buffer.from(head);
  for await (const piece of encoded(exactly(file.size, source))) {
    yield waiting.length === 0 ? piece : Buffer.concat([waiting, piece]);
    waiting = Buffer.alloc(0);
  }
  yield Buffer.concat([waiting, Buffer.from(tail)]);
}

/** Passes on what has the length that was said. The tail is not written after anything else, so no server takes it for whole. */
async function* exactly(size: number, source: AsyncIterable<string | Uint8Array>): AsyncGenerator<Buffer> {
  let seen = 0;
  for await (const chunk of source) {
    const piece = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    seen += piece.length;
    if (seen > size) throw new Error(`the document has more than the ${size} bytes that it was said to have`);
    yield piece;
  }
  if (seen < size) throw new Error(`the document has ${seen} bytes, and was said to have ${size}`);
}

function form(names: Undocumented['upload'], { fileName, fileType }: DocumentFile): Frame {
  const boundary = `----audit-runner-${randomBytes(16).toString('hex')}`;
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(lines(name))}"${rest}\r\n\r\n`;
  const field = (name: string | null, value: string) => (name === null ? '' : `${part(name, '')}${lines(value)}\r\n`);
  // Anything else could end the line that it stands in.
  const type = /^[\x20-\x7e]+$/.test(fileType) ? fileType : 'application/octet-stream';
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head:
      field(names.fileName, fileName) +
      field(names.fileType, fileType) +
      part(names.file, `; filename="${escaped(fileName)}"\r\nContent-Type: ${type}`),
    tail: `\r\n--${boundary}--\r\n`,
    length: (size) => size,
    encoded: (content) => content,
  };
}

/** As browsers write names into a form: HTML Living Standard, "multipart/form-data". */
const escaped = (name: string) => name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
const lines = (text: string) => text.replace(/\r?\n|\r/g, '\r\n');

function json(names: Undocumented['upload'], { fileName, fileType }: DocumentFile): Frame {
  const fields = [[names.fileName, fileName] as const, [names.fileType, fileType] as const];
  const head = fields.flatMap(([name, value]) =>
    name === null ? [] : `${JSON.stringify(name)}:${JSON.stringify(value)},`,
  );
  return {
    contentType: 'application/json',
    head: `{${head.join('')}${JSON.stringify(names.file)}:"`,
    tail: '"}',
    length: (size) => 4 * Math.ceil(size / 3),
    encoded: base64,
  };
}

/** Three bytes become four characters, so what is left of a piece waits for the next. */
async function* base64(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of content) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.length - (bytes.length % 3);
    if (end > 0) yield Buffer.from(bytes.toString('base64', 0, end), 'latin1');
    rest = bytes.subarray(end);
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
}
