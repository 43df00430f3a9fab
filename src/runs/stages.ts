/** Words of the search attribute `Stage` that more than one part knows. Imported by workflows. */

/** A run waits for credits that a limit leaves. */
export const BUDGET_STAGE = 'budget';
