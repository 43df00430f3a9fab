/** The words by which results, and the search attribute `Stage`, say that something was left undone. Imported by workflows. */
export const UNWELL: readonly string[] = ['failed', 'refused', 'unresolved', 'expired', 'stopped'];
