/**
 * The one way in which a run has something done that costs or must not happen twice (S1–S3, S6): it looks, sends when the
 * ledger grants it, finds out what nobody answered, books what it finds, and only then goes on.
 */
import { CancellationScope } from '@temporalio/workflow';
import { refusalOf } from '../shared/failures';
import { bookFound, bookName } from './booking';
import { type Ending, type Wanted, type Wanting, walk } from './walk';

/** It has happened. */
export interface Done {
  how: 'done';
  /** `reply`: the service answered so. `look`: it was found, or a person says so. */
  by: 'reply' | 'look';
  /** This run has sent it, or a run before it of which it has heard. */
  sent: boolean;
  /** What it became, where that is known: as {@link Purchase.identify} says, else as the service or the ledger does. */
  ref?: string;
  /** Credits that it cost by this run, as booked; 0 where it is somebody else's. */
  credits: number;
  /** It is this run's own. */
  ours: boolean;
}

/** Found paid, with the same budget, by a run that had sent nothing: an earlier one may have told it. */
export const isPaidBefore = ({ ours, sent, credits }: Done): boolean => ours && !sent && credits > 0;

export type Outcome =
  | Done
  | { how: 'refused'; reason: string }
  /** The look before anything was sent is refused, or cannot be read. */
  | { how: 'cannotLook'; reason: string; error: unknown }
  /** The cap of the run stands in the way. */
  | { how: 'overRunCap' }
  /** Nobody could tell, and nobody decided. */
  | { how: 'gaveUp' };

/** Something that is to happen once. */
export interface Purchase extends Wanted {
  /**
   * Which thing it became, once it has happened: it is booked with that, so that no other run takes it for its own.
   * @default what the service or the ledger names
   */
  identify?(done: Pick<Done, 'by' | 'sent' | 'ref'> & { credits: number }): Promise<string | undefined>;
}

/**
 * Has something done once.
 * @param conclude what follows from it. S6: once something may have been sent it is not cancelled with the run
 */
export async function payOnce<T>(
  at: Wanting,
  wanted: Purchase,
  conclude: (outcome: Outcome) => Promise<T>,
): Promise<T> {
  const ending = await walk(at, wanted).catch(cannotLook);
  const isShielded = !UNSENT.includes(ending.how);
  const work = async () => conclude(await booked(at, wanted, ending));
  return isShielded ? CancellationScope.nonCancellable(work) : work();
}

const UNSENT: readonly string[] = ['refused', 'cannotLook', 'overRunCap'] satisfies Outcome['how'][];

type CannotLook = Extract<Outcome, { how: 'cannotLook' }>;

function cannotLook(error: unknown): CannotLook {
  const reason = refusalOf(error);
  if (reason === undefined) throw error;
  return { how: 'cannotLook', reason, error };
}

async function booked({ account }: Wanting, wanted: Purchase, ending: Ending | CannotLook): Promise<Outcome> {
  switch (ending.how) {
    case 'paid': {
      // The activity has booked it, with what the reply names.
      const { credits = wanted.price, ref } = ending;
      const paid = { how: 'done', by: 'reply', sent: true, ours: true, credits } as const;
      const is = wanted.identify ? await wanted.identify({ ...paid, ...(ref && { ref }) }) : ref;
      if (is !== ref) await bookName({ account, ...wanted }, is);
      return { ...paid, ...(is && { ref: is }) };
    }
    case 'foundPaid':
    case 'alreadyDone': {
      const sent = ending.how === 'foundPaid';
      const named = ending.ref && { ref: ending.ref };
      const seen = { by: 'look', sent, credits: sent ? wanted.price : 0, ...named } as const;
      const is = wanted.identify ? await wanted.identify(seen) : undefined;
      const known = await bookFound({ account, ...wanted }, { sent, ref: is });
      const ref = is ?? known.ref ?? ending.ref;
      return { how: 'done', by: 'look', sent, ours: known.ours, credits: known.credits, ...(ref && { ref }) };
    }
    case 'refused':
      return { how: 'refused', reason: ending.reason };
    case 'cannotLook':
      return ending;
    default:
      return { how: ending.how };
  }
}
