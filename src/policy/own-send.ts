/** Which sends are a run's own: a run that is not to send any more still hears out what it has sent (S6). */
import type { Flight, Settled } from './pay-once';

/** How the names of a run's attempts begin. */
export const ownerOf = (workflowId: string): string => `${workflowId}#`;

/**
 * Whether a run has sent something whose effect it does not know: it is open, or the ledger has looked it up meanwhile, as
 * it does where nobody settles it in time.
 * @returns until when it may still have an effect; undefined where nothing was sent, or nothing came of it
 */
export function ownSend(
  { open, settled }: { open?: Flight | undefined; settled?: Settled | undefined },
  workflowId: string,
): { overAt: number } | undefined {
  const isOwn = (one: { attempt: string } | undefined) => one?.attempt.startsWith(ownerOf(workflowId)) === true;
  if (open && isOwn(open)) return { overAt: open.overAt };
  // Of what costs nothing the books show no more than that nobody had to look.
  const happened = settled && (settled.credits > 0 || settled.ref !== undefined || !settled.byLook);
  return happened && isOwn(settled) ? { overAt: settled.at } : undefined;
}
