import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openStorage, type Storage, type Stored } from '../../src/storage';

let base: string;
let root: string;
let outside: string;
let storage: Storage;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'storage-')));
  root = join(base, 'root');
  outside = join(base, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret.txt'), 'secret');
  storage = openStorage(pathToFileURL(root).href);
});
afterEach(() => rm(base, { recursive: true }));

const content = async (ref: string) => text(await storage.read(ref));
async function listed(prefix?: string): Promise<Stored[]> {
  const found: Stored[] = [];
  for await (const stored of storage.list(prefix)) found.push(stored);
  return found;
}
async function* pieces(...parts: (string | Uint8Array)[]) {
  yield* parts;
}
const filesOnDisk = async () => (await readdir(root, { recursive: true })).sort();

describe('a folder', () => {
  it('gives back what was written, from text, bytes or a stream, and its size', async () => {
    expect(await storage.write('a/b/text.md', 'Grüße', { contentType: 'text/markdown' })).toEqual({
      ref: 'a/b/text.md',
      size: 7,
    });
    expect(await storage.write('bytes', Buffer.from([0, 255]))).toEqual({ ref: 'bytes', size: 2 });
    expect(await storage.write('stream', pieces('one,', Buffer.from('two')))).toEqual({ ref: 'stream', size: 7 });
    expect(await content('a/b/text.md')).toBe('Grüße');
    expect(await readFile(join(root, 'bytes'))).toEqual(Buffer.from([0, 255]));
    expect(await content('stream')).toBe('one,two');
    expect(await storage.stat('stream')).toEqual({ ref: 'stream', size: 7 });
  });

  it('can be written again over what was there, longer or shorter', async () => {
    for (const value of ['first', 'the second, longer', '3', '']) {
      await storage.write('doc', value);
      expect(await content('doc')).toBe(value);
    }
    expect(await filesOnDisk()).toEqual(['doc']);
  });

  it('says that a document is not there, and has nothing before the first write', async () => {
    await expect(storage.read('none')).rejects.toMatchObject({ kind: 'notFound' });
    expect(await storage.stat('none')).toBeUndefined();
    expect(await listed()).toEqual([]);
    await storage.delete('none/at/all');
    await storage.write('dir/doc', 'x');
    await expect(storage.read('dir')).rejects.toMatchObject({ kind: 'notFound' });
    await expect(storage.read('dir/doc/below')).rejects.toMatchObject({ kind: 'notFound' });
    expect(await storage.stat('dir')).toBeUndefined();
  });

  it('removes a document, and again', async () => {
    await storage.write('dir/doc', 'x');
    await storage.delete('dir/doc');
    await storage.delete('dir/doc');
    expect(await storage.stat('dir/doc')).toBeUndefined();
  });

  it('lists by prefix, in the order of the references, and only documents', async () => {
    for (const ref of ['b', 'a/z', 'a-b', 'a/b/c', 'a0', 'ab/c']) await storage.write(ref, ref);
    await writeFile(join(root, 'a', '.audit-runner-00000000-0000-0000-0000-000000000000.tmp'), 'left over');
    await writeFile(join(root, 'a', 'back\\slash'), 'no reference');
    await symlink(root, join(root, 'a', 'loop'));
    const refs = async (prefix?: string) => (await listed(prefix)).map(({ ref }) => ref);
    expect(await refs()).toEqual(['a-b', 'a/b/c', 'a/z', 'a0', 'ab/c', 'b']);
    expect(await refs('a')).toEqual(['a-b', 'a/b/c', 'a/z', 'a0', 'ab/c']);
    expect(await refs('a/')).toEqual(['a/b/c', 'a/z']);
    expect(await refs('a/b')).toEqual(['a/b/c']);
    expect(await refs('none/')).toEqual([]);
    expect(await listed('b')).toEqual([{ ref: 'b', size: 1 }]);
  });

  it('tells a person where a document is and what it is itself', () => {
    const url = storage.urlOf('runs/Q3 plan #1.pdf');
    expect(fileURLToPath(url)).toBe(join(root, 'runs', 'Q3 plan #1.pdf'));
    expect(storage.describe()).toBe(`the folder ${root}`);
  });
});

describe('a write', () => {
  it('leaves the old document and no trace when the content breaks off', async () => {
    await storage.write('doc', 'old');
    async function* broken() {
      yield 'half of the ';
      throw new Error('the source broke');
    }
    await expect(storage.write('doc', broken())).rejects.toThrow('the source broke');
    expect(await content('doc')).toBe('old');
    expect(await filesOnDisk()).toEqual(['doc']);
  });

  it('is whole for every reader while two write the same document again and again', async () => {
    const whole = ['a', 'b'].map((letter) => letter.repeat(300_000));
    await storage.write('doc', whole[0] ?? '');
    let writing = true;
    const seen = new Set<string>();
    const reader = async () => {
      while (writing) seen.add(await content('doc'));
    };
    const writer = async (value: string) => {
      for (let i = 0; i < 25; i++)
        await storage.write(
          'doc',
          pieces(value.slice(0, 100_000), value.slice(100_000, 200_000), value.slice(200_000)),
        );
    };
    const readers = [reader(), reader()];
    await Promise.all(whole.map(writer)).finally(() => {
      writing = false;
    });
    await Promise.all(readers);
    expect([...seen].filter((value) => !whole.includes(value))).toEqual([]);
    expect(seen.size).toBeGreaterThan(0);
    expect(whole).toContain(await content('doc'));
    expect(await filesOnDisk()).toEqual(['doc']);
  });

  it('shows the old document until the last byte of the new one is there', async () => {
    await storage.write('doc', 'old');
    let seenMeanwhile = '';
    async function* slow() {
      yield 'new ';
      seenMeanwhile = await content('doc');
      expect((await listed()).map(({ ref }) => ref)).toEqual(['doc']);
      yield 'document';
    }
    await storage.write('doc', slow());
    expect(seenMeanwhile).toBe('old');
    expect(await content('doc')).toBe('new document');
  });

  it('makes the same new folder from many writers at once', async () => {
    const refs = Array.from({ length: 20 }, (_, i) => `x/y/z/doc-${i}`);
    await Promise.all(refs.map((ref) => storage.write(ref, ref)));
    expect((await listed()).map(({ ref }) => ref)).toEqual(refs.toSorted());
  });
});

describe('a reference cannot leave the folder', () => {
  const everyWay: [string, (ref: string) => Promise<unknown>][] = [
    ['read', (ref) => storage.read(ref)],
    ['write', (ref) => storage.write(ref, 'written')],
    ['stat', (ref) => storage.stat(ref)],
    ['delete', (ref) => storage.delete(ref)],
    ['urlOf', async (ref) => storage.urlOf(ref)],
  ];
  const outsideIsUntouched = async () => {
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    expect((await readdir(base)).sort()).toEqual(['outside', 'root']);
  };

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
    '.audit-runner-00000000-0000-0000-0000-000000000000.tmp',
    'é'.repeat(128),
    'a/'.repeat(600),
  ])('as %j, whatever is done with it', async (ref) => {
    await mkdir(root);
    for (const [, act] of everyWay) await expect(act(ref)).rejects.toMatchObject({ kind: 'refused' });
    await outsideIsUntouched();
  });

  it.each(['../', '/', 'a//b', '../outside/', '%2e%2e/'])('nor list by the prefix %j', async (prefix) => {
    await mkdir(root);
    await expect(listed(prefix)).rejects.toMatchObject({ kind: 'refused' });
  });

  it.each(['...', '..a', 'a..b/c', 'Q3 plan (100%).pdf', 'ünï/文書', '.hidden', '~', 'C:', '-rf'])(
    'while %j is a name like any other',
    async (ref) => {
      await storage.write(ref, 'here');
      expect(await content(ref)).toBe('here');
      expect(relative(root, fileURLToPath(storage.urlOf(ref)))).toBe(ref);
      expect((await listed()).map((stored) => stored.ref)).toEqual([ref]);
    },
  );

  it('through a link to a folder outside', async () => {
    await mkdir(root);
    await symlink(outside, join(root, 'link'));
    for (const ref of ['link/secret.txt', 'link/new', 'link/new/deeper'])
      for (const [way, act] of everyWay)
        if (way !== 'urlOf') await expect(act(ref)).rejects.toMatchObject({ kind: 'refused' });
    await expect(listed('link/')).rejects.toMatchObject({ kind: 'refused' });
    expect(await listed()).toEqual([]);
    await outsideIsUntouched();
  });

  it('through a link to a folder outside that does not exist yet', async () => {
    await mkdir(root);
    await symlink(join(base, 'not-yet'), join(root, 'link'));
    await expect(storage.write('link/new', 'x')).rejects.toThrow();
    await expect(storage.write('link/new/deeper', 'x')).rejects.toThrow();
    await outsideIsUntouched();
  });

  it('through a link to a folder whose name only begins like the root', async () => {
    await mkdir(`${root}-2`);
    await mkdir(root);
    await writeFile(join(`${root}-2`, 'doc'), 'other');
    await symlink(`${root}-2`, join(root, 'link'));
    await expect(storage.read('link/doc')).rejects.toMatchObject({ kind: 'refused' });
  });

  it('through a link to a file outside: it is not read, and a write replaces the link and not the file', async () => {
    await mkdir(root);
    await symlink(join(outside, 'secret.txt'), join(root, 'doc'));
    await expect(storage.read('doc')).rejects.toMatchObject({ kind: 'refused' });
    await expect(storage.stat('doc')).rejects.toMatchObject({ kind: 'refused' });
    expect(await listed()).toEqual([]);
    await storage.write('doc', 'mine');
    expect(await content('doc')).toBe('mine');
    await outsideIsUntouched();
  });

  it('while a link that stays inside, and a root that is a link itself, are followed', async () => {
    await storage.write('real/doc', 'inside');
    await symlink(join(root, 'real'), join(root, 'link'));
    expect(await content('link/doc')).toBe('inside');
    await symlink(root, join(base, 'alias'));
    expect(await text(await openStorage(join(base, 'alias')).read('real/doc'))).toBe('inside');
  });

  it('and a named pipe is no document to wait for', async () => {
    await mkdir(root);
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await expect(storage.read('pipe')).rejects.toMatchObject({ kind: 'notFound' });
    expect(await storage.stat('pipe')).toBeUndefined();
    expect(await listed()).toEqual([]);
  });
});

describe('openStorage', () => {
  it('takes a folder as a path or as a file URL', () => {
    expect(openStorage('data/out').describe()).toBe(`the folder ${join(process.cwd(), 'data/out')}`);
    expect(openStorage('file:///srv/my%20data').describe()).toBe('the folder /srv/my data');
  });

  it.each(['s3://key:password@bucket', 'https://user:password@host/x', 'gs://password', 'data:,password'])(
    'refuses the unknown kind %j with a sentence that does not repeat credentials',
    (url) => {
      expect(() => openStorage(url)).toThrow(/^A storage of the kind '[a-z0-9]+' is not known: give a folder, as /);
      expect(() => openStorage(url)).not.toThrow(/password/);
    },
  );

  it.each([
    '',
    ' ',
    'a\0b',
    'file:data',
    'file:/data',
    'file://data',
    'file://host/data',
    'file:///',
    'file:///a%00b',
    'file:///a%2Fb',
    'file:///a%zz',
    'file:///a?b',
    'file:///a#b',
  ])('refuses %j, which names no folder for sure', (url) => {
    expect(() => openStorage(url)).toThrow(expect.objectContaining({ kind: 'refused' }));
  });
});
