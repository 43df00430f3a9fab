/** Finding captures that nobody sees to, and telling what became of each. */
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import {
  isRecent,
  judge,
  type Remembered,
  type SweepRules,
  type SweepVerdict,
  type Troubled,
  tried,
  troubleOf,
} from '../src/captures/sweep';
import { countItems } from '../src/metrics/items';
import { type Storage, StorageError } from '../src/storage';
import { inAccount } from '../src/storage/account-folder';
import { type InlineOrStored, keep } from '../src/storage/inline-or-stored';
import { readStored } from '../src/storage/stored-json';
import { grpcStatus } from '../src/temporal/grpc-status';
import { searchAttributeKeys } from '../src/temporal/search-attribute-keys';
import { quoted } from '../src/text/list-filter';
import { scheduledAt } from './call';
import { listCaptures } from './capture-list';
import { type Deps, runtimeOf } from './deps';
import type { ListPlace } from './list-pages';

/** A capture that failed or is stuck. */
export interface FoundCapture {
  id: string;
  status: string;
  verdict: SweepVerdict;
  /** It is given up, and no sweep said so before. */
  newlyGivenUp?: boolean;
}

/** One page of them. */
export interface SweepPage {
  found: Troubled[];
  /** Captures without a status: nobody knows whether they failed. */
  unclear?: string[];
  next?: ListPlace;
  /** The list may go on, and its next page cannot be had: the settings that would correct it. */
  cut?: string;
}

/** What a sweep did about one capture. */
export interface SweptCapture {
  id: string;
  /** As it was found. */
  status: string;
  /**
   * `reprocessed`; `due`: it would be, but for dryRun or maxReprocesses; `tooSoon`, `givenUp`, `undated`: by the rules of the
   * sweep; `inAnotherRun`: an ingestCapture or another sweep sees to it; `unknown`: the next sweep finds out; `refused`;
   * `failed`: the service did not take it, or (`newBooks`) the account's ledger is new; the next sweep tries again.
   */
  outcome: SweepVerdict | 'reprocessed' | 'inAnotherRun' | 'unknown' | 'refused' | 'failed';
  reason?: string;
}

/** IDs in one query; a longer one is refused by some databases behind Temporal. */
const IDS_PER_QUERY = 50;
const LISTED_WITHIN_MS = 10_000;

export function createCaptureSweepActivities(deps: Deps) {
  return {
    /** GET one page of the captures of one status, and of it those that failed or are stuck. */
    async sweepPage(call: {
      account: string;
      status: string;
      projectId: string | undefined;
      place: ListPlace;
      stuckAfter: number;
    }): Promise<SweepPage> {
      const { account, status, projectId: project, place, stuckAfter } = call;
      const listed = await listCaptures(runtimeOf(deps, account), { status, project }, place);
      const { items, next, cut, mend, serverTime = scheduledAt() } = listed;
      const found = items.flatMap((capture): Troubled[] => {
        // A service that does not know the filter shows captures of every status.
        const trouble = capture.status === status ? troubleOf(capture, serverTime, stuckAfter) : undefined;
        return trouble ? [trouble] : [];
      });
      const unclear = items.flatMap(({ id, status: shown }) => (shown ? [] : [id]));
      return {
        found,
        ...(unclear.length > 0 && { unclear }),
        ...(next !== undefined && { next }),
        ...(cut && { cut: mend }),
      };
    },

    /**
     * What to do with each, by what earlier sweeps of the account saw, kept in the storage. Of two sweeps at once the last
     * to write wins: the other's first sights are made again.
     */
    async judgeSweep(call: {
      account: string;
      found: Troubled[];
      rules: SweepRules;
      dryRun: boolean;
    }): Promise<FoundCapture[]> {
      const { account, found, rules, dryRun } = call;
      if (found.length === 0) return [];
      const known = await readMemory(deps.storage, account);
      const now = Math.max(...found.map((capture) => capture.now));
      const next = new Map([...known].filter(([, remembered]) => isRecent(remembered, now, rules)));
      const judged = found.map((capture): FoundCapture => {
        const { id, status } = capture;
        const { verdict, remembered } = judge(capture, known.get(id), rules);
        if (remembered) next.set(id, remembered);
        const newlyGivenUp = verdict === 'givenUp' && known.get(id)?.givenUp !== true;
        return { id, status, verdict, ...(newlyGivenUp && { newlyGivenUp }) };
      });
      if (!dryRun) await writeMemory(deps.storage, account, next);
      return judged;
    },

    /**
     * Which of the captures have an open run of ingestCapture, which sees to them. Asks only Temporal. undefined: its lists do
     * not answer, for whatever reason. The sweep goes on without them (S7): the ledger lets no two attempts out at a time (S1).
     * @param call.orUnknown absent in runs of before, which know no such answer: for them none is in a run then
     */
    async capturesInRuns(call: {
      account: string;
      captureIds: string[];
      orUnknown?: boolean;
    }): Promise<string[] | undefined> {
      const { client, log } = deps;
      try {
        return await client.withDeadline(Date.now() + LISTED_WITHIN_MS, () => inRuns(client, call));
      } catch (error) {
        if (grpcStatus(error) === undefined) throw error;
        log.warn({ account: call.account, err: error }, 'it is not known which captures an ingestCapture sees to');
        return call.orUnknown ? undefined : [];
      }
    },

    /**
     * The result, in the storage where it is long; and which captures were extracted again, for sweeps to come. No call of
     * the API.
     * @param call.isPlan nothing was done
     */
    async keepSweep(call: {
      captures: SweptCapture[];
      ref: string;
      /** Absent in runs of before. */
      account?: string;
      isPlan?: boolean;
    }): Promise<InlineOrStored<SweptCapture[]>> {
      const { captures, ref, account, isPlan } = call;
      const kept = await keep(deps.storage, inAccount(account, `runs/${ref}/captures`), captures);
      const again = captures.filter(({ outcome }) => outcome === 'reprocessed' || outcome === 'unknown');
      if (account !== undefined && again.length > 0) {
        const memory = await readMemory(deps.storage, account);
        for (const { id } of again) {
          const known = memory.get(id);
          if (known) memory.set(id, tried(known));
        }
        await writeMemory(deps.storage, account, memory);
      }
      if (!isPlan) countItems('captureSweep', account, captures, ref);
      return kept;
    },
  };
}

async function inRuns({ workflow }: Client, call: { account: string; captureIds: string[] }): Promise<string[]> {
  const { account, captureIds } = call;
  const found: string[] = [];
  for (let from = 0; from < captureIds.length; from += IDS_PER_QUERY) {
    const ids = captureIds
      .slice(from, from + IDS_PER_QUERY)
      .map(quoted)
      .join(', ');
    const query = `WorkflowType = 'ingestCapture' AND ExecutionStatus = 'Running' AND Account = ${quoted(account)} AND CaptureId IN (${ids})`;
    for await (const { typedSearchAttributes } of workflow.list({ query }))
      found.push(typedSearchAttributes.get(searchAttributeKeys.captureId) ?? '');
  }
  return found;
}

const Memory = z.record(
  z.string(),
  z.object({
    since: z.number(),
    seen: z.number(),
    triedAt: z.number().optional(),
    givenUp: z.boolean().optional(),
  }),
);
const memoryRef = (account: string): string => `sweeps/${account}.json`;

/** What earlier sweeps saw. A memory that is missing or damaged costs a few tries more, and no capture. */
async function readMemory(storage: Storage, account: string): Promise<Map<string, Remembered>> {
  try {
    return new Map(Object.entries(await readStored(storage, memoryRef(account), Memory)));
  } catch (error) {
    if (error instanceof StorageError && error.kind === 'unusable') throw error;
    if (error instanceof StorageError) return new Map();
    throw error;
  }
}

const writeMemory = (storage: Storage, account: string, memory: Map<string, Remembered>) =>
  storage.write(memoryRef(account), JSON.stringify(Object.fromEntries(memory)), { contentType: 'application/json' });
