/** The items under way: a child run each, or a run of somebody else's that is followed (S6). */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  isCancellation,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import type { ClosedRun } from '../../activities/backfill';
import type { Item } from '../../src/policy/backfill/items';
import { doneElsewhere, type Ended, endedBy } from '../../src/policy/backfill/outcomes';
import { priceOf } from '../../src/policy/backfill/plan';
import type { BackfillInput, Operation } from '../../src/policy/inputs/backfill';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { control, fairnessKey } from '../shared/calls';
import type { Status } from '../shared/status';
import { afterLostRun } from './lost';
import type { Running } from './state';

/** What the items of one backfill have in common. */
export interface Common {
  input: BackfillInput;
  operation: Operation;
  folder: string;
  facts: AccountFacts;
  status: Status;
  /** The backfill in the ledger: its cap and its fairness key are those of all its items (S3). */
  runKey: string;
  maxCredits(): number;
}

/** Runs without a parent in this history that are asked for together: each answer repeats the question in the history. */
const FOLLOWED_TOGETHER = 25;

const WORKFLOWS = {
  convertLead: 'convertLead',
  auditProject: 'auditProject',
  ingestCapture: 'ingestCapture',
  reprocessCapture: 'ingestCapture',
} as const satisfies Record<Operation, string>;

export class Window {
  readonly running = new Map<number, Running>();
  /** Children that the server has not confirmed yet; the run must not end before. */
  starting = 0;
  /** What went wrong in a lane, for the run to fail with. */
  broken: unknown;

  constructor(
    private readonly common: Common,
    private readonly onEnd: (item: Running, ended: Ended) => void,
  ) {}

  /** Begins an item. */
  begin({ n, line, id, workflowId, input }: Item, retry: boolean): void {
    const { operation, facts } = this.common;
    const price = priceOf(operation, input, facts);
    const running: Running = { n, line, id, workflowId, price, at: Date.now(), theirs: false, retry };
    this.running.set(n, running);
    this.#lane(running, this.#perform(running, input));
  }

  /** Goes on with what was under way when the backfill continued as new: no child of this run, so it is asked for. */
  takeOver(items: readonly Running[]): void {
    for (const running of items) this.running.set(running.n, running);
    for (let i = 0; i < items.length; i += FOLLOWED_TOGETHER) {
      const some = items.slice(i, i + FOLLOWED_TOGETHER);
      this.#guard(this.#followAll(some));
    }
  }

  #guard(work: Promise<void>): void {
    work.catch((error) => {
      // A cancellation reaches the run itself as well.
      if (!isCancellation(error)) this.broken ??= error;
    });
  }

  #lane(running: Running, ending: Promise<Ended>): void {
    this.#guard(ending.then((ended) => this.#end(running, ended)));
  }

  #end(running: Running, ended: Ended): void {
    // One that was left has its last word already.
    if (this.running.delete(running.n)) this.onEnd(running, ended);
  }

  /** Follows nothing any more. @returns what was under way */
  leave(): Running[] {
    const left = [...this.running.values()];
    this.running.clear();
    return left;
  }

  async #followAll(items: readonly Running[]): Promise<void> {
    const { operation } = this.common;
    let left = [...items];
    while (left.length > 0) {
      const runs = left.map(({ workflowId, runId }) => ({ workflowId, runId }));
      const closed = await control.awaitItems({ operation, runs });
      const byId = new Map(closed.map((run) => [run.workflowId, run]));
      for (const running of left) {
        const run = byId.get(running.workflowId);
        if (run) this.#lane(running, this.#afterRun(running, run));
      }
      left = left.filter(({ workflowId }) => !byId.has(workflowId));
    }
  }

  /** What a followed run means for its item. */
  async #afterRun(running: Running, { ended, status }: ClosedRun): Promise<Ended> {
    if (running.theirs) {
      const elsewhere = ended && doneElsewhere(ended);
      return elsewhere ?? this.#perform(running, await this.#inputOf(running), true);
    }
    return ended ?? afterLostRun(this.common, running, await this.#inputOf(running), status);
  }

  async #inputOf({ n }: Running): Promise<Item['input']> {
    const { folder } = this.common;
    const [item] = await control.takeItems({ folder, list: 'items', size: n + 1, from: n });
    if (!item) throw ApplicationFailure.nonRetryable(`item ${n} is not in ${folder} any more`, 'StorageError');
    return item.input;
  }

  /** @param again another run has had it, and did not do it */
  async #perform(running: Running, input: Item['input'], again = false): Promise<Ended> {
    const { operation } = this.common;
    this.starting++;
    const child = await this.#start(running, input, again)
      .catch((error) => {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
        throw error;
      })
      .finally(() => {
        this.starting--;
      });
    if (!child) {
      running.theirs = true;
      const { workflowId } = running;
      const [closed] = await control.awaitItems({ operation, runs: [{ workflowId }] });
      const ended = closed?.ended;
      const elsewhere = ended && doneElsewhere(ended);
      if (elsewhere) return elsewhere;
      if (!again) return this.#perform(running, input, true);
      return { outcome: 'skipped', reason: 'inAnotherRun', ...ended, credits: 0 };
    }
    running.theirs = false;
    running.runId = child.firstExecutionRunId;
    try {
      return endedBy(operation, await child.result());
    } catch (error) {
      if (!(error instanceof ChildWorkflowFailure)) throw error;
      const { cause } = error;
      const reason = (cause instanceof ApplicationFailure ? cause.type : cause?.name) ?? 'runEnded';
      return afterLostRun(this.common, running, input, reason);
    }
  }

  #start({ workflowId, id }: Running, input: Item['input'], again: boolean) {
    const { operation, runKey, maxCredits } = this.common;
    const { account, priority } = this.common.input;
    const budget = operation === 'convertLead' || operation === 'auditProject';
    // A lead that was converted and a note that was submitted stay so: the earlier run's result says it without a call.
    const final = operation === 'convertLead' || (operation === 'ingestCapture' && input.captureId === undefined);
    const attribute = ATTRIBUTES.find(([field]) => typeof input[field] === 'string');
    return startChild(WORKFLOWS[operation], {
      workflowId,
      args: [{ ...input, account, priority, ...(budget && { run: { key: runKey, maxCredits: maxCredits() } }) }],
      // It may hold an unfinished payment: it outlives this run whatever becomes of it.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      workflowIdReusePolicy: final && !again ? 'ALLOW_DUPLICATE_FAILED_ONLY' : 'ALLOW_DUPLICATE',
      priority: { priorityKey: priority, fairnessKey: fairnessKey(runKey) },
      staticSummary: `${operation} ${id}`,
      staticDetails: `Started by the batch ${workflowInfo().workflowId}.`,
      typedSearchAttributes: [
        { key: searchAttributeKeys.account, value: account },
        { key: searchAttributeKeys.runKind, value: 'backfill' },
        ...(attribute ? [{ key: attribute[1], value: String(input[attribute[0]]) }] : []),
      ],
    });
  }
}

const ATTRIBUTES = [
  ['leadId', searchAttributeKeys.leadId],
  ['captureId', searchAttributeKeys.captureId],
  ['projectId', searchAttributeKeys.projectId],
] as const;
