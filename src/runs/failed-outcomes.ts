/** The words by which results, and the search attribute `Stage`, say that something was left undone. Imported by workflows. */
export const FAILED_OUTCOMES: readonly string[] = ['failed', 'refused', 'unresolved', 'expired', 'stopped'];

/** The words of all runs that ended without their work done, also where a person or a cap wanted it so. */
export const UNDONE_OUTCOMES: readonly string[] = [...FAILED_OUTCOMES, 'skipped', 'cancelled', 'rejected'];
