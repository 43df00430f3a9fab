/** A program that was fetched once is the same from then on: its hash is kept beside it. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../system';

const hashFile = (file: string): string => `${file}.sha256`;

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** @param place gives the hash its name: whole, since others may read it at the same time */
async function keep(file: string, hash: string, place: (draft: string, name: string) => Promise<void>): Promise<void> {
  const draft = `${hashFile(file)}.${randomUUID()}`;
  await writeFile(draft, `${hash}\n`);
  await place(draft, hashFile(file)).catch(async (error: unknown) => {
    await unlink(draft);
    throw error;
  });
}

/** A file that has just been fetched takes the place of any before. @returns its SHA-256 */
export async function noteFetched(file: string): Promise<string> {
  const hash = await hashOf(file);
  await keep(file, hash, rename);
  return hash;
}

/** A program is not the one that was fetched. The message says what to do. */
export class ChangedFile extends Error {
  override readonly name = 'ChangedFile';
}

/** What a folder says in which this user may not write: nothing can be kept there, and nothing replaced. */
const READ_ONLY = ['EROFS', 'EACCES', 'EPERM'];

/** Trusted when it is first seen. @throws ChangedFile where it has changed since */
export async function mustBeKnown(file: string): Promise<void> {
  const hash = await hashOf(file);
  const known = (await knownHash(file)) ?? (await seenFirst(file, hash));
  if (known !== undefined && known !== hash)
    throw new ChangedFile(
      `${file} is not what was fetched: its SHA-256 is ${hash}, and was ${known.slice(0, 64)}. If you did not replace it, find out who did; delete both files to fetch it anew`,
    );
}

async function knownHash(file: string): Promise<string | undefined> {
  try {
    return (await readFile(hashFile(file), 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** @returns the hash that counts from now on; undefined where none can be kept */
async function seenFirst(file: string, hash: string): Promise<string | undefined> {
  try {
    await keep(file, hash, async (draft, name) => {
      await link(draft, name);
      await unlink(draft);
    });
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (READ_ONLY.includes(code)) return undefined;
    if (code !== 'EEXIST') throw error;
  }
  return knownHash(file);
}
