/** What of the storage belongs to which account: no account's run can name what is another's. */
import { z } from 'zod';
import { inAccount } from './account-folder';
import { namesOf } from './ref';
import { type Storage, StorageError } from './storage';
import { readIfThere } from './stored-json';

/** Results of earlier versions, which do not say whose they are. */
const RESULTS = ['audits', 'calls', 'captures', 'runs'];
/** What audit-runner notes for itself, such as what it has sent: nothing that a run has a reason to name. */
const RECORDS = ['books', 'calls-made', 'documents-made', 'projects-made', 'sweeps'];
/** In a folder in which people may keep notes of their own. */
const NOTE_RECORD = /^notes\/[^/]+\/[^/]+\.json$/;
/** Of earlier versions: `backfills/batch/run/…`, with a document that says whose the batch is. */
const Batch = z.looseObject({ account: z.string() });

/**
 * The document that an account's run means by a reference: its own, or, where it has none of this name, the one that all
 * accounts share. A document is shared if it is in none of the folders that audit-runner itself writes into.
 * @param ref as somebody has given it, with or without `accounts/<account>/` before it
 * @throws {StorageError} `refused`
 */
export async function givenRef(storage: Storage, account: string, ref: string): Promise<string> {
  const own = inAccount(account, '');
  const folded = namesOf(ref).map(asCompared);
  const [top = ''] = folded;
  if (ref.startsWith(own)) return ref;
  if (/~\d/.test(top)) throw refused('its first name may be the short form of another one', 'give the name in full');
  if (top === 'accounts') throw refused('it belongs to another account', `give one below ${own}`);
  if (RECORDS.includes(top) || NOTE_RECORD.test(folded.join('/')))
    throw refused('what audit-runner notes there for itself is no document', 'give the reference of a document');
  if (RESULTS.includes(top) || (top === 'backfills' && !(await isBatchOf(storage, account, ref))))
    throw refused('it is a result that does not say which account it belongs to', `copy it to a place below ${own}`);
  return (await storage.stat(own + ref)) ? own + ref : ref;
}

/**
 * A name as the most forgiving file systems compare it: those that know no upper case, no difference between a letter and its
 * ligature, no characters that do not show, or no dots and spaces at the end.
 */
const asCompared = (name: string): string =>
  name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replace(/[. ]+$/, '');

async function isBatchOf(storage: Storage, account: string, ref: string): Promise<boolean> {
  const folder = namesOf(ref).slice(0, 3);
  const batch = await readIfThere(storage, [...folder, 'backfill.json'].join('/'), Batch);
  return batch?.account === account;
}

const refused = (why: string, mend: string) => new StorageError('refused', `The reference is refused: ${why}`, mend);
