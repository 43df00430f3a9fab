/**
 * A person may reset a run to an earlier moment: it goes on from there and knows nothing of what came after. The history
 * says so, but the SDK does not tell the run. It shows in the seed of the run's random numbers, which is another one from
 * then on, so that they are not drawn a second time.
 */
import { getActivator, maybeGetActivator } from '@temporalio/workflow/lib/global-attributes';

/** The same thing for as long as the run is not reset. */
export const epoch = (): object => getActivator().randomnessSeed;

/** A run has its modules for itself: this is read before anything of it happens. (Elsewhere there is no run.) */
const first: object | undefined = maybeGetActivator()?.randomnessSeed;

/** Whether the run was reset, up to the present moment of its history. */
export const wasReset = (): boolean => epoch() !== first;
