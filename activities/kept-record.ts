/** What is kept in the storage of a thing that must happen once, beyond its runs and the memory of the ledger. */
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { SendOutcome } from '../src/paying/attempt-plan';
import type { Storage } from '../src/storage';
import { readIfThere, storedJson } from '../src/storage/stored-json';

/** Of a thing that is sent once. Whoever finds `sent` may not take what cannot be recognised for something else (S2). */
export const Sending = z.object({
  /** From when on it may be there, by the service's own clock, milliseconds. */
  since: z.number(),
  /** It has left, and nobody has heard that it was refused. */
  sent: z.literal(true).optional(),
  /** The service said that it has happened; what it became may be unknown all the same. */
  taken: z.literal(true).optional(),
  /**
   * A look that was asked for by then, by the Temporal server's clock in milliseconds, tells nothing of what has left: a server
   * that goes back to a backup repeats what it did before.
   */
  until: z.number().optional(),
  /** What was there before it was sent for the first time, and could be taken for it: identifiers. */
  before: z.array(z.string()).optional(),
});
export type Sending = z.output<typeof Sending>;

/** A storage that fails once is tried again after these times; milliseconds. */
const AGAIN_MS = [200, 1_000, 4_000];

const writeRecord = (storage: Storage, ref: string, record: Sending) =>
  storage.write(ref, `${storedJson(record)}\n`, { contentType: 'application/json' });

/**
 * The first run writes the record before it sends, so that a later one knows how far back to look, also where nobody
 * remembers the first.
 * @returns what is known after all, and whether nothing was known before
 */
export async function openRecord<R extends Sending>(
  storage: Storage,
  ref: string,
  schema: z.ZodType<R>,
  known: R,
): Promise<R & { isNew: boolean }> {
  const before = await readIfThere(storage, ref, schema);
  const now = { ...before, ...known, since: before?.since ?? known.since };
  if (!isDeepStrictEqual(before, now)) await writeRecord(storage, ref, now);
  return { ...now, isNew: before === undefined };
}

/** What the activity that sends notes of it outside Temporal, before and after (S8). */
export interface SendingNotes {
  /**
   * The ledger has granted it, and it leaves next. Where this fails, nothing leaves.
   * @returns why nothing may leave, where it has left already and nobody has looked since
   */
  before(sending: AboutToLeave): Promise<SendOutcome | undefined>;
  /** @param now by the Temporal server's clock, milliseconds */
  after(outcome: SendOutcome, now: number): Promise<void>;
}

/** Moments by the Temporal server's clock, milliseconds. */
export interface AboutToLeave {
  /** When the look was asked for that did not find it. */
  readonly lookedAt: number;
  /** Until when it may have an effect. */
  readonly overAt: number;
  /** A person has looked. */
  readonly again?: boolean | undefined;
}

/**
 * Notes of one attempt in its thing's record.
 * @param known what the record holds, where there is none yet
 * @param became what to keep of the reference that the reply gave
 */
export function notesIn<R extends Sending>(
  storage: Storage,
  ref: string,
  schema: z.ZodType<R>,
  known: R,
  became: (ref: string) => Partial<R>,
): SendingNotes {
  let begun = false;
  let was: R | undefined;
  return {
    async before({ lookedAt, overAt, again }) {
      was = await readIfThere(storage, ref, schema);
      if (!again && was?.until !== undefined && lookedAt <= was.until)
        return was.taken ? { kind: 'stale' } : { kind: 'open', overAt: was.until };
      begun = true;
      const first = was?.sent ? {} : known;
      await writeRecord(storage, ref, {
        ...was,
        ...first,
        since: was?.since ?? known.since,
        sent: true,
        until: overAt,
      });
      return undefined;
    },
    async after(outcome, at) {
      if (!begun) return;
      const keep = async () => {
        if (outcome.kind === 'paid') {
          const now = (await readIfThere(storage, ref, schema)) ?? known;
          const what = outcome.ref === undefined ? {} : became(outcome.ref);
          await writeRecord(storage, ref, { ...now, ...what, sent: true, taken: true, until: at });
        } else if (outcome.kind !== 'unknown')
          // It has not happened, so what comes to be there is somebody else's.
          await (was ? writeRecord(storage, ref, was) : storage.delete(ref));
      };
      for (const pause of AGAIN_MS) {
        try {
          return await keep();
        } catch {
          await setTimeout(pause);
        }
      }
      await keep().catch((error: unknown) => {
        // It is in the ledger, and the run keeps it, too: where the storage stays away, they have to do.
        Context.current().log.warn('what became of a call could not be kept', { ref, error });
      });
    },
  };
}
