/** Updates by people: a wrong one is answered with a sentence, and who did what is kept. */
import type { z } from 'zod';
import { InputError, parseInput } from '../../src/inputs/parse-input';
import type { PersonNote } from '../../src/inputs/person-messages';
import { bullets, type Markdown, md } from '../../src/text/md';
import { type Vouched, vouchedBy } from '../../src/text/vouched';
import { utc } from '../../src/time/utc';

/** What a person did, as the result of a run keeps it. */
export interface Answered extends Vouched {
  /** The update, and what was said with it. */
  answer: string;
  by: string;
  /** ISO 8601. */
  at: string;
}

/** Hears who said something, once that is known. */
type HearsWho = (who: Vouched) => void;
let last: HearsWho | undefined;

/** Of what was said to this run last. It has its modules for itself. */
export const lastNoted = (): HearsWho | undefined => last;

/** A handler notes that it took what was said, before it waits for anything. */
export function note(hearsWho: HearsWho): void {
  last = hearsWho;
}

/**
 * A validator: what it throws only refuses the message, where a handler's error would stop the whole run.
 * @param may throws when the update makes no sense at the moment
 */
export const checked =
  <S extends z.ZodType>(schema: S, update: string, may: (said: z.output<S>) => void = () => undefined) =>
  (said: unknown): void =>
    may(read(schema, update, said));

function read<S extends z.ZodType>(schema: S, update: string, said: unknown): z.output<S> {
  try {
    return parseInput(schema, said, update);
  } catch (error) {
    throw error instanceof InputError ? new Error(`${update}: ${error.problems.join(' ')}`) : error;
  }
}

export function answered(answer: string, { by = 'somebody', reason }: PersonNote = {}): Answered {
  const text = reason === undefined ? answer : `${answer} (${reason})`;
  const said: Answered = { answer: text, by, at: new Date().toISOString() };
  note((who) => Object.assign(said, who));
  return said;
}

const MOST_SHOWN = 5;

/** The last of what people did, as a ledger shows it. */
export const describeActs = (acts: readonly Answered[]): Markdown | undefined =>
  bullets(
    md`What people did last:`,
    acts
      .slice(-MOST_SHOWN)
      .map((act) => md`${utc(Date.parse(act.at))} UTC ${act.by} ${vouchedBy(act, md)}: ${act.answer}`),
  );
