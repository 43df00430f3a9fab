import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  type Attempt,
  createAgentApi,
  type DocumentFile,
  documentUpload,
  type Failure,
  tokenFromText,
  Undocumented,
} from '../../src/agent-api';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { variantOverrides } from '../../src/sandbox/wire-names';
import { until } from '../support/until';
import { apiOf, closeAll, json, latch, serve } from './server';

const MIB = 1024 * 1024;
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const failureOf = (attempt: Attempt<unknown>): Failure | 'none' => (attempt.ok ? 'none' : attempt.failure);

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await closeAll();
  for (const close of closing.splice(0).reverse()) await close();
});

const multipart = { ...Undocumented.parse({}).upload, encoding: 'multipart' as const };
const encoded = Undocumented.parse(variantOverrides).upload;

/** A document whose pieces have the sizes given, over and over. */
function documentOf(content: Buffer, more: Partial<DocumentFile> = {}, ...sizes: number[]): DocumentFile {
  function* pieces() {
    for (let at = 0, i = 0; at < content.length; i++) {
      const size = sizes[i % sizes.length] ?? content.length;
      yield content.subarray(at, at + size);
      at += size;
    }
  }
  const open = async () => Readable.from(pieces());
  return { fileName: 'report.txt', fileType: 'text/plain', size: content.length, open, ...more };
}

/** What goes out, and the length that is said. */
async function wire(upload: ReturnType<typeof documentUpload>) {
  const { contentType, data } = upload;
  if (Buffer.isBuffer(data)) throw new Error('it is in memory whole');
  return { contentType, length: data.length, body: await buffer(data.stream) };
}

/** Bytes of every kind, boundaries and line ends among them. */
const bytes = (size: number) => Buffer.from(Array.from({ length: size }, (_, i) => (i * 7919) % 256));

describe('on the wire', () => {
  it.each(['report.txt', 'Übersicht "final" 100%.pdf', "a'b;c=d\\e.pdf", 'two\nlines\r\nand\rmore.pdf', '文書 📄.pdf'])(
    'a form for the name %j is the one that a browser sends',
    async (fileName) => {
      const content = bytes(1_000);
      const { contentType, length, body } = await wire(
        documentUpload(multipart, documentOf(content, { fileName }, 100)),
      );
      const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(contentType)?.[1] ?? '';
      const form = new FormData();
      form.append('fileName', fileName);
      form.append('fileType', 'text/plain');
      form.append('file', new Blob([content], { type: 'text/plain' }), fileName);
      const browser = new Response(form);
      const theirs = /boundary=(\S+)$/.exec(browser.headers.get('content-type') ?? '')?.[1] ?? '';
      const expected = Buffer.from(await browser.arrayBuffer())
        .toString('latin1')
        .replaceAll(theirs, boundary);
      // A form ends with the line of its last boundary; whether a line end follows is left open.
      expect(body.toString('latin1').trimEnd()).toBe(expected.trimEnd());
      expect(length).toBe(body.length);
    },
  );

  it('a name in the settings that is unusual is escaped too, and a type that is none does not leave its line', async () => {
    const names = { ...multipart, file: 'the "file"', fileName: 'a\r\nname' };
    const fileType = 'text/plain\r\nX-Injected: yes';
    const { body } = await wire(documentUpload(names, documentOf(bytes(3), { fileType })));
    expect(body.toString()).toContain(
      'name="the %22file%22"; filename="report.txt"\r\nContent-Type: application/octet-stream\r\n\r\n',
    );
    expect(body.toString()).toContain('name="a%0D%0Aname"\r\n\r\nreport.txt\r\n');
  });

  it.each([0, 1, 2, 3, 4, 299, 300, 301])('JSON with %i bytes in pieces of every size', async (size) => {
    const content = bytes(size);
    const fileName = 'Übersicht "final"\n.pdf';
    for (const sizes of [[1], [2], [3], [4, 1], [1, 5, 2], [1_000]]) {
      const { contentType, length, body } = await wire(
        documentUpload(encoded, documentOf(content, { fileName }, ...sizes)),
      );
      expect(JSON.parse(body.toString())).toEqual({
        name: fileName,
        mimeType: 'text/plain',
        contentBase64: content.toString('base64'),
      });
      expect({ contentType, length }).toEqual({ contentType: 'application/json', length: body.length });
    }
  });

  it('what the settings leave out is not sent', async () => {
    const none = { fileName: null, fileType: null };
    const asForm = await wire(documentUpload({ ...multipart, ...none }, documentOf(bytes(3))));
    expect(asForm.body.toString().match(/ name="[^"]*"/g)).toEqual([' name="file"']);
    expect(asForm.length).toBe(asForm.body.length);
    const asJson = await wire(documentUpload({ ...encoded, ...none }, documentOf(Buffer.from('hello'))));
    expect(JSON.parse(asJson.body.toString())).toEqual({ contentBase64: 'aGVsbG8=' });
    expect(asJson.length).toBe(asJson.body.length);
  });

  it('nothing is opened for a body that is not sent', async () => {
    let opened = 0;
    const file = documentOf(bytes(3), { open: async () => Readable.from([opened++]) });
    const { data } = documentUpload(multipart, file);
    if (!Buffer.isBuffer(data)) data.stream.destroy();
    await new Promise(setImmediate);
    expect(opened).toBe(0);
  });
});

/** MiB that are in use, garbage aside. */
function kept(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

describe.each([
  ['a', multipart, 200],
  // The sandbox holds what it gets as JSON whole, and takes its time over it.
  ['b', encoded, 100],
] as const)('variant %s of the sandbox', (variant, names, many) => {
  async function stage() {
    const sandbox = await startSandbox({ variant, limits: 'off' });
    closing.push(() => sandbox.close());
    const undocumented = Undocumented.parse(variant === 'a' ? {} : variantOverrides);
    const api = createAgentApi({ baseUrl: sandbox.baseUrl, token: tokenFromText(sandbox.token), undocumented });
    closing.push(() => api.close());
    const [project] = sandbox.control.projects();
    if (!project) throw new Error('the sandbox has no project');
    const upload = (file: DocumentFile) =>
      api.call('projects.uploadDocument', { id: project.id, raw: documentUpload(names, file) });
    return { sandbox, upload, documents: () => documentsOf(sandbox, project.id) };
  }
  const documentsOf = (sandbox: Sandbox, id: string) =>
    sandbox.control.projects().find((project) => project.id === id)?.documents ?? [];

  it.each([
    ['report.txt', 'text/plain', 0],
    ['Übersicht "final".pdf', 'application/pdf', 100_001],
    ['文書.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 5 * MIB + 1],
  ])('takes %j (%s, %i bytes) as it was', async (fileName, fileType, size) => {
    const { upload, documents } = await stage();
    const content = Buffer.alloc(size, bytes(10_007));
    expect(failureOf(await upload(documentOf(content, { fileName, fileType }, 65_536)))).toBe('none');
    expect(documents()).toEqual([expect.objectContaining({ fileName, fileType, fileSize: size })]);
  });

  it('sees the same content when a document is sent again, and another when a byte differs', async () => {
    const { sandbox, upload } = await stage();
    const content = bytes(20_000);
    await upload(documentOf(content, {}, 1_000));
    await upload(documentOf(content, {}, 777));
    await upload(documentOf(Buffer.concat([content.subarray(1), content.subarray(0, 1)]), {}, 1_000));
    expect(sandbox.control.stats().documentsDoubled).toEqual([
      expect.objectContaining({ fileName: 'report.txt', times: 2, sha256: sha256(content) }),
    ]);
  });

  it.each([
    ['shorter', 10_000, 9_999],
    ['longer', 10_000, 10_001],
    ['empty', 10_000, 0],
    ['not empty', 0, 1],
  ])('has no document when the source turns out %s', async (_, said, size) => {
    const { upload, documents } = await stage();
    const file = documentOf(bytes(size), { size: said }, 1_000);
    // Where the mistake shows before the first bytes, nothing left.
    const early = size <= 1;
    expect(failureOf(await upload(file))).toEqual(
      early ? { kind: 'notSent', reason: 'aborted' } : { kind: 'unknown', reason: 'connectionLost' },
    );
    expect(documents()).toEqual([]);
    expect(failureOf(await upload(documentOf(bytes(10))))).toBe('none');
  });

  it(`keeps nothing of ${many} documents of 1 MiB, sent twenty at once`, async () => {
    const { upload, documents } = await stage();
    const piece = bytes(65_536);
    const open = async () => Readable.from(Array.from({ length: 16 }, () => piece));
    let sent = 0;
    const send = async (end: number) => {
      const lane = async () => {
        while (sent < end)
          expect(failureOf(await upload({ fileName: `doc-${sent++}.bin`, fileType: 'x/y', size: MIB, open }))).toBe(
            'none',
          );
      };
      await Promise.all(Array.from({ length: 20 }, lane));
    };
    // What the first ones need is there for all.
    await send(20);
    const before = kept();
    await send(20 + many);
    // Garbage goes little by little, and with it what connections still hold of the last ones.
    await until(() => kept() - before < many / 5, 30_000);
    expect(documents()).toHaveLength(sent);
  });
});

describe('S2: whether it was written is known', () => {
  const send = (baseUrl: string, file: DocumentFile, onWrite?: () => void) =>
    apiOf(baseUrl).call('projects.uploadDocument', { id: 'p', raw: documentUpload(multipart, file), onWrite });

  it.each([
    ['cannot be opened', async () => Promise.reject(new Error('no such document'))],
    [
      'breaks before its first byte',
      async () =>
        new Readable({
          read() {
            this.destroy(new Error('disk'));
          },
        }),
    ],
  ])('a document that %s never left', async (_, open) => {
    const server = await serve((response) => json(response, 200, {}));
    let written = 0;
    const attempt = await send(server.baseUrl, documentOf(bytes(10), { open }), () => written++);
    expect(failureOf(attempt)).toEqual({ kind: 'notSent', reason: 'aborted' });
    expect({ written, seen: server.seen.length }).toEqual({ written: 0, seen: 0 });
  });

  it('a document that breaks off later is unknown, and has not arrived', async () => {
    const server = await serve((response) => json(response, 200, {}));
    async function* source() {
      yield bytes(1_000);
      throw new Error('disk');
    }
    const file = documentOf(bytes(2_000), { open: async () => Readable.from(source()) });
    expect(failureOf(await send(server.baseUrl, file))).toEqual({ kind: 'unknown', reason: 'connectionLost' });
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    ['no connection', 'notSent'],
    ['a reply before the end', 'rejected'],
    ['an abort on the way', 'unknown'],
  ] as const)('closes its source after %s', async (what, kind) => {
    const server = await listening((response) => {
      if (what === 'a reply before the end') json(response, 413, { error: 'too large' }, { connection: 'close' });
    });
    const abort = new AbortController();
    let source: Readable | undefined;
    const open = async () => {
      source = Readable.from(endless(() => what === 'an abort on the way' && abort.abort()));
      return source;
    };
    const baseUrl = what === 'no connection' ? 'http://127.0.0.1:1' : server;
    const raw = documentUpload(multipart, documentOf(bytes(1), { size: 1_000 * MIB, open }));
    const attempt = await apiOf(baseUrl).call('projects.uploadDocument', { id: 'p', raw, signal: abort.signal });
    expect(failureOf(attempt)).toMatchObject({ kind });
    if (what === 'no connection') expect(source).toBeUndefined();
    else await until(() => source?.destroyed === true);
  });

  it('closes its source after an abort while it was being opened', async () => {
    const server = await serve((response) => json(response, 200, {}));
    const [opening, opened] = [latch(), latch()];
    const abort = new AbortController();
    const source = Readable.from(endless(() => undefined));
    const open = async () => {
      opening.open();
      await opened.promise;
      return source;
    };
    const raw = documentUpload(multipart, documentOf(bytes(1), { size: 1_000 * MIB, open }));
    const attempt = apiOf(server.baseUrl).call('projects.uploadDocument', { id: 'p', raw, signal: abort.signal });
    await opening.promise;
    abort.abort();
    expect(failureOf(await attempt)).toEqual({ kind: 'notSent', reason: 'aborted' });
    opened.open();
    await until(() => source.destroyed);
    expect(server.seen).toHaveLength(0);
  });
});

async function* endless(onPiece: () => unknown) {
  for (let i = 0; ; i++) {
    yield Buffer.alloc(65_536);
    if (i === 20) onPiece();
  }
}

/** A server that answers as soon as the head of a request is there, and reads nothing of the body. */
async function listening(answer: (response: Parameters<typeof json>[0]) => void): Promise<string> {
  const server: Server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
