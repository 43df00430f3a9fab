/** Who or what began a run that pays, kept in the books (S8). */
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/common';
import { z } from 'zod';
import type { Act } from '../src/books/entry';
import type { BookedLedger } from '../src/temporal/booked-ledger';
import { rootOf, startOf } from '../src/temporal/who';
import { kept, keptWho, uuidOf } from './acts';

/** A payment waits so long for the entry: it is about who asked for it, and not about what may be spent. */
const WAIT_MS = 10_000;
/** Runs that a process remembers; the books themselves know an entry that they have had lately. */
const MOST_REMEMBERED = 10_000;

/** What of an input says how much may be spent without a person. Nothing else of it is kept (S4). */
const Allowed = z.object({
  approval: z
    .union([z.string().regex(/^[a-zA-Z]{1,20}$/), z.object({ above: z.number() })])
    .optional()
    .catch(undefined),
  maxCredits: z.number().optional().catch(undefined),
  maxConversions: z.number().optional().catch(undefined),
  maxItems: z.number().optional().catch(undefined),
});

/** Runs whose beginning, or that of the run above them, the books have. */
const told = new WeakMap<BookedLedger, Set<string>>();

/**
 * Writes down, before a run pays, who or what started it, or the run at whose top it stands, and with which budget. No
 * payment fails by it, and none waits for it for long: it is tried again with the next one.
 */
export async function keepStart(ledger: BookedLedger): Promise<void> {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  const { log } = Context.current();
  const known = told.get(ledger) ?? new Set();
  const own = `${workflowId}/${runId}`;
  // What keeps the books from being written keeps the payment as well, and is said there.
  if (known.has(own) || ledger.books.trouble !== undefined) return;
  if (known.size >= MOST_REMEMBERED) known.clear();
  told.set(ledger, known.add(own));
  const written = write(ledger, { workflowId, runId }, known).catch((error: unknown) => {
    known.delete(own);
    log.warn('who began a run that pays could not be written into the books', { error });
  });
  await Promise.race([written, sleep(WAIT_MS, undefined, { ref: false })]);
}

async function write(ledger: BookedLedger, own: { workflowId: string; runId: string }, known: Set<string>) {
  const { client } = Context.current();
  const root = await rootOf(client, own);
  const key = `${root.workflowId}/${root.runId}`;
  if (known.has(key) && root.runId !== own.runId) return;
  const start = await startOf(client, root).catch((error: unknown) => {
    // Its history has been deleted: what is left of it is that it pays.
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  });
  const { schedule, input } = start ?? {};
  const said = start
    ? { ...(schedule && { schedule: kept(schedule) }), ...Allowed.safeParse(input ?? {}).data }
    : { history: 'gone' };
  const runId = start?.firstRunId ?? root.runId;
  const act: Act = {
    ...{ kind: 'act', update: 'start', workflowId: root.workflowId, runId },
    ...{ when: start?.at ?? ledger.now(), said: JSON.stringify(said) },
    ...keptWho(start?.who ?? {}),
  };
  await ledger.books.act(act, uuidOf(`${root.workflowId}/${runId}`, 'start'));
  known.add(key);
}
