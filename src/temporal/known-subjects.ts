/** What ledger and books know of a subject together: each is told what only the other knows (S6, S8). */
import type { Books } from '../books/books';
import type { Standing } from '../books/standing';
import type { Settle } from '../ledger';
import type { SubjectState } from '../ledger/messages';
import { LATEST_MS } from '../ledger/turns';
import { CLOCK_TOLERANCE_MS, type Settlement } from '../paying/open-sends';
import type { InBooks } from './in-books';

/** No call costs so many times what is set aside for it, whatever a message says. */
const MOST_DEARER = 10;

export interface KnownSubjectsDeps {
  readonly books: Books;
  readonly inBooks: InBooks;
  /** The ledger alone. */
  readonly ledger: {
    subject(subject: string): Promise<SubjectState>;
    settle(request: Settle): Promise<unknown>;
    /** The server's time, milliseconds. */
    now(): number;
  };
  /** Whether the books have what is sent for it. */
  costs(subject: string): boolean;
  /** How long after its grant a request may leave, milliseconds. */
  sendWindowMs(): number;
  /** The ledger lacks sums that the books have. */
  isShort(): void;
}

export class KnownSubjects {
  constructor(private readonly deps: KnownSubjectsDeps) {}

  /** What the ledger knows once it was told what only the books knew. */
  async told(subject: string): Promise<SubjectState> {
    return (await this.tell(subject)) ?? this.deps.ledger.subject(subject);
  }

  /**
   * Tells the ledger what only the books know, since a process died in between or the server went back to a backup: that the
   * attempt which it has open did not pay, and who has paid. What a look finds then is booked once, and is that one's own (S6).
   * @returns what it knew, where it was told nothing
   */
  async tell(subject: string): Promise<SubjectState | undefined> {
    const { costs, ledger } = this.deps;
    if (!costs(subject)) return undefined;
    // A ledger that does not answer is asked again by what follows; without this it may book too much, never too little.
    const known = await ledger.subject(subject).catch(() => undefined);
    return known && !(await this.#tellLedger(subject, known)) ? known : undefined;
  }

  /**
   * What is known of a subject, by the books too: who has paid they know for ever, and the ledger for an hour (S6).
   * @throws {StorageError} while they cannot be read
   */
  async everything(subject: string): Promise<SubjectState> {
    const { costs, inBooks, ledger } = this.deps;
    const before = await ledger.subject(subject);
    if (!costs(subject)) return before;
    let known = before;
    try {
      if (await this.#tellLedger(subject, before)) known = await ledger.subject(subject);
    } catch (error) {
      // A run that is stopped must not wait for the storage for what the ledger knows.
      if (before.open || before.settled) return before;
      throw error;
    }
    const { open, settled } = known;
    // One that only says what it became was made when who had paid was forgotten.
    const isNameOnly = settled?.attempt === '' && settled.credits === 0;
    if (open || (settled && !isNameOnly)) return known;
    const paid = await inBooks.paidFor(subject);
    const ref = settled?.ref ?? paid?.ref;
    return { ...known, ...(paid && { settled: { ...paid, ...(ref !== undefined && { ref }) } }) };
  }

  /**
   * Writes down that a look has found a subject paid for: for the call that the ledger has open, where the books know of none,
   * since a worker of 0.2 sent it or one died before it could write that it was about to. Else they would lack what that costs.
   */
  async becameFound(
    { subject, attempt, run }: Pick<Settle, 'subject' | 'attempt' | 'run'>,
    found: Extract<Settlement, { kind: 'foundPaid' }>,
    { open }: SubjectState,
  ): Promise<void> {
    const { books, inBooks, ledger, sendWindowMs } = this.deps;
    const isWritten = open !== undefined && ledger.now() > open.grantedAt + sendWindowMs();
    const isUnkept = isWritten && !(await inBooks.has(subject));
    if (isUnkept) await books.became(subject, open.attempt, open.run, { ...found, credits: open.credits });
    else await books.became(subject, attempt, run, found);
  }

  /**
   * What a process could not write down before it ended stays reserved in the books. The ledger remembers for a while what
   * was paid, an idle one for long; what it knows nothing of may have happened all the same.
   */
  async complete({ sends }: Standing): Promise<void> {
    const { books, ledger } = this.deps;
    for (const [subject, { attempt, run, credits, overAt }] of Object.entries(sends.open)) {
      if (ledger.now() <= overAt) continue;
      const { settled } = await ledger.subject(subject);
      if (settled?.attempt !== attempt || settled.credits === 0) continue;
      // S8: a message may have told the ledger less, or far more: no room is made below a ceiling, and it is not used up.
      const used = Math.max(credits, Math.min(settled.credits, MOST_DEARER * credits));
      const paid = { kind: 'paid', credits: used, ref: settled.ref } as const;
      await books.became(subject, attempt, run, paid);
    }
  }

  /** @returns whether the ledger was told anything */
  async #tellLedger(subject: string, known: SubjectState): Promise<boolean> {
    const { inBooks, ledger } = this.deps;
    const { open, settled, forgottenBefore = Number.POSITIVE_INFINITY } = known;
    const askedAt = ledger.now();
    const { sends, unpaid } = await inBooks.standing();
    const paid = sends.settled.find((one) => one.subject === subject && one.credits > 0);
    if (open !== undefined) {
      // S1: whoever was granted it when that was over had looked, and found nothing of it.
      const wasOver = (since = Number.NEGATIVE_INFINITY) => since > open.overAt;
      const isReplaced = wasOver(sends.open[subject]?.grantedAt) || wasOver(paid?.grantedAt);
      // Whatever is sent stands in them before, and this is paid for: the server went back to a backup in which it was not, and
      // the process that was granted it anew died before it sent anything.
      const isWritten = [sends.open[subject], paid].some((one) => one?.attempt === open.attempt);
      // Not what is free, which stands in no books, nor what they have lost; and each worker may have a window of its own.
      const isEarlier = paid !== undefined && (paid.grantedAt ?? paid.at) < open.grantedAt;
      const isKept = open.credits > 0 && open.grantedAt > sends.forgottenBefore;
      const isOver = askedAt > open.grantedAt + LATEST_MS + CLOCK_TOLERANCE_MS;
      const isUnsent = isEarlier && isKept && isOver && !isWritten;
      const isUnpaid = isReplaced || isUnsent || unpaid.includes(open.attempt);
      const isLongAgo = !isUnpaid && (await inBooks.isPaidLongAgo(subject, open, sends));
      if (!isUnpaid && !isLongAgo) return false;
      if (isLongAgo) this.deps.isShort();
      await ledger.settle({ subject, attempt: open.attempt, run: open.run, settlement: { kind: 'notPaid' } });
    }
    // S3: what it has booked and forgotten would be booked once more. It may have done so long before the books heard of it.
    const isForgotten = paid !== undefined && (paid.grantedAt ?? paid.at) <= forgottenBefore;
    if (!paid || (settled && settled.credits > 0) || isForgotten) return open !== undefined;
    const { attempt, run, credits, ref, byLook } = paid;
    await ledger.settle({ subject, attempt, run, settlement: { kind: byLook ? 'foundPaid' : 'paid', credits, ref } });
    return true;
  }
}
