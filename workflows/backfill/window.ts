/** The items under way: a child run each, or a run of somebody else's that is followed (S6). */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  condition,
  ParentClosePolicy,
  patched,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { ClosedRun } from '../../activities/backfill';
import type { Item } from '../../src/batches/items';
import { doneBefore, type Ended, endedBy } from '../../src/batches/outcomes';
import type { Operation } from '../../src/inputs/backfill';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { md } from '../../src/text/md';
import { Begun, untilEnded } from '../shared/begun';
import { control, fairnessKey } from '../shared/calls';
import { linkTo } from '../shared/links';
import { knowsOwnChildren, type OwnChild, ownChild } from '../shared/own-child';
import { BEGINS, beside } from '../shared/status';
import { nextTry, type Running } from './batch-state';
import type { Common } from './common';
import { afterLostRun } from './lost';

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
  readonly #begun = new Begun();
  /** Items whose runs are children of this very run, which tell it when they end. */
  readonly #children = new Set<number>();

  constructor(
    private readonly common: Common,
    private readonly onEnd: (item: Running, ended: Ended) => void,
    /** The run of an item is gone. */
    private readonly onLoss: () => void,
    private readonly isPaused: () => boolean,
  ) {}

  /** Begins an item. */
  begin(item: Item, retry: boolean): void {
    const { n, line, id, workflowId, input } = item;
    const { price, spent } = nextTry(item, this.common);
    const paid = spent > 0 && { spent };
    const running: Running = { n, line, id, workflowId, price, at: Date.now(), theirs: false, retry, ...paid };
    this.running.set(n, running);
    this.#shielded(() => this.#lane(running, this.#perform(running, input)));
  }

  /** Goes on with what was under way when the backfill continued as new: no child of this run, so it is asked for. */
  takeOver(items: readonly Running[]): void {
    for (const running of items) {
      const { n, workflowId, runId, theirs } = running;
      this.running.set(n, running);
      if (!theirs && runId) this.#begun.add(workflowId, runId);
    }
    this.#follow(items);
  }

  /** Calls off what has sent nothing, and waits a little for what has: see {@link Begun}. */
  async withdraw(now: boolean): Promise<void> {
    const { facts } = this.common;
    // Those that are no children of this run are asked for ever more seldom: anew, soon again.
    const isFollowed = ({ n, runId, theirs }: Running) => runId !== undefined && !theirs && !this.#children.has(n);
    const followed = [...this.running.values()].filter(isFollowed);
    await this.#begun.withdraw();
    this.#follow(followed);
    await untilEnded(facts, () => this.running.size === 0 && this.starting === 0, now);
  }

  /** Follows nothing any more. @returns what was under way */
  leave(): Running[] {
    const left = [...this.running.values()];
    this.running.clear();
    return left;
  }

  #follow(items: readonly Running[]): void {
    for (let i = 0; i < items.length; i += FOLLOWED_TOGETHER)
      this.#shielded(() => this.#followAll(items.slice(i, i + FOLLOWED_TOGETHER)));
  }

  /** From a cancellation: a child is confirmed before it is told, and what it says is heard (S6). */
  #shielded(work: () => Promise<void>): void {
    CancellationScope.nonCancellable(() => beside(work)).catch((error) => {
      this.broken ??= error;
    });
  }

  async #lane(running: Running, ending: Promise<Ended>): Promise<void> {
    const ended = await ending;
    // One that was left has its last word already.
    if (!this.running.delete(running.n)) return;
    this.#begun.delete(running.workflowId);
    this.#children.delete(running.n);
    this.onEnd(running, ended);
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
        if (run) this.#shielded(() => this.#lane(running, this.#afterRun(running, run)));
      }
      left = left.filter(({ workflowId }) => !byId.has(workflowId));
    }
  }

  /** What a followed run means for its item. */
  async #afterRun(running: Running, { ended, status }: ClosedRun): Promise<Ended> {
    if (running.theirs)
      return doneBefore(ended, running.own) ?? this.#perform(running, await this.#inputOf(running), true);
    if (ended) return ended;
    this.#lose(running);
    return afterLostRun(this.common, running, await this.#inputOf(running), status);
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
    // A person may have paused the batch while the other run had it.
    if (again && this.isPaused() && patched('staysPaused'))
      await condition(() => !this.isPaused() || this.#begun.withdrawing);
    if (again && this.#begun.withdrawing) return { outcome: 'skipped', reason: 'inAnotherRun', credits: 0 };
    this.starting++;
    let own: OwnChild<unknown> | undefined;
    const child = await this.#start(running, input, again)
      .catch((error) => {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        // In as many turns of the event loop as before the patch: they decide what a run does first, and so what it replays.
        if (!knowsOwnChildren()) return undefined;
        return ownChild(running.workflowId).then((found) => {
          own = found;
          // One that has ended may have failed: then the item is done again.
          return found?.isRunning ? found : undefined;
        });
      })
      .finally(() => {
        this.starting--;
      });
    if (!child) {
      // For the next run, too, where this one continues as new before it has the answer.
      const known = { theirs: true, own: own !== undefined, runId: own?.firstExecutionRunId };
      Object.assign(running, known satisfies Partial<Running>);
      const { workflowId, runId } = running;
      const [closed] = await control.awaitItems({ operation, runs: [{ workflowId, runId }] });
      const done = doneBefore(closed?.ended, running.own);
      if (done) return done;
      if (!again) return this.#perform(running, input, true);
      return { outcome: 'skipped', reason: 'inAnotherRun', ...closed?.ended, credits: 0 };
    }
    running.theirs = false;
    running.away = false;
    running.runId = child.firstExecutionRunId;
    if (!own) this.#children.add(running.n);
    this.#begun.add(running.workflowId, child.firstExecutionRunId);
    try {
      return endedBy(operation, await child.result());
    } catch (error) {
      if (!(error instanceof ChildWorkflowFailure)) throw error;
      this.#lose(running);
      const { cause } = error;
      const reason = (cause instanceof ApplicationFailure ? cause.type : cause?.name) ?? 'runEnded';
      return afterLostRun(this.common, running, input, reason);
    }
  }

  #lose(running: Running): void {
    Object.assign(running, { lost: true, away: true } satisfies Partial<Running>);
    this.onLoss();
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
      staticSummary: md`${operation} ${id}`.source,
      staticDetails: md`Started by the batch ${linkTo(workflowInfo().workflowId)}.`.source,
      typedSearchAttributes: [
        { key: searchAttributeKeys.account, value: account },
        { key: searchAttributeKeys.runKind, value: 'backfill' },
        ...(attribute ? [{ key: attribute[1], value: String(input[attribute[0]]) }] : []),
        ...(operation === 'convertLead' ? [BEGINS] : []),
      ],
    });
  }
}

const ATTRIBUTES = [
  ['leadId', searchAttributeKeys.leadId],
  ['captureId', searchAttributeKeys.captureId],
  ['projectId', searchAttributeKeys.projectId],
] as const;
