/** Validators of updates: synchronous, and their answers are sentences for a person in the Web UI. */

interface Said {
  by?: string;
  reason: string;
}

/** Refuses a change without a reason. */
export function requireReason(said: Said | undefined): void {
  if (typeof said !== 'object' || said === null || typeof said.reason !== 'string' || said.reason.trim() === '')
    throw new Error('Say why, for example {"reason": "month end", "by": "Ada"}.');
}

/** Refuses amounts that are not whole numbers of credits, and a change without a reason. */
export function requireSpend(
  said: (Said & { credits?: unknown; perDay?: unknown; balanceFloor?: unknown }) | undefined,
): void {
  requireReason(said);
  for (const field of ['credits', 'perDay', 'balanceFloor'] as const) {
    const value = said?.[field];
    if (value === undefined || (field === 'perDay' && value === null)) continue;
    const floor = field === 'credits' ? Number.NEGATIVE_INFINITY : 0;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < floor)
      throw new Error(
        `'${field}' is ${JSON.stringify(value)}; allowed is a whole number of credits${field === 'credits' ? '' : ', 0 or more'}.`,
      );
  }
}
