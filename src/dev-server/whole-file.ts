/** Files that several processes may make and read at the same time: a reader never finds one empty, or in part. */
import { randomUUID } from 'node:crypto';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { errorCode } from '../system';

/** Of several writers exactly one makes it. @returns false where there is one already */
export const createWhole = (file: string, text: string): Promise<boolean> =>
  withDraft(file, text, async (draft) => {
    try {
      await link(draft, file);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  });

/** Takes the place of what is there. */
export const replaceWhole = (file: string, text: string): Promise<void> =>
  withDraft(file, text, (draft) => rename(draft, file));

async function withDraft<T>(file: string, text: string, place: (draft: string) => Promise<T>): Promise<T> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text);
    return await place(draft);
  } finally {
    await rm(draft, { force: true });
  }
}
