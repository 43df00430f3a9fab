/** What holds for every storage, wherever it keeps its documents. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import type { Storage, Stored } from '../../src/storage';

/** A storage under test, empty. */
export interface Subject {
  storage: Storage;
  /** All that is kept below its root, half-written things too, as it names them. */
  inside(): Promise<string[]>;
  /** What is kept beside its root, with its content: must stay as it is. */
  outside(): Promise<Record<string, string>>;
}

const MIB = 1024 * 1024;

export async function listed(storage: Storage, prefix?: string, after?: string): Promise<Stored[]> {
  const found: Stored[] = [];
  for await (const stored of storage.list(prefix, after)) found.push(stored);
  return found;
}

export async function* pieces(...parts: (string | Uint8Array)[]) {
  yield* parts;
}

/** `count` pieces of 1 MiB, each other than the one before. */
export async function* mebibytes(count: number) {
  for (let i = 0; i < count; i++) yield Buffer.alloc(MIB, `${i} `);
}

/** Every way to use a reference. */
export const everyWay: [string, (storage: Storage, ref: string) => Promise<unknown>][] = [
  ['read', (storage, ref) => storage.read(ref)],
  ['write', (storage, ref) => storage.write(ref, 'written')],
  ['create', (storage, ref) => storage.create(ref, 'written')],
  ['stat', (storage, ref) => storage.stat(ref)],
  ['delete', (storage, ref) => storage.delete(ref)],
  ['urlOf', async (storage, ref) => storage.urlOf(ref)],
];

/** @param subjectOf makes a new one for each test, after the test file's own `beforeEach` */
export function behavesAsStorage(subjectOf: () => Promise<Subject>): void {
  // In a block of its own, so that it looks before the test file clears up.
  describe('as every storage', () => contract(subjectOf));
}

function contract(subjectOf: () => Promise<Subject>): void {
  let subject: Subject;
  let storage: Storage;
  let before: Record<string, string>;
  beforeEach(async () => {
    subject = await subjectOf();
    storage = subject.storage;
    before = await subject.outside();
    expect(Object.keys(before)).not.toEqual([]);
  });
  afterEach(async () => expect(await subject.outside()).toEqual(before));

  const content = async (ref: string) => text(await storage.read(ref));
  const refs = async (prefix?: string, after?: string) => (await listed(storage, prefix, after)).map(({ ref }) => ref);

  describe('documents', () => {
    it('come back as they were written, from text, bytes or a stream, with their size', async () => {
      const written = await storage.write('a/b/text.md', 'Grüße', { contentType: 'text/markdown' });
      expect(written).toEqual({ ref: 'a/b/text.md', size: 7 });
      expect(await storage.write('bytes', Buffer.from([0, 255]))).toEqual({ ref: 'bytes', size: 2 });
      expect(await storage.write('stream', pieces('one,', Buffer.from('two')))).toEqual({ ref: 'stream', size: 7 });
      expect(await content('a/b/text.md')).toBe('Grüße');
      expect(await buffer(await storage.read('bytes'))).toEqual(Buffer.from([0, 255]));
      expect(await content('stream')).toBe('one,two');
      expect(await storage.stat('stream')).toEqual({ ref: 'stream', size: 7 });
    });

    it('are created by exactly one of many who try at once, and never over one that is there (S8)', async () => {
      const tries = Array.from({ length: 8 }, (_, n) => storage.create('made/once.json', `by ${n}`));
      const made = await Promise.all(tries);
      expect(made.filter(Boolean)).toHaveLength(1);
      expect(await content('made/once.json')).toBe(`by ${made.indexOf(true)}`);
      expect(await storage.create('made/once.json', 'later')).toBe(false);
      expect(await content('made/once.json')).toBe(`by ${made.indexOf(true)}`);
      expect(await refs('made/')).toEqual(['made/once.json']);
      expect(await subject.inside()).toEqual(['made/once.json']);
    });

    it.each([0, 1, 5, 12])('of %i MiB and one byte come back whole', async (size) => {
      const sha256 = createHash('sha256');
      async function* source() {
        for await (const piece of mebibytes(size)) {
          sha256.update(piece);
          yield piece;
        }
        sha256.update('.');
        yield '.';
      }
      expect(await storage.write('doc', source())).toEqual({ ref: 'doc', size: size * MIB + 1 });
      const back = createHash('sha256');
      for await (const chunk of await storage.read('doc')) back.update(chunk);
      expect(back.digest('hex')).toBe(sha256.digest('hex'));
      expect(await subject.inside()).toEqual(['doc']);
    });

    it('can be written again over what was there, longer or shorter, and leave one', async () => {
      for (const value of ['first', 'the second, longer', 'the second, longer', '3', '']) {
        expect(await storage.write('doc', value)).toEqual({ ref: 'doc', size: value.length });
        expect(await content('doc')).toBe(value);
      }
      await storage.write('doc', mebibytes(6));
      await storage.write('doc', mebibytes(6));
      expect(await listed(storage)).toEqual([{ ref: 'doc', size: 6 * MIB }]);
      await storage.write('doc', pieces());
      expect(await storage.stat('doc')).toEqual({ ref: 'doc', size: 0 });
      expect(await content('doc')).toBe('');
      expect(await subject.inside()).toEqual(['doc']);
    });

    it('that are not there are said not to be, and there are none before the first write', async () => {
      await expect(storage.read('none')).rejects.toMatchObject({ kind: 'notFound' });
      expect(await storage.stat('none')).toBeUndefined();
      expect(await refs()).toEqual([]);
      await storage.delete('none/at/all');
      await storage.write('dir/doc', 'x');
      await expect(storage.read('dir')).rejects.toMatchObject({ kind: 'notFound' });
      await expect(storage.read('dir/doc/below')).rejects.toMatchObject({ kind: 'notFound' });
      expect(await storage.stat('dir')).toBeUndefined();
      expect(await storage.stat('dir/do')).toBeUndefined();
    });

    it('are removed, and removed again', async () => {
      await storage.write('dir/doc', 'x');
      await storage.delete('dir/doc');
      await storage.delete('dir/doc');
      expect(await storage.stat('dir/doc')).toBeUndefined();
      await expect(storage.read('dir/doc')).rejects.toMatchObject({ kind: 'notFound' });
    });

    it('are listed by prefix, in the order of their references', async () => {
      for (const ref of ['b', 'a/z', 'a-b', 'a/b/c', 'a0', 'ab/c']) await storage.write(ref, ref);
      expect(await refs()).toEqual(['a-b', 'a/b/c', 'a/z', 'a0', 'ab/c', 'b']);
      expect(await refs('a')).toEqual(['a-b', 'a/b/c', 'a/z', 'a0', 'ab/c']);
      expect(await refs('a/')).toEqual(['a/b/c', 'a/z']);
      expect(await refs('a/b')).toEqual(['a/b/c']);
      expect(await refs('none/')).toEqual([]);
      expect(await listed(storage, 'b')).toEqual([{ ref: 'b', size: 1 }]);
    });

    it('are listed from one on, which need not be there', async () => {
      for (const ref of ['b', 'a/z', 'a-b', 'a/b/c', 'a0', 'ab/c']) await storage.write(ref, ref);
      expect(await refs('', 'a/b')).toEqual(['a/b/c', 'a/z', 'a0', 'ab/c', 'b']);
      expect(await refs('', 'a/b/c')).toEqual(['a/z', 'a0', 'ab/c', 'b']);
      expect(await refs('a/', 'a/b/c')).toEqual(['a/z']);
      expect(await refs('a/', 'a/zz')).toEqual([]);
      expect(await refs('', 'b')).toEqual([]);
    });

    it('are in folders, which are named one level at a time', async () => {
      for (const ref of ['b', 'a/z', 'a/b/c', 'a0/x', 'a/c/d/e']) await storage.write(ref, ref);
      expect(await storage.folders('')).toEqual(['a', 'a0']);
      expect(await storage.folders('a/')).toEqual(['b', 'c']);
      expect(await storage.folders('none/')).toEqual([]);
      await expect(storage.folders('../')).rejects.toMatchObject({ kind: 'refused' });
    });
  });

  describe('a write', () => {
    it.each([0, 12])('leaves the old document and no trace when its source breaks after %i MiB', async (size) => {
      await storage.write('doc', 'old');
      let tidied = false;
      async function* broken() {
        try {
          yield 'half of the ';
          yield* mebibytes(size);
          throw new Error('the source broke');
        } finally {
          tidied = true;
        }
      }
      await expect(storage.write('doc', broken())).rejects.toThrow('the source broke');
      await expect(storage.write('new', Readable.from(broken()))).rejects.toThrow('the source broke');
      expect(tidied).toBe(true);
      expect(await content('doc')).toBe('old');
      expect(await subject.inside()).toEqual(['doc']);
    });

    it.each([0.1, 6])('of %d MiB is whole for every reader while two write again and again', async (size) => {
      const turns = size < 1 ? 10 : 3;
      const third = 'x'.repeat((size * MIB) / 3);
      const whole = ['a', 'b'].map((letter) => third.replaceAll('x', letter).repeat(3));
      await storage.write('doc', whole[0] ?? '');
      let writing = true;
      let reads = 0;
      const torn: string[] = [];
      const reader = async () => {
        while (writing) {
          const value = await content('doc');
          reads++;
          if (!whole.includes(value)) torn.push(`${value.length} bytes of ${[...new Set(value)]}`);
        }
      };
      const writer = async (value: string) => {
        const end = value.length / 3;
        for (let i = 0; i < turns; i++)
          await storage.write('doc', pieces(value.slice(0, end), value.slice(end, 2 * end), value.slice(2 * end)));
      };
      const reading = [reader(), reader()];
      await Promise.all(whole.map(writer)).finally(() => {
        writing = false;
      });
      await Promise.all(reading);
      expect(torn).toEqual([]);
      expect(reads).toBeGreaterThan(0);
      expect(whole).toContain(await content('doc'));
      expect(await subject.inside()).toEqual(['doc']);
    });

    it.each([0, 12])('of %i MiB shows the old document until the last byte of the new one is there', async (size) => {
      await storage.write('doc', 'old');
      let meanwhile: unknown;
      async function* slow() {
        yield 'new ';
        yield* mebibytes(size);
        meanwhile = { content: await content('doc'), refs: await refs() };
        yield 'document';
      }
      await storage.write('doc', slow());
      expect(meanwhile).toEqual({ content: 'old', refs: ['doc'] });
      expect(await content('doc')).toMatch(/^new .*document$/);
    });

    it('makes the same new folder as many others at once', async () => {
      const names = Array.from({ length: 20 }, (_, i) => `x/y/z/doc-${i}`);
      await Promise.all(names.map((ref) => storage.write(ref, ref)));
      expect(await refs()).toEqual(names.toSorted());
    });
  });

  describe('a reference cannot leave the root', () => {
    it.each([
      '',
      '.',
      '..',
      './doc',
      '../outside/secret.txt',
      'a/../../outside/secret.txt',
      'a/..',
      '.. /outside',
      '/etc/passwd',
      '//host/share',
      'a//b',
      'a/',
      'a\\..\\..\\outside',
      '..\\outside\\secret.txt',
      'a\0b',
      'a\nb',
      '\u0085',
      'a\ud800',
      '%2e%2e/outside/secret.txt',
      '..%2foutside',
      '%252e%252e/outside',
      '..%5coutside',
      'a%00',
      '.audit-runner-0123abcd-7-00000000-0000-0000-0000-000000000000.tmp',
      'é'.repeat(128),
      'a/'.repeat(600),
    ])('as %j, whatever is done with it', async (ref) => {
      for (const [, act] of everyWay) await expect(act(storage, ref)).rejects.toMatchObject({ kind: 'refused' });
      expect(await subject.inside()).toEqual([]);
    });

    it.each(['../', '/', 'a//b', '../outside/', '%2e%2e/'])('nor list by the prefix %j', async (prefix) => {
      await expect(listed(storage, prefix)).rejects.toMatchObject({ kind: 'refused' });
    });

    it.each([
      '...',
      '..a',
      'a..b/c',
      'Q3 plan (100%).pdf',
      'ünï/文書',
      '.hidden',
      '~',
      'C:',
      '-rf',
      "a+b&c='d' ?#.txt",
    ])('while %j is a name like any other', async (ref) => {
      await storage.write(ref, 'here');
      expect(await content(ref)).toBe('here');
      expect(await listed(storage)).toEqual([{ ref, size: 4 }]);
      expect(await storage.stat(ref)).toEqual({ ref, size: 4 });
      await storage.delete(ref);
      expect(await subject.inside()).toEqual([]);
    });
  });
}
