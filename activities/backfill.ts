/** What a backfill does in the storage: its list, its item ledger; and what became of runs that it does not own. */
import { Context } from '@temporalio/activity';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import type { About, Item, Source } from '../src/batches/items';
import { type Ended, endedBy, type LedgerLine, thisTry } from '../src/batches/outcomes';
import { BackfillInput, type Operation } from '../src/inputs/backfill';
import { InputError, parseInput } from '../src/inputs/parse-input';
import { countItems } from '../src/metrics/items';
import { isOpen } from '../src/runs/is-open';
import { inAccount } from '../src/storage/account-folder';
import { grpcStatus } from '../src/temporal/grpc-status';
import { quoted } from '../src/text/list-filter';
import { folderOf, latestOf, tellOf, tellParts } from './backfill-about';
import { type Concluded, type Concluding, placesOf, writeLedger, writePart } from './backfill-ledger';
import { type Candidate, ITEMS, readList, writeList } from './backfill-list';
import { createBackfillSourceActivities, type Making, wrongInput } from './backfill-source';
import type { Deps } from './deps';
import { endOf, type FollowedRun, followDelay } from './followed-run';
import { requeueAfter } from './requeue';

/** What a backfill begins with. */
export type Opening = Pick<BackfillInput, 'account' | 'operation' | 'redriveOf'> & Omit<Source, 'earlier'>;

/** Where a backfill keeps what belongs to it, and what it does. */
export interface Opened {
  /** Folder in the storage. */
  folder: string;
  operation: Operation;
  /** Of a redrive: where its items come from. */
  source?: Source;
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
/** How long the server has to count runs. */
const COUNT_MS = 10_000;
/** Runs that the server lists at once. */
const ASKING_PAGE = 500;

export function createBackfillActivities(deps: Deps) {
  const { storage, client } = deps;

  return {
    ...createBackfillSourceActivities(deps),

    /** Finds this backfill's folder, and the one that it redrives; keeps where its items come from. No call of the API. */
    async openBackfill(call: Opening): Promise<Opened> {
      const { account, operation: given, redriveOf, ...source } = call;
      const { workflowExecution: run } = Context.current().info;
      const { workflowId = '', runId = '' } = run ?? {};
      const firstRun = await firstRunOf(workflowId, runId);
      const folder = `${inAccount(account, folderOf(workflowId))}/${firstRun}`;
      const { operation, from } =
        redriveOf === undefined ? { operation: given, from: source } : await redriven({ ...call, redriveOf }, firstRun);
      if (operation === undefined) throw wrongInput('operation is missing.');
      await tellOf(storage, { folder, account, operation, source: from }, workflowId);
      return { folder, operation, ...(redriveOf !== undefined && { source: from }) };
    },

    /**
     * Makes a list of what has failed so far in this very backfill: what was paid for first, which costs little or nothing
     * now, so that no item that the budget does not allow stands before it. @returns how many
     */
    async itemsToRetry(call: Making & { list: string; size: number; parts?: number }): Promise<number> {
      const { folder, list, size, operation, parts } = call;
      const paid = new Map<number, number>();
      const places = await placesOf(storage, folder, size, ['failed'], 'unbegun', parts, paid);
      async function* candidates(): AsyncGenerator<Candidate> {
        for (const isPaid of paid.size > 0 ? [true, false] : [false])
          for await (const item of readList(storage, { folder, list: ITEMS, size })) {
            const spent = paid.get(item.n);
            if (places.has(item.n) && (spent !== undefined) === isPaid)
              yield { ...item, ...(spent !== undefined && { spent }) };
          }
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

    /** Writes a part of the item ledger. Repeatable. @param call.account whose items they are; absent in runs of before */
    async writeOutcomes(call: { folder: string; account?: string; part: number; lines: LedgerLine[] }): Promise<void> {
      await writePart(storage, call.folder, call.part, call.lines);
      countItems('backfill', call.account, call.lines, `${call.folder}/${call.part}`);
    },

    /** The whole item ledger: each item once, with its last word. Repeatable. No call of the API. */
    async concludeBackfill({ operation, ...call }: Concluding & { operation: Operation }): Promise<Concluded> {
      const concluded = await writeLedger(storage, call, async ({ workflowId }) => {
        const closed = await closedRun(operation, { workflowId });
        if (closed?.ended) return thisTry(closed.ended);
        return { outcome: 'waiting', reason: closed ? 'person: lineUnreadable' : 'ownRun', credits: 0 };
      });
      if (call.parts !== undefined) await tellParts(storage, call.folder, call.parts);
      return concluded;
    },

    /**
     * How many items wait for a person now, by the word of their runs: their own, and conversions of audits. undefined: the
     * server's lists do not answer, for whatever reason. It goes on without them, and is not kept from saying what it waits for (S7).
     * @param call.underWay workflow IDs of the items: runs of earlier backfills with the same ID may go on, and ask. Absent in
     * runs of before, and where they are too many: then all runs count
     */
    async itemsAsking(call: { underWay?: string[] } = {}): Promise<number | undefined> {
      const own = Context.current().info.workflowExecution?.workflowId ?? '';
      const query = `(ParentWorkflowId = ${quoted(own)} OR RootWorkflowId = ${quoted(own)}) AND NeedsPerson = true AND ExecutionStatus = 'Running'`;
      const { underWay } = call;
      try {
        return await client.withDeadline(Date.now() + COUNT_MS, async () => {
          if (!underWay) return (await client.workflow.count(query)).count;
          const items = new Set(underWay);
          const asking = new Set<string>();
          for await (const { workflowId, parentExecution } of client.workflow.list({ query, pageSize: ASKING_PAGE })) {
            const item = [workflowId, parentExecution?.workflowId ?? ''].find((id) => items.has(id));
            if (item !== undefined) asking.add(item);
          }
          return asking.size;
        });
      } catch (error) {
        if (grpcStatus(error) === undefined) throw error;
        return undefined;
      }
    },

    /** Writes the summary beside the ledger. Repeatable. */
    async writeSummary({ folder, summary }: { folder: string; summary: unknown }): Promise<string> {
      const text = `${JSON.stringify(summary, null, 2)}\n`;
      return (await storage.write(`${folder}/summary.json`, text, { contentType: 'application/json' })).ref;
    },

    /**
     * Returns those of the runs that have ended, as soon as one has. Retried by Temporal without history events; a run
     * that was terminated tells nobody, and is found like any other.
     */
    async awaitItems(call: { operation: Operation; runs: FollowedRun[] }): Promise<ClosedRun[]> {
      const closed: ClosedRun[] = [];
      for (let i = 0; i < call.runs.length; i += ASKED_AT_ONCE) {
        const some = call.runs.slice(i, i + ASKED_AT_ONCE);
        const found = await Promise.all(some.map((run) => closedRun(call.operation, run)));
        closed.push(...found.filter((run) => run !== undefined));
      }
      if (closed.length > 0) return closed;
      throw requeueAfter('all of them are still under way', followDelay(Context.current().info.attempt));
    },
  };

  async function firstRunOf(workflowId: string, runId: string): Promise<string> {
    const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
    return firstOf(raw, runId);
  }

  /** What an earlier backfill has left: of its list, or, where it has none yet, all of its source. */
  async function redriven(
    { account, operation, redriveOf, redrive, defaults }: Opening & { redriveOf: string },
    asking: string,
  ) {
    const { items, source, ...earlier } = await findEarlier(account, redriveOf, asking);
    if (earlier.account !== account)
      throw wrongInput(`redriveOf: '${redriveOf}' worked for account '${earlier.account}'; give that one.`);
    if (operation !== undefined && operation !== earlier.operation)
      throw wrongInput(`operation: '${redriveOf}' was a backfill of ${earlier.operation}; leave operation out.`);
    try {
      parseInput(BackfillInput, { account, operation: earlier.operation, redriveOf, redrive, defaults }, 'backfill');
    } catch (error) {
      throw error instanceof InputError ? wrongInput(...error.problems) : error;
    }
    if (items === undefined && source && !redrive.includes('skipped'))
      throw wrongInput(
        `redrive: '${redriveOf}' has begun none of its items; they count as 'skipped', so give that too, or leave redrive out.`,
      );
    const from: Source =
      items === undefined && source
        ? { ...source, defaults: { ...source.defaults, ...defaults } }
        : { earlier: { ...earlier, items: items ?? 0 }, redrive, defaults };
    return { operation: earlier.operation, from };
  }

  /** @param asking first run of who asks, which may have the same workflow ID */
  async function findEarlier(account: string, workflowId: string, asking: string): Promise<About> {
    const running = await client.workflow
      .getHandle(workflowId)
      .describe()
      .then(({ status, runId, raw }) => isOpen(status) && firstOf(raw, runId) !== asking)
      .catch((error) => {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      });
    if (running)
      throw wrongInput(
        `redriveOf: '${workflowId}' is still running; give it the update retryFailed, or stop it first.`,
      );
    const about = await latestOf(storage, account, workflowId);
    if (about === undefined)
      throw wrongInput(
        `redriveOf: no backfill '${workflowId}' of account '${account}' has left a list in ${storage.describe()}.`,
      );
    return about;
  }

  async function closedRun(operation: Operation, run: FollowedRun): Promise<ClosedRun | undefined> {
    const found = await endOf(client, run);
    if (!found) return undefined;
    const { status, result } = found;
    const { workflowId } = run;
    return { workflowId, status, ...(status === 'COMPLETED' && { ended: endedBy(operation, result) }) };
  }
}

const firstOf = ({ workflowExecutionInfo: info }: WorkflowExecutionDescription['raw'], runId: string): string =>
  info?.firstRunId || runId;
