/** Which sends are a run's own: a run that is not to send any more still hears out what it has sent (S6). */
import type { SendOutcome } from './attempt-plan';
import type { OpenSend, Settled } from './open-sends';

/** How the names of a run's attempts begin. */
export const ownerOf = (workflowId: string): string => `${workflowId}#`;
/** Whether an attempt is one of a run's with this ID. */
export const isOwn = ({ attempt }: Pick<Settled, 'attempt'>, workflowId: string): boolean =>
  attempt.startsWith(ownerOf(workflowId));

/**
 * Whether a payment is for a run to report (S6): out of its own budget, or out of that of a run before it under the same ID.
 * What such a run paid out of a batch's budget that batch reports.
 * @param run the key of the budget
 */
const isReported = (settled: Pick<Settled, 'run'>, workflowId: string, run: string): boolean =>
  settled.run === run || settled.run.startsWith(`${workflowId}/`);

/**
 * Whether a payment is a run's own to report (S6), by the books. A send of an earlier run under the same ID is, once
 * this run has heard it out; what another run has paid since is not.
 * @param settled undefined: the books know of no payment
 * @param own.sent the run has heard out a send of its own, or of a run before it
 * @param own.mindsBudget whether it knows what another batch reports; asked only where that matters
 */
export const isOwnPayment = (
  settled: Settled | undefined,
  {
    workflowId,
    run,
    sent,
    mindsBudget = () => true,
  }: { workflowId: string; run: string; sent: boolean; mindsBudget?: () => boolean },
): boolean =>
  settled === undefined
    ? sent
    : settled.credits > 0 &&
      (settled.run === run ||
        (sent && isOwn(settled, workflowId) && (isReported(settled, workflowId, run) || !mindsBudget())));

/**
 * Whether a run has sent something whose effect it does not know: it is open, or the ledger has looked it up meanwhile, as
 * it does where nobody settles it in time.
 * @returns until when it may still have an effect; undefined where nothing was sent, or nothing came of it
 */
export function ownSend(
  { open, settled }: { open?: OpenSend | undefined; settled?: Settled | undefined },
  workflowId: string,
): { overAt: number } | undefined {
  if (open && isOwn(open, workflowId)) return { overAt: open.overAt };
  // Where nothing was paid, an entry by a look without a reference does not show that it happened.
  const happened = settled && (settled.credits > 0 || settled.ref !== undefined || !settled.byLook);
  return happened && isOwn(settled, workflowId) ? { overAt: settled.at } : undefined;
}

/**
 * Like {@link ownSend}, as the outcome of the send: `paid` where the books say so. This must not be left to a later
 * look: the books forget, and what that finds would be booked once more.
 * @param run the key of the budget of who asks @param mindsBudget as above
 * @param lookedAt a look that was asked for then has found nothing: what was over before has come to nothing
 */
export function ownOutcome(
  { open: found, settled }: { open?: OpenSend | undefined; settled?: Settled | undefined },
  { workflowId, run, mindsBudget = () => true }: { workflowId: string; run: string; mindsBudget?: () => boolean },
  lookedAt = Number.NEGATIVE_INFINITY,
): Extract<SendOutcome, { kind: 'paid' | 'unknown' }> | undefined {
  const open = found && lookedAt > found.overAt ? undefined : found;
  const isPaid = !found && settled && settled.credits > 0 && isOwn(settled, workflowId);
  // What another budget paid a look is to find, which reports nothing of it.
  if (isPaid && (isReported(settled, workflowId, run) || !mindsBudget())) {
    const { credits, ref } = settled;
    return { kind: 'paid', credits, ...(ref !== undefined && { ref }) };
  }
  const sent = ownSend({ open, settled }, workflowId);
  return sent && { kind: 'unknown', ...sent };
}
