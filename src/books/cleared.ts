/**
 * Calls that a person has cleared: they are over, and did not happen. The word is in the books before the ledger takes it, and
 * anybody can say it (S8): while a call may still have an effect, or a look may still book one, it stays reserved all the same.
 * It also stays open, so that it is not sent again before it is over, and what became of it is booked whenever that is told.
 */
import { z } from 'zod';
import { LEDGER_ID } from '../ledger/messages';
import type { OpenSend, OpenSends } from '../paying/open-sends';
import { parseStored } from '../storage/stored-json';
import type { Act } from './entry';

const Said = z.object({ subject: z.string() });

export class Cleared {
  /** By subject the attempt that was under way: the next one is reserved again. */
  readonly #attempts = new Map<string, string>();

  /** A person did something. @param open what is under way by the entries before */
  hear({ update, workflowId, when, said }: Act, open: OpenSends['open']): void {
    const isTaken = update === 'clear';
    if ((!isTaken && update !== 'clear, refused') || !LEDGER_ID.test(workflowId)) return;
    const { subject = '' } = parseStored(said, Said) ?? {};
    const send = open[subject];
    if (!send || when <= send.grantedAt) return;
    if (isTaken) this.#attempts.set(subject, send.attempt);
    else this.#attempts.delete(subject);
  }

  has(subject: string, { attempt }: OpenSend): boolean {
    return this.#attempts.get(subject) === attempt;
  }
}
