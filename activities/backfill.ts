/** What a backfill does in the storage: its list, its item ledger; and what became of runs that it does not own. */
import { createHash } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { Context } from '@temporalio/activity';
import { ApplicationFailure, WorkflowNotFoundError } from '@temporalio/common';
import { z } from 'zod';
import { applyColumns, mapColumns } from '../src/policy/backfill/columns';
import { About, type Checked, checkRow, type Item } from '../src/policy/backfill/items';
import { UnreadableFile } from '../src/policy/backfill/lines';
import { type Ended, endedBy, type LedgerLine } from '../src/policy/backfill/outcomes';
import { type Row, readCsv, readJsonl } from '../src/policy/backfill/rows';
import { FailureType } from '../src/policy/failures';
import { type BackfillInput, formatOf, type Operation } from '../src/policy/inputs/backfill';
import { type Storage, StorageError } from '../src/storage';
import { type Kept, keep, openEach } from '../src/storage/claim';
import { placesOf, type Unbegun, writeLedger, writePart } from './backfill-ledger';
import { type Candidate, ITEMS, type Prepared, readList, writeList } from './backfill-list';
import { bounce } from './call';
import { listCaptures } from './capture-list';
import { type Deps, runtimeOf } from './deps';

/** Where a backfill keeps what belongs to it, and what it does. */
export interface Opened {
  /** Folder in the storage. */
  folder: string;
  operation: Operation;
  /** The backfill that is redriven. */
  earlier?: About;
}

/** A list to be made. */
export interface Making {
  account: string;
  folder: string;
  operation: Operation;
  defaults: BackfillInput['defaults'];
}

/** Another run, as it has ended. */
export interface ClosedRun {
  workflowId: string;
  /** Absent when it has no result: it was terminated, failed or is not known any more. */
  ended?: Ended;
  /** In the server's words: `TERMINATED`, `FAILED`… */
  status: string;
}

/** Items handed out at once, and the bytes of JSON that end a portion earlier: they stand in a history. */
const PORTION = 60;
const PORTION_BYTES = 48 * 1024;
/** Runs that are asked for at the same time. */
const ASKED_AT_ONCE = 10;

/** Of a page: leads with what the rules decided, captures as they are. */
const PageRow = z.object({
  id: z.string(),
  decision: z.string().optional(),
  reasons: z.array(z.string()).readonly().optional(),
});
type PageRow = z.output<typeof PageRow>;

export function createBackfillActivities(deps: Deps) {
  const { storage, client } = deps;

  return {
    /** Finds this backfill's folder, and the one that it redrives. No call of the API. */
    async openBackfill(call: Pick<BackfillInput, 'account' | 'operation' | 'redriveOf'>): Promise<Opened> {
      const { workflowExecution: run } = Context.current().info;
      const folder = `${folderOf(run?.workflowId ?? '')}/${await firstRunOf(run?.workflowId ?? '', run?.runId ?? '')}`;
      if (call.redriveOf === undefined) {
        if (call.operation === undefined) throw wrong('operation is missing.');
        return { folder, operation: call.operation };
      }
      const earlier = await findEarlier(call.redriveOf);
      if (earlier.account !== call.account)
        throw wrong(`redriveOf: '${call.redriveOf}' worked for account '${earlier.account}'; give that one.`);
      if (call.operation !== undefined && call.operation !== earlier.operation)
        throw wrong(`operation: '${call.redriveOf}' was a backfill of ${earlier.operation}; leave operation out.`);
      return { folder, operation: earlier.operation, earlier };
    },

    /** Makes the list from a file of the storage. Streams; repeatable. No call of the API. */
    async itemsFromFile({ file, ...making }: Making & { file: NonNullable<BackfillInput['file']> }): Promise<Prepared> {
      const notes: string[] = [];
      const mapping = { now: mapColumns(making.operation, undefined, file.columns) };
      const use = (header: readonly string[]) => {
        mapping.now = mapColumns(making.operation, header, file.columns);
        if (mapping.now.problems.length > 0) throw wrong(...mapping.now.problems.map((one) => `file: ${one}`));
        const { ignored } = mapping.now;
        if (ignored.length > 0) notes.push(`${ignored.length} columns of the file are no field and were not read.`);
      };
      const format = file.format ?? formatOf(file.ref);
      if (mapping.now.problems.length > 0 && format === 'jsonl' && file.columns)
        throw wrong(...mapping.now.problems.map((one) => `file: ${one}`));
      const bytes = await storage.read(file.ref).catch((error) => {
        if (error instanceof StorageError && error.kind !== 'unusable') throw wrong(`file.ref: ${error.message}`);
        throw error;
      });
      const delimiter = file.delimiter ?? (/\.tsv$/i.test(file.ref) ? '\t' : ',');
      const rows = format === 'csv' ? readCsv(bytes, delimiter, use) : readJsonl(bytes);
      const read = (row: Extract<Row, { values: unknown }>) =>
        format === 'csv' || file.columns ? applyColumns(mapping.now, row.values) : row.values;
      async function* candidates(): AsyncGenerator<Candidate> {
        for await (const row of rows) {
          if ('problem' in row) yield row;
          else yield await candidate(storage, making, checkRow(making, read(row)), row.line);
        }
      }
      try {
        return { ...(await make(making, candidates())), notes };
      } catch (error) {
        if (error instanceof UnreadableFile) throw wrong(`file: '${file.ref}' cannot be read: ${error.message}.`);
        throw error;
      }
    },

    /** GET one page of captures; of each only the identifier is kept (S4). */
    async listCapturePage(call: {
      account: string;
      filter: NonNullable<BackfillInput['captures']>;
      offset: number;
      ref: string;
    }): Promise<{ page: Kept<PageRow[]>; count: number; next?: number }> {
      const { status, channel, projectId } = call.filter;
      const filter = { ...(status && { status }), ...(channel && { channel }), project: projectId };
      const { items, next } = await listCaptures(runtimeOf(deps, call.account), filter, call.offset);
      const ref = `runs/${call.ref}/pages/${String(call.offset).padStart(9, '0')}-${Context.current().info.attempt}`;
      const page = await keep(
        storage,
        ref,
        items.map(({ id }) => ({ id })),
        8 * 1024,
      );
      return { page, count: items.length, ...(next !== undefined && { next }) };
    },

    /** Makes the list from the pages of leads or captures. No call of the API. */
    async itemsFromPages(call: Making & { pages: Kept<PageRow[]>[] }): Promise<Prepared> {
      const { pages, ...making } = call;
      const key = making.operation === 'convertLead' || making.operation === 'auditProject' ? 'leadId' : 'captureId';
      async function* candidates(): AsyncGenerator<Candidate> {
        const seen = new Set<string>();
        for (const page of pages)
          for await (const { id, decision, reasons } of openEach(storage, page, PageRow)) {
            // Offsets move while a list is read: what is seen again is no news.
            if (seen.has(id)) continue;
            seen.add(id);
            if (decision === 'skip') yield { left: reasons?.[0] ?? 'skip' };
            else yield await candidate(storage, making, checkRow(making, { [key]: id }), 0);
          }
      }
      const { needs, left, quarantined } = await make(making, candidates());
      return { needs, left, quarantined, notes: [] };
    },

    /** Makes the list from what an earlier backfill has left. No call of the API. */
    async itemsFromEarlier(call: Making & { earlier: About; outcomes: readonly string[] }): Promise<Prepared> {
      const { earlier, outcomes, ...making } = call;
      const places = await placesOf(storage, earlier.folder, earlier.items, outcomes, 'skipped');
      async function* candidates(): AsyncGenerator<Candidate> {
        for await (const item of readList(storage, { folder: earlier.folder, list: ITEMS, size: earlier.items })) {
          const { n: _, ...same } = item;
          if (places.has(item.n)) yield { ...same, input: { ...same.input, ...making.defaults } };
        }
      }
      return { ...(await make(making, candidates())), notes: [] };
    },

    /** Makes a list of what has failed so far in this very backfill. @returns how many */
    async itemsToRetry(call: Making & { list: string; size: number }): Promise<number> {
      const { folder, list, size, operation } = call;
      const places = await placesOf(storage, folder, size, ['failed'], 'unbegun');
      async function* candidates(): AsyncGenerator<Candidate> {
        for await (const item of readList(storage, { folder, list: ITEMS, size })) if (places.has(item.n)) yield item;
      }
      return (await writeList(storage, { folder, list, operation }, candidates())).needs.items;
    },

    /** The next items of a list. No call of the API. */
    async takeItems(call: { folder: string; list: string; size: number; from: number }): Promise<Item[]> {
      const items: Item[] = [];
      let bytes = 0;
      for await (const item of readList(storage, call, call.from)) {
        bytes += JSON.stringify(item).length;
        if (items.length > 0 && bytes > PORTION_BYTES) break;
        items.push(item);
        if (items.length === PORTION) break;
      }
      return items;
    },

    /** Writes a part of the item ledger. Repeatable. */
    async writeOutcomes(call: { folder: string; part: number; lines: LedgerLine[] }): Promise<void> {
      await writePart(storage, call.folder, call.part, call.lines);
    },

    /** The whole item ledger: each item once, with its last word. Repeatable. No call of the API. */
    concludeBackfill: (call: { folder: string; size: number; unbegun: Unbegun[] }) => writeLedger(storage, call),

    /** Writes the summary beside the ledger. Repeatable. */
    async writeSummary({ folder, summary }: { folder: string; summary: unknown }): Promise<string> {
      const text = `${JSON.stringify(summary, null, 2)}\n`;
      return (await storage.write(`${folder}/summary.json`, text, { contentType: 'application/json' })).ref;
    },

    /**
     * Returns those of the runs that have ended, as soon as one has. Retried by Temporal without history events; a run
     * that was terminated tells nobody, and is found like any other.
     */
    async awaitItems(call: {
      operation: Operation;
      runs: { workflowId: string; runId?: string | undefined }[];
    }): Promise<ClosedRun[]> {
      const closed: ClosedRun[] = [];
      for (let i = 0; i < call.runs.length; i += ASKED_AT_ONCE) {
        const some = call.runs.slice(i, i + ASKED_AT_ONCE);
        const found = await Promise.all(some.map((run) => closedRun(call.operation, run)));
        closed.push(...found.filter((run) => run !== undefined));
      }
      if (closed.length > 0) return closed;
      throw bounce('all of them are still under way', followDelay(Context.current().info.attempt));
    },
  };

  async function make(making: Making, candidates: AsyncIterable<Candidate>) {
    const { folder, operation, account } = making;
    const made = await writeList(storage, { folder, list: ITEMS, operation }, candidates);
    const about = { folder, account, operation, items: made.needs.items } satisfies About;
    const text = `${JSON.stringify(about)}\n`;
    // Beside the folders of all runs with this ID: how a redrive finds the last one, also when the server has forgotten it.
    for (const ref of [`${folder}/backfill.json`, `${folder.slice(0, folder.lastIndexOf('/'))}/latest.json`])
      await storage.write(ref, text, { contentType: 'application/json' });
    return made;
  }

  async function firstRunOf(workflowId: string, runId: string): Promise<string> {
    const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
    return raw.workflowExecutionInfo?.firstRunId || runId;
  }

  async function findEarlier(workflowId: string): Promise<About> {
    const running = await client.workflow
      .getHandle(workflowId)
      .describe()
      .then(({ status }) => status.name === 'RUNNING')
      .catch((error) => {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      });
    if (running)
      throw wrong(`redriveOf: '${workflowId}' is still running; give it the update retryFailed, or stop it first.`);
    try {
      return About.parse(await json(await storage.read(`${folderOf(workflowId)}/latest.json`)));
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== 'notFound') throw error;
      throw wrong(`redriveOf: no backfill '${workflowId}' has left a list in ${storage.describe()}.`);
    }
  }

  async function closedRun(
    operation: Operation,
    { workflowId, runId }: { workflowId: string; runId?: string | undefined },
  ): Promise<ClosedRun | undefined> {
    const handle = client.workflow.getHandle(workflowId, runId);
    try {
      const { status } = await handle.describe();
      if (status.name === 'RUNNING') return undefined;
      if (status.name !== 'COMPLETED') return { workflowId, status: status.name };
      return { workflowId, status: status.name, ended: endedBy(operation, await handle.result()) };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { workflowId, status: 'NOT_FOUND' };
      throw error;
    }
  }
}

/** Where backfills of this workflow ID keep their folders. An ID that is no plain name is hashed (S4). */
function folderOf(workflowId: string): string {
  const plain = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(workflowId) && !workflowId.includes('..');
  return `backfills/${plain ? workflowId : createHash('sha256').update(workflowId).digest('hex').slice(0, 24)}`;
}

/** A note's text goes into a file of its own. */
async function candidate(storage: Storage, { folder }: Making, checked: Checked, line: number): Promise<Candidate> {
  if ('problem' in checked) return { line, problem: checked.problem };
  const { note, id, workflowId, input } = checked;
  const at = line > 0 && { line };
  if (note === undefined) return { ...at, id, workflowId, input };
  const { note: _, ...rest } = input;
  const { ref } = await storage.write(`${folder}/notes/${id}.txt`, note, { contentType: 'text/plain' });
  return { ...at, id, workflowId, input: { ...rest, noteFile: ref } };
}

/** The input names something that cannot be used; trying again changes nothing. */
const wrong = (...problems: string[]) =>
  ApplicationFailure.nonRetryable(
    `backfill cannot start with this input: ${problems.join(' ')}`,
    FailureType.badInput,
    problems,
  );

/** Soon at first, then every half minute. */
const followDelay = (attempt: number) => Math.min(30_000, 250 * 2 ** Math.min(attempt, 7));

export type BackfillActivities = ReturnType<typeof createBackfillActivities>;
