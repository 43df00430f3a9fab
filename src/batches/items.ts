/** One item of a backfill: what it works on, and the run that does it, the same whoever starts it. Pure; no workflow. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { idKey } from '../agent-api/id';
import { identifyNote } from '../captures/note';
import { type BackfillInput, itemSchemas, OPERATIONS, type Operation, OWN_FIELDS } from '../inputs/backfill';
import { InputError, parseInput } from '../inputs/parse-input';
import { auditProjectId, convertLeadId, ingestCaptureId } from '../runs/run-ids';

/** An item as the list in the storage has it. */
export const Item = z.object({
  /** Its place in the list, from 0. */
  n: z.int(),
  /** Its line in the source file. */
  line: z.int().optional(),
  /** What it works on: two with the same are one. No personal data. */
  id: z.string(),
  /** The run that does it. */
  workflowId: z.string(),
  /** Its input, but for what the backfill fills in. */
  input: z.record(z.string(), z.unknown()),
  /** Credits that earlier tries in the same batch have cost; absent where there was none. */
  spent: z.number().optional(),
});
export type Item = z.output<typeof Item>;

/** Where items come from, checked: one of the first three, or `earlier`. */
export interface Source extends Pick<BackfillInput, 'leads' | 'captures' | 'file' | 'defaults' | 'redrive'> {
  /** The backfill that is redriven, which has a list. */
  earlier?: Listed;
}

/** What a backfill says of itself in its folder, for whoever redrives it. */
export const About = z.object({
  folder: z.string(),
  account: z.string(),
  operation: z.enum(OPERATIONS),
  /** Items of its list; absent until that is made: then a redrive makes it, from `source`. */
  items: z.int().optional(),
  /** Parts of its item ledger, once it has ended; absent in those of before. */
  parts: z.int().optional(),
  /** It was only planned. */
  dryRun: z.boolean().optional(),
  /** What its items share, unless they have a value of their own; absent before 0.3.0 and as long as there is no list. */
  defaults: z.record(z.string(), z.unknown()).optional(),
  /** What was checked when it was written is not checked again. */
  source: z.custom<Source>((source) => typeof source === 'object' && source !== null).optional(),
});
export type About = z.output<typeof About>;
/** Of one that has a list. */
export type Listed = Omit<About, 'items' | 'source'> & { items: number };

/** A checked row. `note` is the text that belongs into a file of its own (S4, and 100,000 notes are no history). */
export type Checked =
  | { id: string; workflowId: string; input: Record<string, unknown>; note?: string }
  | { problem: string };

interface Kind {
  account: string;
  operation: Operation;
  /** Fields that all items share. */
  defaults: Readonly<Record<string, unknown>>;
}

/** The IDs that items have everywhere, so that what anybody does or did is recognised. */
const runId: Readonly<Record<Operation, (account: string, id: string) => string>> = {
  convertLead: convertLeadId,
  auditProject: auditProjectId,
  ingestCapture: ingestCaptureId,
  reprocessCapture: ingestCaptureId,
};

/** Checks a row against the operation's own input. @returns a problem in words, which quotes no personal data */
export function checkRow({ account, operation, defaults }: Kind, row: Readonly<Record<string, unknown>>): Checked {
  const own = OWN_FIELDS.find((field) => row[field] !== undefined && row[field] !== (field === 'account' && account));
  if (own) return { problem: `the field '${own}' is the backfill's own, not a row's.` };
  const { account: _, ...values } = row;
  const input: Record<string, unknown> = {
    ...defaults,
    ...values,
    ...(operation === 'reprocessCapture' && { again: true }),
  };
  const note = operation === 'ingestCapture' ? input.note : undefined;
  try {
    parseInput(itemSchemas[operation], input, operation);
  } catch (error) {
    if (error instanceof InputError) return { problem: error.problems.join(' ') };
    throw error;
  }
  if (operation === 'reprocessCapture' && typeof input.captureId !== 'string')
    return { problem: 'captureId is missing; reprocessCapture extracts a capture that is there.' };
  const id = idOf(account, input);
  return { id, workflowId: runId[operation](account, id), input, ...(typeof note === 'string' && { note }) };
}

/**
 * Checks an item of an earlier backfill for its redrive. A value of its own wins, as in a row; what all items of that backfill
 * shared may be another now.
 * @param before the defaults of that backfill, where they are known
 */
export function checkAgain(kind: Kind, { input }: Item, before: Kind['defaults'] = {}): Checked {
  const isOwn = ([field, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before[field]);
  const own = Object.entries(input).filter(isOwn);
  const now = checkRow({ ...kind, defaults: { ...before, ...kind.defaults } }, Object.fromEntries(own));
  const then = checkRow({ ...kind, defaults: {} }, input);
  // Of what it works on a payment may be under way: under another name it would be paid again (S1).
  if ('id' in now && 'id' in then && now.id !== then.id)
    return { problem: 'would work on something else with these defaults.' };
  return now;
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 24);

const Subject = z.object({
  projectId: z.string().optional(),
  leadId: z.string().optional(),
  captureId: z.string().optional(),
  reference: z.string().optional(),
  note: z.string().optional(),
  noteFile: z.string().optional(),
  project: z.unknown().optional(),
});

/** What the input is about, as the runs of the operation are called everywhere. */
function idOf(account: string, input: unknown): string {
  const { captureId, leadId, project, projectId, reference, note, noteFile } = Subject.parse(input);
  if (captureId !== undefined) return idKey(captureId);
  if (note !== undefined) return identifyNote(account, projectId, note, reference).id;
  if (noteFile !== undefined) return hash([noteFile, projectId, reference]);
  const record = projectId ?? leadId;
  return record === undefined ? (reference ?? hash(project)) : idKey(record);
}
