/** Validators of what workers say. */
import { z } from 'zod';
import { MOST_CREDITS } from '../../src/agent-api/credits';
import { rateClasses } from '../../src/agent-api/rate-class';
import { PLAIN_NAME, TimeZone } from '../../src/inputs/fields';
import { HOLD_KINDS, LAPSES_AFTER_MS, LONGEST_PARK_MS } from '../../src/ledger';
import { LATEST_MS } from '../../src/ledger/turns';
import { LONGEST_CALL_MS } from '../../src/paying/open-sends';

/**
 * Refuses a message of the wrong shape. What a handler throws would stop the whole workflow; what a validator throws only
 * refuses the message.
 */
export const requireShape =
  (schema: z.ZodType) =>
  (message: unknown): void => {
    const problem = schema.safeParse(message).error?.issues[0];
    // The name of an unknown field may be anything (S4).
    if (problem?.code === 'unrecognized_keys') throw new Error('it has fields that are unknown');
    if (problem) throw new Error(`'${problem.path.join('.')}': ${problem.message}`);
  };

/** A moment since 1970 or a duration, milliseconds: no later than a date can be. */
const ms = z.number().min(0).max(8.64e15);
/** Of a call. What a configuration may say: nobody can make a send stay open for years. */
const duration = z.number().positive().max(LONGEST_CALL_MS);
/** Whole ones: a fraction would stand in every sum from then on. */
const credits = z.int().min(0).max(MOST_CREDITS);
const cap = z.int().min(0).nullable();
const text = z.string().max(1_000);
/** With its kind before it: no name that every object has, such as `__proto__`, is one. */
const subject = text.regex(/^[a-z]+:/);
/** The name of a process, or of a storage. */
const name = z.string().min(1).max(200);
const rateClass = z.enum(rateClasses);

const moments = z.object({
  hold: ms.optional(),
  perDay: ms.optional(),
  balanceFloor: ms.optional(),
  timeZone: ms.optional(),
  balance: ms.optional(),
});

const limit = z.object({ max: z.int().positive(), windowMs: ms.positive() });
const turn = {
  limit,
  withinMs: ms.positive().max(LATEST_MS),
};

const own = z.object({ rateClass, limit: limit.optional() });

/** What the messages of workers look like: complete and bounded, since whoever reaches Temporal may send one. */
export const shapes = {
  /** What is taken stands in the history, whatever it is. */
  nothing: z.strictObject({}),
  beginSend: z.object({
    subject,
    attempt: text.min(1),
    run: text,
    credits,
    lookedAt: ms,
    runCap: ms,
    again: z.boolean().optional(),
    readSince: ms.optional(),
    sender: z.object({ sendWindowMs: duration, paidTimeoutMs: duration, settlingMs: duration.optional() }).optional(),
    turn: z.object(turn).optional(),
    own: own.optional(),
  }),
  settle: z.object({
    subject,
    attempt: text,
    run: text,
    settlement: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('paid'), credits, ref: text.optional() }),
      z.object({ kind: z.literal('notPaid') }),
      z.object({ kind: z.literal('foundPaid'), credits: credits.optional(), ref: text.optional() }),
      z.object({ kind: z.literal('foundNothing'), lookedAt: ms }),
      z.object({ kind: z.literal('over') }),
    ]),
    turn: z.object({ ...turn, afterMs: ms.optional() }).optional(),
    own: own.optional(),
  }),
  hold: z.object({
    // What is missing in the books is known from what workers report of them alone.
    kind: z.enum(HOLD_KINDS).exclude(['books']),
    reason: text,
    needs: credits.optional(),
    stopsAll: z.literal(true).optional(),
  }),
  takeTurn: z.object({ rateClass, ...turn }),
  park: z.object({ rateClass, forMs: z.number().min(0).max(LONGEST_PARK_MS) }),
  leave: z.object({ worker: name }),
  configure: z.object({
    worker: name,
    books: name.optional(),
    booked: z
      .object({
        from: z.iso.date(),
        credits: z.int(),
        timeZone: TimeZone.optional(),
        since: z.record(z.iso.date(), z.int()).optional(),
        reserved: z.number().min(0).optional(),
        said: moments.optional(),
      })
      .optional(),
    lapsesAfterMs: ms.positive().max(LAPSES_AFTER_MS).optional(),
    // It stands on pages, and in filters of lists.
    account: z.string().regex(PLAIN_NAME, 'not the name of an account'),
    budget: z.object({
      perRun: cap.optional(),
      perDay: cap,
      perMonth: cap.optional(),
      balanceFloor: z.int().min(0),
      timeZone: TimeZone,
    }),
    timing: z.object({ sendWindowMs: duration, paidTimeoutMs: duration, settlingMs: duration }),
  }),
};
