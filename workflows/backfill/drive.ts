/** Works off the lists, a window of items at a time, until all have ended, a person stops it, or it continues as new. */

import {
  CancellationScope,
  condition,
  isCancellation,
  patched,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Item } from '../../src/batches/items';
import { type Ended, stopsAll, thisTry } from '../../src/batches/outcomes';
import type { BackfillPlan } from '../../src/batches/plan';
import { answerWith } from '../../src/runs/answers';
import { mindsLostRuns } from '../paying/lost-lead';
import { type GoesOn, goesOn } from '../shared/begun';
import { BlockerWatch } from '../shared/blocker-watch';
import { streaming } from '../shared/calls';
import { allHandled } from '../shared/kept-acts';
import { hearPlaces, taken } from '../shared/place';
import { creditsSpent } from '../shared/status';
import { tellPersonNeeded } from '../shared/tell';
import { Asking } from './asking';
import type { Controls } from './batch-controls';
import { describe, progressOf } from './batch-details';
import { againIn, endedIn, nextTry, type Running, type State, sample, sampleAnew, type WorkList } from './batch-state';
import type { Common } from './common';
import { Feed } from './feed';
import { afterRefusal, refusedBy } from './refusal';
import { Unwritten } from './unwritten';
import { Window } from './window';

/** About seven events for each item, eleven where it is another run's. */
const RENEW_AFTER = 600;
const MAX_EVENTS = 3_800;
const MAX_HISTORY_BYTES = 5_000_000;
/** Lines of the item ledger that wait for more before they are written. */
const MOST_UNWRITTEN = 100;

/** Of a long batch it takes minutes. */
const LISTS = 'The failed items are listed from the item ledger; then it goes on by itself.';

/** What the loop may do next. `ms`: how long it waits at most. */
type Next = { may: 'begin'; list: WorkList } | { may: 'wait'; ms?: number } | { may: 'end' };

export class Drive {
  readonly window: Window;
  readonly #unwritten: Unwritten;
  readonly #feed: Feed;
  readonly #blockers: BlockerWatch;
  readonly #asking: Asking;
  /** Runs from before this patch listen before they take over, and lose what is said until then. */
  readonly #hearsTooEarly: boolean;
  #begun = 0;
  #shownCredits = -1;
  #stands = false;
  /** The failed items are being listed. */
  #lists = false;

  constructor(
    private readonly common: Common,
    private readonly controls: Controls,
    readonly state: State,
    private readonly plan: () => BackfillPlan,
    private readonly renewAfter = RENEW_AFTER,
  ) {
    this.#unwritten = new Unwritten(common, state);
    this.#feed = new Feed(common.folder);
    const isPaused = () => controls.state.paused !== undefined;
    this.window = new Window(
      common,
      (item, ended) => this.#ended(item, ended),
      () => {
        // Its place is another's.
        if (mindsLostRuns()) controls.version++;
        this.show();
      },
      isPaused,
    );
    const underWay = () => [...this.window.running.values()];
    this.#asking = new Asking(common, state, underWay, () => this.#say());
    this.#blockers = new BlockerWatch(
      common.input.account,
      common.facts.timing.holdProbeMs,
      {
        ended: () => endedIn(state),
        underWay: () => underWay().map(({ workflowId }) => workflowId),
        credits: () => Math.max(0, ...underWay().map(({ price }) => price)),
      },
      () => this.#say(),
    );
    this.#hearsTooEarly = state.running.length > 0 && !patched('hearsOnceTakenOver');
    if (this.#hearsTooEarly) this.#hear();
    controls.failed = () => state.counts.failed - againIn(state, this.window.running.values());
  }

  /** @returns whether the backfill is to continue as new */
  async run(): Promise<'over' | 'renew'> {
    this.window.takeOver(this.state.running);
    // What was said between two parts of the backfill is heard at once, so whom it concerns has to be known before.
    if (!this.#hearsTooEarly) this.#hear();
    const house = new CancellationScope();
    const unlessCancelled = (error: unknown) => {
      if (!isCancellation(error)) this.window.broken ??= error;
    };
    const kept = house.run(() => this.#keepHouse()).catch(unlessCancelled);
    // Nobody waits for its end, as in runs from before: in how many turns this one ends decides what it does first.
    void house.run(() => this.#asking.listen()).catch(unlessCancelled);
    try {
      return await this.#loop();
    } finally {
      house.cancel();
      await kept;
    }
  }

  /** Writes what is in memory only. Nothing may end or continue as new before. */
  async flush(): Promise<void> {
    await this.#unwritten.flush();
    this.#showCredits();
  }

  /** Everything for the next run, once nothing is half done: no child unconfirmed, no line unwritten. */
  async carry(): Promise<State> {
    do {
      await condition(() => this.window.starting === 0 && allHandled());
      await this.flush();
    } while (this.window.starting > 0 || this.#unwritten.count > 0 || !allHandled());
    return { ...this.state, running: [...this.window.running.values()] };
  }

  /** Calls off what has sent nothing. @returns what goes on by itself; everything has its last word then */
  async withdraw(now: boolean): Promise<GoesOn> {
    this.show();
    await this.window.withdraw(now);
    const left = this.window.leave();
    for (const item of left) {
      const reason = item.lost ? 'notSettled' : 'itsRunGoesOn';
      if (item.theirs) this.#ended(item, { outcome: 'skipped', reason: 'inAnotherRun', credits: 0 });
      else this.#ended(item, { outcome: 'waiting', reason, credits: 0 });
    }
    const ours = left.filter(({ theirs, lost }) => !theirs && !lost);
    return goesOn(
      ours.map(({ workflowId }) => workflowId),
      ours.reduce((sum, { price }) => sum + price, 0),
    );
  }

  show(): void {
    const { state, controls, window, common, plan } = this;
    const { running } = window;
    common.status.figures(describe(progressOf(state, controls, running), running, plan(), this.#stands));
  }

  #hear(): void {
    hearPlaces(
      (id) => [...this.window.running.values()].find(({ workflowId }) => workflowId === id),
      ({ away }) => {
        this.controls.version++;
        if (away && patched('hearsWhoAsks')) this.#asking.heard();
      },
    );
  }

  async #loop(): Promise<'over' | 'renew'> {
    const { controls, window, state } = this;
    for (;;) {
      if (window.broken !== undefined) throw window.broken;
      if (this.#renewalDue()) return 'renew';
      if (this.#unwritten.count >= MOST_UNWRITTEN) await this.flush();
      if (controls.state.retry) await this.#queueFailed();
      const { version } = controls;
      const next = this.#next();
      this.#say();
      if (next.may === 'end') {
        if (!this.#listsAnew()) return 'over';
        continue;
      }
      if (next.may === 'begin') {
        const item = await this.#feed.take(next.list);
        // While it was read, a person may have paused.
        if (item && this.#next().may === 'begin') this.#begin(next.list, item);
        continue;
      }
      const wake = () => controls.version !== version || window.broken !== undefined || this.#renewalDue();
      if (next.ms !== undefined) await condition(wake, next.ms);
      else await condition(wake);
      sample(state);
    }
  }

  #next(): Next {
    const { window, state } = this;
    const { limits, paused, retry } = this.controls.state;
    const idle = window.running.size === 0;
    const open = state.lists.filter((one) => one.next < this.#endOf(one));
    if (open.length === 0) return idle && !paused && !retry ? { may: 'end' } : { may: 'wait' };
    if (paused || taken(window.running.values(), limits.window) >= limits.window) return { may: 'wait' };
    const list = this.#affordable(open);
    // What is under way may turn out to cost nothing.
    if (!list) return idle ? { may: 'end' } : { may: 'wait' };
    const ms = limits.itemsPerMinute === null ? 0 : this.#untilNext(60_000 / limits.itemsPerMinute);
    return ms > 0 ? { may: 'wait', ms } : { may: 'begin', list };
  }

  /** Until the pace lets the next item begin, milliseconds. @param betweenMs from one to the next */
  #untilNext(betweenMs: number): number {
    const { state } = this;
    const soonest = Date.now() + betweenMs;
    // A slower pace, which somebody has changed since, set it: by this one it is sooner. No moment is exact to the fraction.
    if (state.nextAt > soonest + 1 && patched('changesPaceAtOnce')) state.nextAt = soonest;
    return state.nextAt - Date.now();
  }

  /** The first list whose next item the budget allows: one that costs nothing is not kept by one that costs too much. */
  #affordable([first, ...others]: WorkList[]): WorkList | undefined {
    const { state, window } = this;
    const reserved = [...window.running.values()].reduce((sum, { price }) => sum + price, 0);
    const left = this.controls.state.limits.maxCredits - state.credits - reserved;
    const isAffordable = (list: WorkList) => {
      const price = this.#nextPrice(list);
      return price === 0 || price <= left;
    };
    if (!first || isAffordable(first)) return first;
    if (others.length === 0 || !patched('passesUnaffordable')) return undefined;
    this.#feed.keepAll();
    return others.find(isAffordable);
  }

  /** Where it would end while a retry was asked for: what the budget keeps in lists of before is listed with the others. */
  #listsAnew(): boolean {
    if (!this.controls.state.retry || !patched('passesUnaffordable')) return false;
    for (const list of this.state.lists) if (list.name !== 'items') list.next = list.size;
    return true;
  }

  #endOf({ name, size }: WorkList): number {
    const { maxItems } = this.controls.state.limits;
    return name === 'items' && maxItems !== null ? Math.min(size, maxItems) : size;
  }

  #nextPrice(list: WorkList): number {
    const item = this.#feed.peek(list);
    return item ? nextTry(item, this.common).price : 0;
  }

  #begin(list: WorkList, item: Item): void {
    const { state, controls, window } = this;
    const { itemsPerMinute } = controls.state.limits;
    list.next++;
    this.#begun++;
    if (itemsPerMinute !== null) state.nextAt = Math.max(Date.now(), state.nextAt) + 60_000 / itemsPerMinute;
    window.begin(item, list.name !== 'items');
  }

  #ended({ n, line, id, workflowId, retry, spent, at: begunAt }: Running, how: Ended): void {
    const { state, controls } = this;
    const ended = thisTry(how, spent);
    if (retry) state.counts.failed--;
    state.counts[ended.outcome]++;
    this.#blockers.oneEnded();
    state.credits += ended.credits;
    const at = new Date().toISOString();
    this.#unwritten.add({ n, ...(line !== undefined && { line }), id, ...ended, run: workflowId, at });
    if (stopsAll(ended) && !controls.state.paused) {
      // Begun before a person mended it: it is tried again like the others, and nobody is asked a second time.
      if (begunAt < (controls.state.resumedAt ?? 0)) controls.state.retry = true;
      else {
        controls.pause({ by: 'the backfill', refusal: ended.reason ?? ended.outcome });
        tellPersonNeeded(this.common.input.account, 'refused', ++state.told, {
          about: refusedBy(ended.reason ?? ended.outcome),
          answers: afterRefusal(),
        });
      }
    }
    controls.version++;
  }

  /** Only when the last list of them is worked off, so that none is there twice. */
  async #queueFailed(): Promise<void> {
    const { state, controls, common } = this;
    if (againIn(this.state, this.window.running.values()) > 0) return;
    // First of all: one that fails while the list is made asks for another list.
    controls.state.retry = false;
    await this.flush();
    const name = `retry-${state.lists.length}`;
    const { folder, operation, input } = common;
    const { account, defaults } = input;
    const making = { folder, operation, account, defaults, list: name, parts: state.parts };
    this.#lists = true;
    // Not all that is said: whether a person is asked goes to the lists after this call, in runs of before as well.
    if (!controls.state.paused) common.status.waits(LISTS);
    const made = streaming('List the failed items');
    const size = await made.itemsToRetry({ ...making, size: state.lists[0]?.size ?? 0 });
    this.#lists = false;
    if (size > 0) state.lists.push({ name, size, next: 0 });
  }

  /** S7: why nothing is begun, and what ends it. */
  #say(): void {
    const { status } = this.common;
    const { paused } = this.controls.state;
    const why = this.#blockers.why();
    const refusal = paused?.refusal;
    if (refusal === undefined) status.asksNobody();
    else status.asksPerson(`${refusedBy(refusal)} ${answerWith(afterRefusal())}`, afterRefusal());
    if (paused && refusal === undefined)
      status.waits(
        `Paused by ${paused.by}${paused.reason ? ` (${paused.reason})` : ''}. The update \`resume\` lets it go on.`,
      );
    else if (this.#lists) status.waits(LISTS);
    else if (why !== undefined) status.waits(why);
    else status.goesOn();
    const stood = this.#stands;
    this.#stands = paused !== undefined || why !== undefined;
    if (stood && !this.#stands) sampleAnew(this.state);
    this.show();
  }

  async #keepHouse(): Promise<never> {
    return this.#blockers.run(
      async () => {
        sample(this.state);
        if (this.#unwritten.count > 0) await this.flush();
      },
      () => this.#asking.look(),
    );
  }

  #showCredits(): void {
    const { credits } = this.state;
    if (credits === this.#shownCredits) return;
    this.#shownCredits = credits;
    upsertSearchAttributes([creditsSpent(credits)]);
  }

  #renewalDue(): boolean {
    const { continueAsNewSuggested, historyLength, historySize } = workflowInfo();
    return (
      this.#begun >= this.renewAfter ||
      continueAsNewSuggested ||
      historyLength > MAX_EVENTS ||
      historySize > MAX_HISTORY_BYTES
    );
  }
}
