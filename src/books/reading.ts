/** The books of all users, for people: read from the storage alone, without a server, a worker or a token. */
import type { Booking } from '../paying/open-sends';
import type { Storage } from '../storage';
import { BEGINNING, BOOKS, type Found, Journal, type Place } from './journal';
import type { Standing } from './standing';

/** Whose books there are: the second halves of the IDs of their ledgers. */
export async function usersWithBooks(storage: Storage): Promise<string[]> {
  const users: string[] = [];
  // Beside the entries lies what a worker puts there before anything was paid.
  for (const user of await storage.folders(BOOKS)) if (await new Journal(storage, user).isBegun()) users.push(user);
  return users;
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
  yield* wholly(journal, standing, (place) => journal.after(place));
}

/**
 * All entries, also those that are written meanwhile.
 * @param read gives the entries after a place
 */
export async function* wholly(
  journal: Journal,
  standing: Standing,
  read: (place: Place) => AsyncGenerator<Found>,
): AsyncGenerator<Line> {
  async function* rest(): AsyncGenerator<Line> {
    const { seq, hash } = standing;
    for await (const found of read({ seq, hash })) yield { ...found, booked: standing.apply(found.entry, found.hash) };
  }
  yield* rest();
  // What is missing in the middle looks like the end.
  const highest = await journal.highest(standing.seq);
  if (highest > standing.seq) yield* rest();
  journal.mustEndAt(standing.seq, highest);
}
