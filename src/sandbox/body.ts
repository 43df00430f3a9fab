import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Undocumented } from '../agent-api/undocumented';
import { FormReader } from './multipart';
import { badRequest, Refusal } from './refusal';

/** A received document. Its content is not kept, only what tells it apart from others. */
export interface Upload {
  fileName: string;
  fileType: string;
  fileSize: number;
  /** Hash of the content, hexadecimal. */
  sha256: string;
}

/** The connection ended within the request: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * Feeds a request's body to `take`. Once that throws, the rest is read and dropped: a connection closed over unread data
 * would cost the client the answer.
 */
function consume(request: IncomingMessage, limit: number, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0;
    let refused = false;
    const refuse = (error: unknown) => {
      refused = true;
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      if (refused) return;
      size += chunk.length;
      if (size > limit) return refuse(new Refusal(413, `The body is larger than ${limit} bytes`));
      try {
        take(chunk);
      } catch (error) {
        refuse(error);
      }
    });
    request.on('end', resolve);
    request.on('error', () => reject(new ClientGone('connection lost')));
    request.on('close', () => reject(new ClientGone('connection closed')));
  });
}

/** The JSON body, undefined when there is none. @throws 400, 413 */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  await consume(request, limit, (chunk) => chunks.push(chunk));
  const text = Buffer.concat(chunks).toString();
  if (text === '') return undefined;
  refuseOtherThanJson(request);
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The body is not valid JSON');
  }
}

/** @throws 400 */
export function refuseOtherThanJson({ headers }: IncomingMessage): void {
  if (!/^application\/json(?=[\s;]|$)/i.test(headers['content-type'] ?? ''))
    throw badRequest('Content-Type must be application/json');
}

/** The document of an upload, in a form that the variant takes. @throws 400, 413 */
export function readUpload(request: IncomingMessage, names: Undocumented['upload'], limit: number): Promise<Upload> {
  const isForm = /^multipart\//i.test(request.headers['content-type'] ?? '');
  const encoding = names.encoding === 'auto' ? (isForm ? 'multipart' : 'json') : names.encoding;
  return encoding === 'multipart' ? readForm(request, names, limit) : readEncoded(request, names, limit);
}

const FRAME_BYTES = 64 * 1024;

async function readForm(request: IncomingMessage, names: Undocumented['upload'], limit: number): Promise<Upload> {
  let reader: FormReader | undefined;
  // The form around the document does not count, within reason.
  await consume(request, limit + FRAME_BYTES, (chunk) => {
    reader ??= new FormReader(request.headers);
    reader.write(chunk);
  });
  reader ??= new FormReader(request.headers);
  const { fields, files } = await reader.end();
  const field = (name: string | null) => (name === null ? undefined : fields.get(name));
  const file = files.find(({ name }) => name === names.file);
  if (file === undefined) throw badRequest(`The form has no file '${names.file}'`);
  return {
    fileName: field(names.fileName) || file.fileName || 'document',
    fileType: field(names.fileType) || file.contentType,
    fileSize: file.size,
    sha256: file.sha256,
  };
}

async function readEncoded(request: IncomingMessage, names: Undocumented['upload'], limit: number): Promise<Upload> {
  const [fileName, fileType] = [names.fileName ?? '', names.fileType ?? ''];
  const fields = z.object({
    [names.file]: z.base64(),
    [fileName]: z.string().min(1),
    [fileType]: z.string(),
  });
  // Base64 takes four characters for three bytes.
  const parsed = fields.safeParse(await readJson(request, Math.ceil(limit * 1.4)));
  if (!parsed.success) throw badRequest(`The body needs ${names.file} (base64), ${fileName}, ${fileType}`);
  const content = Buffer.from(parsed.data[names.file] ?? '', 'base64');
  return {
    fileName: parsed.data[fileName] ?? '',
    fileType: parsed.data[fileType] ?? '',
    fileSize: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
}
