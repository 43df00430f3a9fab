/** A program that was fetched once is the same from then on: its hash is kept beside it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../system';

const hashFile = (file: string): string => `${file}.sha256`;

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** A file that has just been fetched takes the place of any before. @returns its SHA-256 */
export async function noteFetched(file: string): Promise<string> {
  const hash = await hashOf(file);
  await rm(hashFile(file), { force: true });
  await writeFile(hashFile(file), `${hash}\n`, { flag: 'wx', mode: 0o600 });
  return hash;
}

/** A program is not the one that was fetched. The message says what to do. */
export class ChangedFile extends Error {
  override readonly name = 'ChangedFile';
}

/** Trusted when it is first seen. @throws ChangedFile where it has changed since */
export async function mustBeKnown(file: string): Promise<void> {
  const hash = await hashOf(file);
  await writeFile(hashFile(file), `${hash}\n`, { flag: 'wx', mode: 0o600 }).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  const known = (await readFile(hashFile(file), 'utf8')).trim();
  if (known !== hash)
    throw new ChangedFile(
      `${file} is not what was fetched: its SHA-256 is ${hash}, and was ${known.slice(0, 64)}. If you did not replace it, find out who did; delete both files to fetch it anew`,
    );
}
