/** Finding captures that nobody sees to, and telling what became of each. */
import type { SweepRules, SweepVerdict } from '../src/policy/sweep';
import { verdictOn } from '../src/policy/sweep';
import { type Kept, keep } from '../src/storage/claim';
import { searchAttributeKeys } from '../src/temporal/search-attribute-keys';
import { listCaptures } from './capture-list';
import { type Deps, runtimeOf } from './deps';

/** A capture that failed or is stuck. */
export interface FoundCapture {
  id: string;
  status: string;
  verdict: SweepVerdict;
}

/** One page of them. */
export interface SweepPage {
  found: FoundCapture[];
  next?: number;
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

export function createCaptureSweepActivities(deps: Deps) {
  return {
    /** GET one page of the captures of one status, and of it those that failed or are stuck. */
    async sweepPage(call: {
      account: string;
      status: string;
      projectId: string | undefined;
      offset: number;
      rules: SweepRules;
    }): Promise<SweepPage> {
      const { account, status, projectId: project, offset, rules } = call;
      const {
        items,
        next,
        serverTime = Date.now(),
      } = await listCaptures(runtimeOf(deps, account), { status, project }, offset);
      const found = items.flatMap((capture): FoundCapture[] => {
        // A service that does not know the filter shows captures of every status.
        const verdict = capture.status === status ? verdictOn(capture, serverTime, rules) : undefined;
        return verdict ? [{ id: capture.id, status, verdict }] : [];
      });
      return { found, ...(next !== undefined && { next }) };
    },

    /** Which of the captures have an open run of ingestCapture, which sees to them. Asks only Temporal. */
    async capturesInRuns({ account, captureIds }: { account: string; captureIds: string[] }): Promise<string[]> {
      const inRuns: string[] = [];
      for (let from = 0; from < captureIds.length; from += IDS_PER_QUERY) {
        const ids = captureIds.slice(from, from + IDS_PER_QUERY).filter((id) => /^[\w-]+$/.test(id));
        if (ids.length === 0) continue;
        const query = `WorkflowType = 'ingestCapture' AND ExecutionStatus = 'Running' AND Account = '${account}' AND CaptureId IN (${ids.map((id) => `'${id}'`).join(', ')})`;
        for await (const { typedSearchAttributes } of deps.client.workflow.list({ query }))
          inRuns.push(typedSearchAttributes.get(searchAttributeKeys.captureId) ?? '');
      }
      return inRuns;
    },

    /** The result, in the storage where it is long. No call of the API. */
    keepSweep: ({ captures, ref }: { captures: SweptCapture[]; ref: string }): Promise<Kept<SweptCapture[]>> =>
      keep(deps.storage, `runs/${ref}/captures`, captures),
  };
}
