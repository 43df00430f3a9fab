/** What a backfill says of itself in the storage, for whoever redrives it, also when the server has forgotten it. */
import { createHash } from 'node:crypto';
import { About } from '../src/batches/items';
import { type Storage, StorageError } from '../src/storage';
import { inAccount } from '../src/storage/account-folder';
import { readIfThere, storedJson } from '../src/storage/stored-json';

/** Where backfills of this workflow ID keep their folders. An ID that is no plain name is hashed (S4). */
export function folderOf(workflowId: string): string {
  const plain = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(workflowId) && !workflowId.includes('..');
  return `backfills/${plain ? workflowId : createHash('sha256').update(workflowId).digest('hex').slice(0, 24)}`;
}

const ownRef = (folder: string) => `${folder}/backfill.json`;
/** Beside the folders of all runs with this ID. */
const latestRef = (folder: string) => `${folder.slice(0, folder.lastIndexOf('/'))}/latest.json`;

/** It may have left something undone: it has items, and was not only planned. */
const mayLeave = ({ items = 0, dryRun = false }: About): boolean => items > 0 && !dryRun;

/** A redrive finds it as the latest of its ID, unless a run before may have left something undone and it does not (S6). */
export async function tellOf(storage: Storage, about: About, workflowId: string): Promise<void> {
  const before = mayLeave(about) ? undefined : await unlessDamaged(latestOf(storage, about.account, workflowId));
  await write(storage, about, before === undefined || !mayLeave(before));
}

async function write(storage: Storage, about: About, isLatest: boolean): Promise<void> {
  const { folder } = about;
  for (const ref of [ownRef(folder), ...(isLatest ? [latestRef(folder)] : [])])
    await storage.write(ref, `${storedJson(about)}\n`, { contentType: 'application/json' });
}

/** Says how many parts its item ledger has: behind them may be some that were written before it was reset. */
export async function tellParts(storage: Storage, folder: string, parts: number): Promise<void> {
  const about = await unlessDamaged(readIfThere(storage, ownRef(folder), About));
  if (about === undefined) return;
  const latest = await unlessDamaged(readIfThere(storage, latestRef(folder), About));
  await write(storage, { ...about, parts }, latest?.folder === folder);
}

/** What the last run of this ID that may have left something undone, or else the last one, says of itself. @throws {StorageError} `damaged` */
export async function latestOf(storage: Storage, account: string, workflowId: string): Promise<About | undefined> {
  const latest = `${folderOf(workflowId)}/latest.json`;
  return (await readIfThere(storage, inAccount(account, latest), About)) ?? readIfThere(storage, latest, About);
}

/** For who can do without. */
export async function unlessDamaged<T>(reading: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StorageError && error.kind === 'damaged') return undefined;
    throw error;
  }
}
