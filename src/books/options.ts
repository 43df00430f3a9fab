/** What one process needs to keep one user's books. */
import type { Storage } from '../storage';
import type { Begun } from './entry';

export interface BooksOptions {
  readonly storage: Storage;
  /** Names the books: letters, digits and hyphens. */
  readonly user: string;
  /** Names this process. */
  readonly worker: string;
  /** The Temporal server's time, milliseconds. */
  now(): number;
  /** The zone in which days begin and end. */
  timeZone(): string;
  /** What was spent before there were books. */
  begin(): Promise<Begun>;
  /** How long whoever tells what became of a send waits for it to be written, milliseconds. @default 5000 */
  readonly patienceMs?: number;
  /** Hears of what could not be written at first. */
  warn(what: string, error: unknown): void;
}
