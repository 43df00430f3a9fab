/** Which sends are a run's own: a run that is not to send any more still hears out what it has sent (S6). */
import type { SendOutcome } from './attempt-plan';
import type { OpenSend, Settled } from './open-sends';

/** How the names of a run's attempts begin. */
export const ownerOf = (workflowId: string): string => `${workflowId}#`;
/** Whether an attempt is one of a run's with this ID. */
export const isOwn = ({ attempt }: Pick<Settled, 'attempt'>, workflowId: string): boolean =>
  attempt.startsWith(ownerOf(workflowId));

/** A run that reports what it has paid. */
interface Reporter {
  workflowId: string;
  /** The key of its budget. */
  run: string;
  /** Whether it knows what another batch reports; asked only where that matters. @default it does */
  mindsBudget?: () => boolean;
}

/**
 * Whether what a run with this ID paid is for this one to report (S6): out of its own budget, or out of that of a run before
 * it. What such a run paid out of a batch's budget that batch reports.
 */
const isReported = (settled: Settled, { workflowId, run, mindsBudget = () => true }: Reporter): boolean =>
  settled.run === run || settled.run.startsWith(`${workflowId}/`) || !mindsBudget();

/**
 * Whether a payment is a run's own to report (S6), by the books. A send of an earlier run under the same ID is, once
 * this run has heard it out; what another run has paid since is not.
 * @param settled undefined: the books know of no payment
 * @param own.sent the run has heard out a send of its own, or of a run before it
 */
export const isOwnPayment = (settled: Settled | undefined, { sent, ...own }: Reporter & { sent: boolean }): boolean =>
  settled === undefined
    ? sent
    : settled.credits > 0 &&
      (settled.run === own.run || (sent && isOwn(settled, own.workflowId) && isReported(settled, own)));

/** What is known of a subject: its open send, and how it was settled. */
interface Known {
  open?: OpenSend | undefined;
  settled?: Settled | undefined;
}

/**
 * Whether a run has sent something whose effect it does not know: it is open, or the ledger has looked it up meanwhile, as
 * it does where nobody settles it in time.
 * @returns until when it may still have an effect; undefined where nothing was sent, or nothing came of it
 */
export function ownSend({ open, settled }: Known, workflowId: string): { overAt: number } | undefined {
  if (open && isOwn(open, workflowId)) return { overAt: open.overAt };
  // Where nothing was paid, an entry by a look without a reference does not show that it happened.
  const happened = settled && (settled.credits > 0 || settled.ref !== undefined || !settled.byLook);
  return happened && isOwn(settled, workflowId) ? { overAt: settled.at } : undefined;
}

/**
 * Like {@link ownSend}, as the outcome of the send: `paid` where the books say so. This must not be left to a later
 * look: the books forget, and what that finds would be booked once more.
 * @param lookedAt a look that was asked for then has found nothing: what was over before has come to nothing
 */
export function ownOutcome(
  { open: found, settled }: Known,
  own: Reporter,
  lookedAt = Number.NEGATIVE_INFINITY,
): Extract<SendOutcome, { kind: 'paid' | 'unknown' }> | undefined {
  const open = found && lookedAt > found.overAt ? undefined : found;
  // What another budget paid a look is to find, which reports nothing of it.
  if (!found && settled && settled.credits > 0 && isOwn(settled, own.workflowId) && isReported(settled, own)) {
    const { credits, ref } = settled;
    return { kind: 'paid', credits, ...(ref !== undefined && { ref }) };
  }
  const sent = ownSend({ open, settled }, own.workflowId);
  return sent && { kind: 'unknown', ...sent };
}
