import { createHash, type Hash } from 'node:crypto';
import { badRequest } from './refusal';

const MAX_HEAD = 16 * 1024;
const MAX_FIELD = 64 * 1024;
const LINE_END = '\r\n';

/** A part of a multipart/form-data body. */
export interface Part {
  name: string;
  /** Present for files. */
  fileName?: string | undefined;
  contentType: string;
  size: number;
  sha256: string;
  /** The value of a field; a file's content is not kept. */
  text: string;
}

/** Reads multipart/form-data as it comes in, holding no more of a file than one chunk (RFC 7578). */
export class MultipartReader {
  readonly parts: Part[] = [];
  private readonly delimiter: string;
  /** A boundary follows a line end, except the first: so one is put before the body. */
  private rest: Buffer = Buffer.from(LINE_END);
  private state: 'before' | 'head' | 'content' | 'end' = 'before';
  private part: { head: Omit<Part, 'size' | 'sha256' | 'text'>; hash: Hash; size: number; text: Buffer[] } | undefined;

  constructor(boundary: string) {
    this.delimiter = `${LINE_END}--${boundary}`;
  }

  /** @throws 400 for a body that is not well formed. */
  write(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    while (this.step());
  }

  /** @throws 400 for a body that ends early. */
  end(): Part[] {
    if (this.state !== 'end') throw badRequest('The multipart body ends before its last boundary');
    return this.parts;
  }

  /** Takes the next piece from what is there; false when more has to come in first. */
  private step(): boolean {
    if (this.state === 'end') {
      this.rest = Buffer.alloc(0);
      return false;
    }
    return this.state === 'head' ? this.stepHead() : this.stepContent();
  }

  private stepContent(): boolean {
    const at = this.rest.indexOf(this.delimiter);
    if (at < 0) {
      // The last bytes could be the beginning of a boundary.
      const safe = Math.max(0, this.rest.length - this.delimiter.length);
      this.take(this.rest.subarray(0, safe));
      this.rest = this.rest.subarray(safe);
      return false;
    }
    const after = at + this.delimiter.length;
    if (this.rest.length < after + 2) return false;
    this.take(this.rest.subarray(0, at));
    this.finishPart();
    this.state = this.rest.subarray(after, after + 2).toString() === '--' ? 'end' : 'head';
    this.rest = this.rest.subarray(after);
    return true;
  }

  /** The rest begins with the line end of the boundary, so that a head of no lines ends like any other. */
  private stepHead(): boolean {
    const at = this.rest.indexOf(LINE_END + LINE_END);
    if (at < 0) {
      if (this.rest.length > MAX_HEAD) throw badRequest('The head of a part is too long');
      return false;
    }
    const head = this.rest.subarray(0, at).toString();
    const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? '';
    const name = /[;\s]name="([^"]*)"/i.exec(disposition)?.[1];
    if (name === undefined) throw badRequest('A part of the body has no name');
    const contentType = /^content-type:\s*(.*?)\s*$/im.exec(head)?.[1] ?? 'text/plain';
    const fileName = /[;\s]filename="([^"]*)"/i.exec(disposition)?.[1]?.replaceAll('%22', '"');
    this.part = { head: { name, fileName, contentType }, hash: createHash('sha256'), size: 0, text: [] };
    this.rest = this.rest.subarray(at + 2 * LINE_END.length);
    this.state = 'content';
    return true;
  }

  private take(bytes: Buffer): void {
    if (this.part === undefined || bytes.length === 0) return;
    this.part.hash.update(bytes);
    this.part.size += bytes.length;
    if (this.part.head.fileName !== undefined) return;
    if (this.part.size > MAX_FIELD) throw badRequest('A field of the form is too long');
    this.part.text.push(Buffer.from(bytes));
  }

  private finishPart(): void {
    if (this.part === undefined) return;
    const { head, hash, size, text } = this.part;
    this.parts.push({ ...head, size, sha256: hash.digest('hex'), text: Buffer.concat(text).toString() });
    this.part = undefined;
  }
}
