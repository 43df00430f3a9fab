import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { finished } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { badRequest } from './refusal';

const MAX_HEAD = 16 * 1024;
const MAX_FIELD = 64 * 1024;

/** A file of a form. Its content is not kept. */
interface FormFile {
  name: string;
  fileName: string;
  contentType: string;
  size: number;
  sha256: string;
}

/** What a form held. */
export interface Form {
  fields: Map<string, string>;
  files: FormFile[];
}

/** Reads multipart/form-data as it comes in (RFC 7578). */
export class FormReader {
  readonly #form: Form = { fields: new Map(), files: [] };
  readonly #parser: BusboyInstance;
  readonly #done: Promise<void>;
  #failure: unknown;

  /** @throws 400 where the headers announce no form */
  constructor(headers: IncomingHttpHeaders) {
    const { fields, files } = this.#form;
    const contentType = headers['content-type'] ?? '';
    if (!/^multipart\/form-data;.*boundary=/i.test(contentType))
      throw badRequest('Content-Type must be multipart/form-data');
    this.#parser = new Busboy({
      headers: { ...headers, 'content-type': contentType },
      limits: { fieldSize: MAX_FIELD, headerSize: MAX_HEAD },
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
      preservePath: true,
    });
    this.#parser.on('field', (name, value, _nameCut, isCut) => {
      if (isCut) this.#failure ??= badRequest('A field of the form is too long');
      fields.set(name, value);
    });
    this.#parser.on('file', (name, content, fileName, _encoding, type) => {
      const file = { name, fileName: fileName.replaceAll('%22', '"'), contentType: type, size: 0, sha256: '' };
      const hash = createHash('sha256');
      files.push(file);
      content.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        file.size += chunk.length;
      });
      content.on('error', () => this.#malformed());
      content.on('end', () => {
        file.sha256 = hash.digest('hex');
      });
    });
    this.#done = finished(this.#parser).catch(() => this.#malformed());
  }

  #malformed(): void {
    this.#failure ??= badRequest('The multipart body is not well formed, or ends before its last boundary');
  }

  /** @throws 400 for a body that is not well formed. */
  write(chunk: Buffer): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#parser.write(chunk);
  }

  /** @throws 400 for a body that ends early. */
  async end(): Promise<Form> {
    this.#parser.end();
    await this.#done;
    if (this.#failure !== undefined) throw this.#failure;
    return this.#form;
  }
}
