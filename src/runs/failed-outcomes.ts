/** The words by which results, and the search attribute `Stage`, say that something was left undone. Imported by workflows. */
export const FAILED_OUTCOMES: readonly string[] = ['failed', 'refused', 'unresolved', 'expired', 'stopped'];
