/** The books of all users, for people: read from the storage alone, without a server, a worker or a token. */
import type { Booking } from '../paying/open-sends';
import { type Storage, StorageError } from '../storage';
import { PROGRAM } from '../text/command';
import { BEGINNING, BOOKS, type Found, Journal, SEGMENT } from './journal';
import type { Standing } from './standing';

/** Whose books there are: the second halves of the IDs of their ledgers. */
export async function usersWithBooks(storage: Storage): Promise<string[]> {
  const users = new Set<string>();
  for await (const { ref } of storage.list(BOOKS)) {
    // Beside the entries lies what a worker puts there before anything was paid.
    const [user = '', kind] = ref.slice(BOOKS.length).split('/');
    if (kind === 'entries' || kind === 'segments') users.add(user);
  }
  return [...users].sort();
}

/** The account whose books they are, by its name when they were begun; undefined where that cannot be read. */
export async function accountOfBooks(storage: Storage, user: string): Promise<string | undefined> {
  for await (const { entry } of new Journal(storage, user).entries(BEGINNING, 1))
    if (entry.kind === 'begun') return entry.account;
  return undefined;
}

/** One entry, and what it books. */
export interface Line extends Found {
  readonly booked: Booking | undefined;
}

/**
 * The entries of a user's books, from the first on; each is checked against the one before it, and that none is missing.
 * @param standing what they come to, entry by entry
 * @throws {StorageError} `damaged`, with the document's name
 */
export async function* linesOf(storage: Storage, user: string, standing: Standing): AsyncGenerator<Line> {
  const journal = new Journal(storage, user);
  const highest = await journal.highest();
  for await (const found of journal.after(BEGINNING))
    yield { ...found, booked: standing.apply(found.entry, found.hash) };
  journal.mustEndAt(standing.seq, highest);
}

/**
 * Reads every document of a user's books: each entry, and each copy of it.
 * @param standing what they come to
 * @throws {StorageError} `damaged`, with the document's name
 */
export async function verify(storage: Storage, user: string, standing: Standing): Promise<void> {
  const journal = new Journal(storage, user);
  for await (const { ref } of untrueSegments(journal, standing))
    throw new StorageError(
      'damaged',
      `'${ref}' is no copy of the entries, which are whole`,
      `\`${PROGRAM} books restore\` copies them again`,
    );
}

/**
 * The segments that are no true copies, each by the entry that it ends with; every entry is read for it.
 * @param standing what they come to
 * @throws {StorageError} `damaged`, where an entry is
 */
export async function* untrueSegments(
  journal: Journal,
  standing: Standing,
): AsyncGenerator<{ seq: number; ref: string }> {
  const highest = await journal.highest();
  let lines: string[] = [];
  for await (const { entry, hash, text } of journal.entries(BEGINNING)) {
    standing.apply(entry, hash);
    if (lines.push(text) < SEGMENT) continue;
    if (!(await journal.isCopied(entry.seq, lines)))
      yield { seq: entry.seq, ref: journal.segmentRef(entry.seq / SEGMENT) };
    lines = [];
  }
  journal.mustEndAt(standing.seq, highest);
}
