/** Validators of what workers say. */
import { z } from 'zod';
import { TimeZone } from '../../src/policy/inputs/fields';

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
    sender: z.object({ sendWindowMs: finite, paidTimeoutMs: finite }).optional(),
    own: z.object({ rateClass: z.string(), limit: z.object({ max: finite, windowMs: finite }).optional() }).optional(),
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
  hold: z.object({
    kind: z.enum(['killSwitch', 'token', 'otherUser', 'noCredits', 'manual']),
    reason: z.string(),
    needs: finite.optional(),
    stopsAll: z.literal(true).optional(),
  }),
  park: z.object({ rateClass: z.string(), until: finite }),
  configure: z.object({
    account: z.string().min(1),
    budget: z.object({ timeZone: TimeZone }),
    timing: z.object({ settlingMs: finite }),
  }),
};
