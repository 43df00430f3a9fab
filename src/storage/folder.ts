/**
 * A folder as storage. Several processes may share it, also over a network file system with atomic renames. What is made in it
 * is its user's alone, or its group's as well where the group may write to it.
 */
import { constants, type Dirent } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  opendir,
  readdir,
  realpath,
  rename,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { errorCode } from '../system';
import { foldersOf, isRef, namesOf, shownRef } from './ref';
import { type Content, NoConditionalWrites, type Storage, StorageError, type Stored } from './storage';
import { removeLeftBehind, TEMPORARY, withTemporary } from './temporary';

/** Modes: of its user, of its group; the bits that let a group write, and folders be entered. */
const [OWN, GROUP, GROUP_WRITES, SEARCH] = [0o700, 0o070, 0o020, 0o111];

/** What file systems that know no hard links answer: FAT, some that are shared over a network. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/** Folders that are known to be tidy: a bound for the memory, since looking again costs one listing only. */
const MOST_TIDIED = 1_000;

/**
 * Links inside the folder are followed only where they stay inside. The check and the use are two steps: who can create
 * links in the folder while audit-runner works can defeat it, and could write the files as well.
 */
export class FolderStorage implements Storage {
  /** @param root absolute path; created at the first write */
  constructor(private readonly root: string) {}

  readonly #tidied = new Set<string>();
  /** Of the folders that are made here. */
  #mode: number | undefined;

  async read(ref: string): Promise<Readable> {
    const file = await this.#open(ref);
    if (!file) throw new StorageError('notFound', `There is no document ${shownRef(ref)} in ${this.describe()}.`);
    return file.createReadStream();
  }

  async write(ref: string, content: Content): Promise<Stored> {
    return this.#written(ref, content, async (temporary, path, size) => {
      await rename(temporary, path);
      return { ref, size };
    });
  }

  /** A hard link is made or refused in one step, on network file systems as well. */
  async create(ref: string, content: string): Promise<boolean> {
    return this.#written(ref, content, async (temporary, path) => {
      const isMade = await isNew(link(temporary, path)).catch((error: unknown) => {
        if (!hasCode(error, ...NO_LINKS)) throw error;
        throw new NoConditionalWrites(this, `is on a file system without hard links (${errorCode(error)})`);
      });
      await unlink(temporary);
      return isMade;
    });
  }

  /** @param place gives the written file its name */
  async #written<T>(
    ref: string,
    content: Content,
    place: (temporary: string, path: string, size: number) => Promise<T>,
  ): Promise<T> {
    const names = namesOf(ref);
    await mkdir(this.root, { recursive: true, mode: OWN });
    this.#mode ??= (await stat(this.root)).mode & GROUP_WRITES ? OWN | GROUP : OWN;
    const mode = this.#mode;
    const folder = await this.#folder(names.slice(0, -1), mode);
    await this.#tidy(folder);
    return withTemporary(folder, async (temporary) => {
      const size = await writeDurably(temporary, content, mode & ~SEARCH);
      const placed = await place(temporary, join(folder, names.at(-1) ?? ''), size);
      await syncFolder(folder);
      return placed;
    });
  }

  async *list(prefix = '', after = ''): AsyncIterable<Stored> {
    const names = foldersOf(prefix);
    const folder = await unlessAbsent(this.#folder(names));
    if (folder !== undefined) yield* this.#walk(folder, names, prefix, after);
  }

  async folders(prefix: string): Promise<string[]> {
    const folder = await unlessAbsent(this.#folder(foldersOf(prefix)));
    const entries = folder === undefined ? [] : ((await unlessAbsent(readdir(folder, { withFileTypes: true }))) ?? []);
    return entries.flatMap((entry) => (entry.isDirectory() && isRef(entry.name) ? entry.name : [])).sort();
  }

  async stat(ref: string): Promise<Stored | undefined> {
    const file = await this.#open(ref);
    if (!file) return undefined;
    try {
      return { ref, size: (await file.stat()).size };
    } finally {
      await file.close();
    }
  }

  async delete(ref: string): Promise<void> {
    const names = namesOf(ref);
    const folder = await unlessAbsent(this.#folder(names.slice(0, -1)));
    if (folder !== undefined) await unlessAbsent(unlink(join(folder, names.at(-1) ?? '')));
  }

  urlOf(ref: string): string {
    return pathToFileURL(join(this.root, ...namesOf(ref))).href;
  }

  describe(): string {
    return `the folder ${this.root}`;
  }

  /** At the first write only: a folder of 100,000 documents is not listed for each of them. */
  async #tidy(folder: string): Promise<void> {
    if (this.#tidied.has(folder)) return;
    if (this.#tidied.size >= MOST_TIDIED) this.#tidied.clear();
    this.#tidied.add(folder);
    await removeLeftBehind(folder);
  }

  /** Opens a regular file; undefined when there is none. */
  async #open(ref: string): Promise<FileHandle | undefined> {
    const names = namesOf(ref);
    const path = await unlessAbsent(realpath(join(this.root, ...names)));
    if (path === undefined) {
      // What leads outside is refused, whether it is there or not.
      await unlessAbsent(this.#folder(names.slice(0, -1)));
      return undefined;
    }
    await this.#mustBeInside(path, ref);
    // Without O_NONBLOCK, opening a named pipe waits for a writer for ever.
    const file = await unlessAbsent(open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
    if (file && !(await file.stat()).isFile()) {
      await file.close();
      return undefined;
    }
    return file;
  }

  /**
   * The real path of a folder below the root, each step checked before the next, so that nothing is made outside.
   * @param mode of the folders that are made where there is none; absent: none is made
   */
  async #folder(names: readonly string[], mode?: number): Promise<string> {
    let folder = await realpath(this.root);
    for (const name of names) {
      const next = join(folder, name);
      if (mode !== undefined && (await isNew(mkdir(next, mode)))) await syncFolder(folder);
      folder = await realpath(next);
      await this.#mustBeInside(folder, names.join('/'));
    }
    return folder;
  }

  async #mustBeInside(path: string, ref: string): Promise<void> {
    const root = await realpath(this.root);
    const inside = root.endsWith(sep) ? root : root + sep;
    if (path !== root && !path.startsWith(inside))
      throw new StorageError(
        'refused',
        `The reference (${ref.length} characters) is refused: a link in it leads outside the folder.`,
      );
  }

  /**
   * Regular files only: a link to a folder above it would make the walk endless. A folder may have millions of files: of those
   * that are not asked for nothing is kept.
   */
  async *#walk(folder: string, names: readonly string[], prefix: string, after: string): AsyncGenerator<Stored> {
    const refOf = (name: string) => [...names, name].join('/');
    // With its '/' a folder sorts where its documents' references sort, as in S3.
    const keys: string[] = [];
    for await (const entry of entriesOf(folder)) {
      const ref = refOf(entry.name);
      const key = entry.isDirectory() ? `${ref}/` : ref;
      const isLater = key > after || (entry.isDirectory() && after.startsWith(key));
      const isAsked = isLater && key.startsWith(prefix) && (entry.isDirectory() || entry.isFile());
      if (isAsked && !TEMPORARY.test(entry.name) && isRef(ref)) keys.push(key);
    }
    for (const key of keys.sort()) {
      const name = key.slice(refOf('').length).replace(/\/$/, '');
      const path = join(folder, name);
      if (key.endsWith('/')) yield* this.#walk(path, [...names, name], prefix, after);
      else {
        const found = await unlessAbsent(stat(path));
        if (found) yield { ref: key, size: found.size };
      }
    }
  }
}

/** Names that are read from a folder at once. */
const AT_ONCE = 1_000;

async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  const opened = await unlessAbsent(opendir(folder, { bufferSize: AT_ONCE }));
  if (opened) yield* opened;
}

/** Writes a new file and waits until the disk has it. */
async function writeDurably(path: string, content: Content, mode: number): Promise<number> {
  const file = await open(path, 'wx', mode);
  try {
    await writeFile(file, content);
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** A rename and a new folder last through a power cut only once the folder they are in is on the disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const hasCode = (error: unknown, ...codes: string[]): boolean => codes.includes(errorCode(error) ?? '');

async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function isNew(made: Promise<void>): Promise<boolean> {
  try {
    await made;
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}
