/** What becomes of a start whose workflow ID has a run already. */
import type { Run } from './run';

/** As the protocol counts them: of one that is open, and of one that has ended. */
export const USE_EXISTING = 2;
const ALLOW_DUPLICATE_FAILED_ONLY = 2;
const REJECT_DUPLICATE = 3;

type Policy = number | null | undefined;

export interface Policies {
  conflict?: Policy;
  reuse?: Policy;
}

/** Whether there may be another run with the ID of one that has ended. */
export const mayFollow = ({ status }: Run, reuse: Policy): boolean =>
  reuse === ALLOW_DUPLICATE_FAILED_ONLY ? status !== 'COMPLETED' : reuse !== REJECT_DUPLICATE;
