/** What was found to have happened, in the account's books (S3). */
import { patched, workflowInfo } from '@temporalio/workflow';
import type { Settlement } from '../../src/paying/open-sends';
import { isOwnPayment } from '../../src/paying/own-send';
import { partsOf } from '../../src/paying/subject';
import { type Books, besideWorkflows, control } from '../shared/calls';
import { mindsBudget } from './budgets';
import type { Wanted } from './walk';

/** What is booked: of whom, and what. */
export type Booked = Pick<Wanted, 'subject' | 'price' | 'run'> & { account: string };

/** What the books say afterwards. */
interface InBooks {
  /** It is this run's own: sent by it, or by one before it of which it has heard. */
  ours: boolean;
  /** 0 where it is not its own. */
  credits: number;
  /** What it became. */
  ref?: string;
}

/**
 * Books what a look has found.
 * @param found.sent the run has sent it
 * @param found.ref what it became, where that is known
 */
export async function bookFound(
  of: Booked,
  { sent, ref }: { sent: boolean; ref?: string | undefined },
): Promise<InBooks> {
  const { account, subject, price, run } = of;
  const credits = sent && price > 0 ? { credits: price } : {};
  const found: Settlement = { kind: 'foundPaid', ...(ref !== undefined && { ref }), ...credits };
  if (price === 0 && !patched('booksWhatIsFree')) return bookedBefore(of, found, sent);
  // Of what is free an open send of another run stays open: it may yet have its effect.
  const booked = price > 0 || sent ? await settle(of, found) : 0;
  const { settled } = await control.subjectState({ account, subject });
  const { workflowId } = workflowInfo();
  const ours =
    price > 0
      ? // An earlier try or run may have settled it, or been terminated before it could: then it is ours after all.
        booked > 0 || isOwnPayment(settled, { workflowId, run: run.key, sent, mindsBudget })
      : sent || settled?.run === run.key;
  return {
    ours,
    credits: ours ? (settled?.credits ?? price) : 0,
    ...(settled?.ref !== undefined && { ref: settled.ref }),
  };
}

/** Books which thing it became, once that is known. */
export const bookName = async (of: Booked, ref: string | undefined): Promise<void> => {
  await settle(of, { kind: 'foundPaid', ...(ref !== undefined && { ref }) });
};

const books = besideWorkflows<Books>();

/** Tells the ledger what a look has found. @returns the credits that this booked */
export const settle = (
  { account, subject, run: { key } }: { account: string; subject: string; run: { key: string } },
  settlement: Settlement,
): Promise<number> => books.settleSubject({ account, subject, run: key, settlement });

/** Runs from before this patch booked, of free things, only generic calls (`call:`) and extractions they had sent. */
async function bookedBefore(of: Booked, found: Settlement, sent: boolean): Promise<InBooks> {
  const kind = partsOf(of.subject)?.kind;
  if (kind === 'call') {
    await settle(of, found);
    const { settled } = await control.subjectState({ account: of.account, subject: of.subject });
    return { ours: sent || settled?.run === of.run.key, credits: 0 };
  }
  if (kind === 'capture' && sent) await settle(of, found);
  return { ours: sent, credits: 0 };
}
