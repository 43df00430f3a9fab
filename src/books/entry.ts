/** What stands in the books of a user: one entry before each payment and one after it, and what people said to its runs, in their words. */
import { z } from 'zod';
import type { Settled, Settlement } from '../paying/open-sends';

const Credits = z.number().min(-1e12).max(1e12);
/** What was paid is never less than nothing: a message must not make room below a ceiling. */
const Paid = z.number().min(0).max(1e12);
const Moment = z.number().min(0).max(8.64e15);
const Text = z.string().max(1_000);

/** A payment that may be under way; see `OpenSend`. */
const Open = z.object({ attempt: Text, run: Text, credits: Credits, grantedAt: Moment, overAt: Moment });

/** What has been paid; see `Settled`. */
const Ended = z.object({
  subject: Text,
  attempt: Text,
  run: Text,
  at: Moment,
  credits: Paid,
  ref: Text.optional(),
  byLook: z.boolean(),
}) satisfies z.ZodType<Settled>;

/** What the ledger knew when the books were begun: an account may have spent before it had any. */
const Begun = z.object({
  kind: z.literal('begun'),
  /** The account's name in the configuration of whoever began them. */
  account: Text,
  days: z.record(Text, Paid),
  runs: z.record(Text, Paid),
  open: z.record(Text, Open),
  /** What it remembers as paid, and since when it does; absent from books that an earlier version began. */
  settled: z.array(Ended).optional(),
  forgottenBefore: Moment.optional(),
});

/** A paid request is about to leave: its credits are reserved from here on. */
const Sending = Open.extend({
  kind: z.literal('sending'),
  subject: Text,
  /** The most that its run may spend, by the ceiling of the configuration or by what the run was given. */
  runCap: Credits.nullable(),
  /** What it costs by the configuration of its writer; absent from entries of an earlier version. */
  price: Credits.optional(),
  /** The number of the entry that allowed it: how its run began, or what a person said to it last; absent where there is none. */
  allowedBy: z.int().positive().optional(),
});

const Found = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('paid'), credits: Paid, ref: Text.optional() }),
  z.object({ kind: z.literal('notPaid') }),
  z.object({ kind: z.literal('foundPaid'), ref: Text.optional(), credits: Paid.optional() }),
  z.object({ kind: z.literal('foundNothing'), lookedAt: Moment }),
  z.object({ kind: z.literal('over') }),
]) satisfies z.ZodType<Settlement>;

/** What became of it, or what a look found. */
const Became = z.object({
  kind: z.literal('became'),
  subject: Text,
  attempt: Text,
  run: Text,
  settlement: Found,
});

/** As wide as the messages. */
const Limit = z.int().min(0);
const note = <T extends z.ZodType>(value: T) => z.object({ value, by: Text, at: Moment }).optional();

/** Hold and limits as people have said them at the ledger, and the balance that it noted: it lasts, whatever becomes of the ledger. */
const Said = z.object({
  kind: z.literal('said'),
  said: z.object({
    hold: note(Text.nullable()),
    perDay: note(Limit.nullable()),
    balanceFloor: note(Limit.nullable()),
    /** Another machine may not know it: what was written there stays readable here. */
    timeZone: note(Text.nullable()),
    /** Absent from entries of an earlier version, which reads those that have it without it. */
    balance: note(Credits),
  }),
});
export type Said = z.infer<typeof Said>;

/** Characters of a message that are kept. */
export const MOST_SAID = 4_000;

/** What a person said to a run, and it took; or how a run began that was about to pay. */
const Act = z.object({
  kind: z.literal('act'),
  /** The name of the update, or `start`; and the run that took it. */
  update: Text,
  workflowId: Text,
  runId: Text,
  /** When it took it, in workflow time. */
  when: Moment,
  /** Who says it, by the message itself: anybody can write any name there. */
  by: Text.optional(),
  /** Who says it, by the client that sent it, as Temporal has kept it. */
  identity: Text.optional(),
  /** Who says it, by the server's own word, where it gives one. */
  principal: Text.optional(),
  /** The message without the name, as JSON; of a start, what started it and what its input lets it spend. */
  said: z.string().max(MOST_SAID),
});
export type Act = z.infer<typeof Act>;

/** In the place of one that was lost: what it said is not known. Written by `books restore` alone. */
const Lost = z.object({
  kind: z.literal('lost'),
  /** What the entry after it has as `prev`; absent where that one is lost, too, or there is none. */
  next: z.string().length(64).optional(),
});

const Frame = {
  /** The version of this form. */
  v: z.literal(1),
  /** Its number, from 1 on, without a gap. */
  seq: z.number().int().positive(),
  /** When, by the Temporal server's clock as its writer knows it. */
  at: Moment,
  /** SHA-256 of the entry before, as it is stored; empty for the first. */
  prev: z.string().max(64),
  /** Of this entry alone: whoever got no answer to the writing knows it again by that. */
  id: z.uuid(),
  /** The process that wrote it. */
  worker: Text,
};

export const Entry = z.discriminatedUnion('kind', [
  Begun.extend(Frame),
  Sending.extend(Frame),
  Became.extend(Frame),
  Said.extend(Frame),
  Act.extend(Frame),
  Lost.extend(Frame),
]);
export type Entry = z.infer<typeof Entry>;
/** What its writer says in it. */
export type Draft =
  | z.infer<typeof Begun>
  | z.infer<typeof Sending>
  | z.infer<typeof Became>
  | Said
  | Act
  | z.infer<typeof Lost>;
export type Begun = z.infer<typeof Begun>;
