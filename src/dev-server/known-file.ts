/** A program that was fetched once is the same from then on: its hash is kept beside it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../system';
import { createWhole, replaceWhole } from './whole-file';

const hashFile = (file: string): string => `${file}.sha256`;

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** A file that has just been fetched takes the place of any before. @returns its SHA-256 */
export async function noteFetched(file: string): Promise<string> {
  const hash = await hashOf(file);
  await replaceWhole(hashFile(file), `${hash}\n`);
  return hash;
}

/** A program is not the one that was fetched, or not the one that was published. The message says what to do. */
export class ForeignFile extends Error {
  override readonly name = 'ForeignFile';
}

/** @param listed SHA-256 of what was published @throws ForeignFile where the file is something else */
export async function mustBePublished(file: string, listed: string): Promise<void> {
  const hash = await hashOf(file);
  if (hash === listed) return;
  throw new ForeignFile(
    `what was downloaded as the Temporal server is not what Temporal published: its SHA-256 is ${hash}, and ${listed} is listed. It was deleted. Find out what stands between this machine and temporal.download, or install the Temporal CLI yourself (https://docs.temporal.io/cli)`,
  );
}

/** What a folder says in which this user may not write: nothing can be kept there, and nothing replaced. */
const READ_ONLY = ['EROFS', 'EACCES', 'EPERM'];

/** Trusted when it is first seen. @throws ForeignFile where it has changed since */
export async function mustBeKnown(file: string): Promise<void> {
  const hash = await hashOf(file);
  const known = (await knownHash(file)) ?? (await seenFirst(file, hash));
  if (known !== undefined && known !== hash)
    throw new ForeignFile(
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
    await createWhole(hashFile(file), `${hash}\n`);
  } catch (error) {
    if (READ_ONLY.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
  return knownHash(file);
}
