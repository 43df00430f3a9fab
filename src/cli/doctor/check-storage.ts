/** What `doctor` sees of the storage: a document of its own is written, found, read back and removed. */
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { openStorage, StorageError } from '../../storage';
import { PROGRAM } from '../../text/command';
import { area, type Check } from './check';

const CONTENT = `Written by \`${PROGRAM} doctor\`, and removed again.\n`;
const { ok, wrong } = area('storage');
const NAME = 'documents';

/** Checks the storage of that URL from this machine, as the worker would use it. */
export async function checkStorage(url: string): Promise<Check> {
  let step = 'opened';
  try {
    const storage = openStorage(url);
    const ref = `audit-runner-doctor-${randomUUID()}.txt`;
    try {
      step = 'written to';
      await storage.write(ref, CONTENT, { contentType: 'text/plain' });
      step = 'listed';
      // Whether it is there by now is the storage's affair.
      for await (const _ of storage.list(ref));
      step = 'read';
      if ((await storage.stat(ref)) === undefined) return lost(`${storage.describe()} does not have what was written`);
      if ((await text(await storage.read(ref))) !== CONTENT)
        return lost(`${storage.describe()} gives back something else than what was written`);
      step = 'written to only where nothing is';
      if (await storage.create(ref, CONTENT))
        return wrong(
          NAME,
          `${storage.describe()} overwrites a document that was to be created only if there is none: the books cannot be kept there`,
          `use a storage with conditional writes (S3: If-None-Match), or ${ELSEWHERE}`,
        );
      step = 'done';
    } finally {
      // Where an earlier step failed, that is what is told.
      await storage.delete(ref).catch((error: unknown) => {
        if (step !== 'done') return;
        step = 'tidied';
        throw error;
      });
    }
    return ok(NAME, `${storage.describe()}: written, listed, read back, not written twice, and removed`);
  } catch (error) {
    if (error instanceof StorageError) return wrong(NAME, error.found, error.mend ?? ELSEWHERE);
    const reason = error instanceof Error ? error.message : String(error);
    return wrong(
      NAME,
      `the storage cannot be ${step}: ${reason}`,
      `let audit-runner's user write there, or ${ELSEWHERE}`,
    );
  }
}

const ELSEWHERE = 'name another storage with STORAGE_URL or storageUrl';

const lost = (found: string): Check => wrong(NAME, found, ELSEWHERE);
