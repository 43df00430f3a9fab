/** What the books know of one subject (S6, S8): what a ledger has forgotten, or never knew since its server went back to a backup. */
import type { Books } from '../books/books';
import { readSoon } from '../books/read-soon';
import type { Standing } from '../books/standing';
import type { SubjectState } from '../ledger/messages';
import type { OpenSend, OpenSends, Settled } from '../paying/open-sends';
import type { Storage } from '../storage';

/** A million entries take a minute. */
const READ_ALL_WITHIN_MS = 80_000;

export class InBooks {
  /** @param now the ledger's time, milliseconds */
  constructor(
    private readonly books: Books,
    private readonly storage: Storage,
    private readonly now: () => number,
  ) {}

  /** @throws {StorageError} while they cannot be read */
  standing(): Promise<Standing> {
    return readSoon(this.books.standing(), this.storage);
  }

  /** Who has paid, however long ago. */
  paidFor(subject: string): Promise<Settled | undefined> {
    return readSoon(this.books.paidFor(subject), this.storage, READ_ALL_WITHIN_MS);
  }

  /** Whether they have it at all: open, or paid for. */
  async has(subject: string): Promise<boolean> {
    return (await this.#open(subject)) !== undefined || (await this.paidFor(subject)) !== undefined;
  }

  /**
   * What the books have open and the ledger, whose server went back to a backup, knows nothing of. What is found is of this
   * attempt by the books, and they may take longer to write than whoever asks can wait (S6).
   */
  async lostSend(subject: string, known: SubjectState): Promise<OpenSend | undefined> {
    const { open, settled, forgottenBefore = Number.POSITIVE_INFINITY } = known;
    if (open !== undefined || (settled && settled.credits > 0)) return undefined;
    const kept = await this.#open(subject);
    // S3: what it has booked and forgotten would be booked once more.
    return kept && kept.attempt !== settled?.attempt && kept.grantedAt > forgottenBefore ? kept : undefined;
  }

  /**
   * Whether the books had the end of what the ledger has open, or of one that replaced it, longer ago than they keep that at
   * hand: the ledger takes the sums over with the others that it lacks.
   */
  async isPaidLongAgo(subject: string, open: OpenSend, { open: kept, settled }: OpenSends): Promise<boolean> {
    const isOpen = kept[subject]?.attempt === open.attempt;
    const isAtHand = settled.some((one) => one.subject === subject && one.credits > 0);
    if (isOpen || isAtHand || this.now() <= open.overAt) return false;
    const paid = await this.paidFor(subject);
    return paid !== undefined && (paid.grantedAt ?? paid.at) >= open.grantedAt;
  }

  /** Whether the ledger has booked it, or may have, and has forgotten that. */
  async isForgotten(
    subject: string,
    { open, forgottenBefore = Number.NEGATIVE_INFINITY }: SubjectState,
  ): Promise<boolean> {
    const kept = await this.#open(subject);
    // What is open in the books they book by what is told now.
    if (kept) return open === undefined && kept.grantedAt <= forgottenBefore;
    return (await this.paidFor(subject)) !== undefined;
  }

  async #open(subject: string): Promise<OpenSend | undefined> {
    const { sends } = await this.standing();
    return sends.open[subject];
  }
}
