/** Validators of updates: synchronous, and their answers are sentences for a person in the Web UI. */

import { z } from 'zod';

interface Said {
  by?: string;
  reason: string;
}

/** Refuses a change without a reason. */
export function requireReason(said: Said | undefined): void {
  if (typeof said !== 'object' || said === null || typeof said.reason !== 'string' || said.reason.trim() === '')
    throw new Error('Say why, for example {"reason": "month end", "by": "Ada"}.');
}

/**
 * Refuses a message of the wrong shape. What a handler throws would stop the whole workflow; what a validator throws only
 * refuses the message.
 */
export const requireShape =
  (schema: z.ZodType) =>
  (message: unknown): void => {
    const problem = schema.safeParse(message).error?.issues[0];
    if (problem) throw new Error(`'${problem.path.join('.')}': ${problem.message}`);
  };

function isTimeZone(zone: unknown): boolean {
  try {
    return (
      typeof zone === 'string' && new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
    );
  } catch {
    return false;
  }
}

const finite = z.number().max(8.64e15);
/** What the messages of workers look like. */
export const shapes = {
  beginSend: z.object({
    subject: z.string(),
    attempt: z.string(),
    run: z.string(),
    credits: finite,
    lookedAt: finite,
    runCap: finite,
    notes: z.object({ max: finite, windowMs: finite }).optional(),
  }),
  settle: z.object({
    subject: z.string(),
    attempt: z.string(),
    run: z.string(),
    settlement: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('paid'), credits: finite, ref: z.string().optional() }),
      z.object({ kind: z.literal('notPaid') }),
      z.object({ kind: z.literal('foundPaid'), credits: finite.optional(), ref: z.string().optional() }),
      z.object({ kind: z.literal('foundNothing'), lookedAt: finite }),
      z.object({ kind: z.literal('over') }),
    ]),
  }),
  hold: z.object({ kind: z.enum(['killSwitch', 'token', 'noCredits', 'manual']), reason: z.string() }),
  park: z.object({ rateClass: z.string(), until: finite }),
  configure: z.object({
    budget: z.object({ timeZone: z.string().refine(isTimeZone, 'no time zone') }),
    timing: z.object({ settlingMs: finite }),
  }),
};

/** Refuses amounts that are not whole numbers of credits, and a change without a reason. */
export function requireSpend(
  said: (Said & { credits?: unknown; perDay?: unknown; balanceFloor?: unknown; timeZone?: unknown }) | undefined,
): void {
  requireReason(said);
  const { by: _by, reason: _reason, ...rest } = said ?? { reason: '' };
  for (const field of Object.keys(rest))
    if (!['credits', 'perDay', 'balanceFloor', 'timeZone'].includes(field))
      throw new Error(
        `There is no field '${field}' here; there are perDay, balanceFloor, timeZone, credits, by, reason.`,
      );
  const zone = said?.timeZone;
  if (zone !== undefined && !isTimeZone(zone))
    throw new Error(`'timeZone' is ${JSON.stringify(zone)}; allowed is a name such as Europe/Berlin or UTC.`);
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
