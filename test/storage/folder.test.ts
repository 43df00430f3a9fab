import { execFileSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openStorage, type Storage } from '../../src/storage';
import { behavesAsStorage, everyWay, listed } from './contract';

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
const refs = async (prefix?: string) => (await listed(storage, prefix)).map(({ ref }) => ref);
/** Files only: an empty folder is no trace of a document. */
const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

behavesAsStorage(async () => ({
  storage,
  inside: () => filesIn(root),
  async outside() {
    const names = (await filesIn(base)).filter((name) => !name.startsWith('root/'));
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await readFile(join(base, name), 'utf8')] as const)),
    );
  },
}));

describe('a folder', () => {
  it('S4: what is made in it, and the folder itself, is for its user alone', async () => {
    await storage.write('a/b/doc', 'x');
    await storage.create('a/b/new', 'x');
    const modes = ['', 'a', 'a/b', 'a/b/doc', 'a/b/new'].map(
      async (name) => (await stat(join(root, name))).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o700, 0o600, 0o600]);
  });

  it('what is made in a folder of a group is the group’s as well', async () => {
    await mkdir(root);
    await chmod(root, 0o770);
    const before = process.umask(0o002);
    try {
      await storage.write('a/doc', 'x');
    } finally {
      process.umask(before);
    }
    const modes = ['a', 'a/doc'].map(async (name) => (await stat(join(root, name))).mode & 0o777);
    expect(await Promise.all(modes)).toEqual([0o770, 0o660]);
  });

  it('lists documents only: no temporary file, no link, no name that is no reference', async () => {
    await storage.write('a/doc', 'x');
    await writeFile(join(root, 'a', '.audit-runner-0123abcd-7-00000000-0000-0000-0000-000000000000.tmp'), 'another’s');
    await writeFile(join(root, 'a', 'back\\slash'), 'no reference');
    await symlink(root, join(root, 'a', 'loop'));
    expect(await refs()).toEqual(['a/doc']);
  });

  it('removes what a killed process left in it, at its first write there, and nothing of the living', async () => {
    const nameOf = (host: string, pid: number) =>
      `.audit-runner-${host}-${pid}-00000000-0000-0000-0000-00000000000${pid % 10}.tmp`;
    let here = '';
    const seen = async function* () {
      here = (await readdir(join(root, 'a')))[0]?.split('-')[2] ?? '';
      yield 'x';
    };
    await storage.write('a/first', seen());
    expect(here).toMatch(/^[0-9a-f]{8}$/);
    const dead = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' });
    const files = {
      killed: nameOf(here, Number(dead)),
      restarted: nameOf(here, process.pid),
      alive: nameOf(here, process.ppid),
      elsewhere: nameOf('0123abcd', 7),
      elsewhereLongAgo: nameOf('0123abcd', 8),
    };
    for (const name of Object.values(files)) await writeFile(join(root, 'a', name), 'half');
    await utimes(join(root, 'a', files.elsewhereLongAgo), 0, 0);
    const slow = async function* () {
      yield 'whole ';
      await openStorage(pathToFileURL(root).href).write('a/second', 'x');
      yield 'document';
    };
    await storage.write('a/slow', slow());
    expect(await content('a/slow')).toBe('whole document');
    expect(await filesIn(join(root, 'a'))).toEqual([files.alive, files.elsewhere, 'first', 'second', 'slow'].sort());
  });

  it('is synchronized file by file: what was written is the file itself', async () => {
    await storage.write('bytes', Buffer.from([0, 255]));
    expect(await readFile(join(root, 'bytes'))).toEqual(Buffer.from([0, 255]));
  });

  it.each(['runs/Q3 plan #1.pdf', '~', 'ünï/文書', 'Q3 plan (100%).pdf'])(
    'tells a person where %j is, and what it is itself',
    (ref) => {
      expect(fileURLToPath(storage.urlOf(ref))).toBe(join(root, ref));
      expect(storage.describe()).toBe(`the folder ${root}`);
    },
  );
});

describe('a reference cannot leave the folder', () => {
  const outsideIsUntouched = async () => {
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    expect((await readdir(base)).sort()).toEqual(['outside', 'root']);
  };

  it('through a link to a folder outside', async () => {
    await mkdir(root);
    await symlink(outside, join(root, 'link'));
    for (const ref of ['link/secret.txt', 'link/new', 'link/new/deeper'])
      for (const [way, act] of everyWay)
        if (way !== 'urlOf') await expect(act(storage, ref)).rejects.toMatchObject({ kind: 'refused' });
    await expect(listed(storage, 'link/')).rejects.toMatchObject({ kind: 'refused' });
    expect(await listed(storage)).toEqual([]);
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
    expect(await listed(storage)).toEqual([]);
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
    expect(await listed(storage)).toEqual([]);
  });
});

describe('openStorage', () => {
  it('takes a folder as a path or as a file URL', () => {
    expect(openStorage('data/out').describe()).toBe(`the folder ${join(process.cwd(), 'data/out')}`);
    expect(openStorage('file:///srv/my%20data').describe()).toBe('the folder /srv/my data');
  });

  it.each(['https://user:password@host/x', 'gs://password', 'data:,password'])(
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
