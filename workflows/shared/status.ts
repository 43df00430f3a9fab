/** What a run says of itself: current details for a person, search attributes for lists (S7). */

import type { SearchAttributePair } from '@temporalio/common';
import { CancellationScope, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { utc } from '../../src/policy/utc';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { runKind } from './tell';

/**
 * What lists know of a run from its input on: whose it is, what it is about, and what started it. The start form of the Web
 * UI says nothing of the last, while commands, schedules and other runs do: so it was a person.
 */
export const identity = (account: string, ...about: SearchAttributePair[]): SearchAttributePair[] => [
  { key: searchAttributeKeys.account, value: account },
  { key: searchAttributeKeys.runKind, value: runKind() ?? 'person' },
  ...about,
];

/** Credits that a run has used, for lists. What the server does not take would stop the run for good, so it is bounded. */
export const creditsSpent = (spent: number): SearchAttributePair => ({
  key: searchAttributeKeys.creditsSpent,
  value: Math.min(Math.max(0, Math.ceil(spent)) || 0, Number.MAX_SAFE_INTEGER),
});

let own: Status | undefined;

/** The status of this run, for what concerns all of its calls: a run has its modules for itself. */
export const ownStatus = (): Status | undefined => own;

export class Status {
  private doing = 'Starting';
  private since = Date.now();
  private waiting: string | undefined;
  /** What keeps all that the run does, whatever its steps say of themselves. */
  private trouble: string | undefined;
  private extra = '';
  private shownStage = '';
  private asks = false;
  private cancelled = '';

  constructor() {
    own = this;
    CancellationScope.current().cancelRequested.catch(() => {
      this.cancelled = `\n\n**Cancelled at ${utc(Date.now())} UTC**: nothing more is begun; what was sent before is found out and booked.`;
      this.show();
    });
  }

  /** A new step: one word for lists, one sentence for people; `also` goes to the lists with it. */
  step(name: string, sentence: string, ...also: SearchAttributePair[]): void {
    this.doing = sentence;
    this.since = Date.now();
    this.waiting = undefined;
    const stage = { key: searchAttributeKeys.stage, value: name };
    if (name !== this.shownStage || also.length > 0) upsertSearchAttributes([stage, ...also]);
    this.shownStage = name;
    this.show();
  }

  /** Lists show another step; what people read stays. */
  at(name: string): void {
    if (name === this.shownStage) return;
    upsertSearchAttributes([{ key: searchAttributeKeys.stage, value: name }]);
    this.shownStage = name;
  }

  /** The step that lists show. */
  get stage(): string {
    return this.shownStage;
  }

  /** It does not progress: why, and what ends it. */
  waits(why: string): void {
    if (why === this.waiting) return;
    this.waiting = why;
    this.since = Date.now();
    this.show();
  }

  goesOn(): void {
    if (this.waiting === undefined) return;
    this.waiting = undefined;
    this.show();
  }

  /** What the run needs cannot be had: why, and what ends it; undefined: it can again. */
  lacks(why: string | undefined): void {
    if (why !== undefined && this.trouble === undefined) this.since = Date.now();
    this.trouble = why;
    this.show();
  }

  /** A person must act, or no longer. */
  asksPerson(asks: boolean): void {
    if (asks !== this.asks) upsertSearchAttributes([{ key: searchAttributeKeys.needsPerson, value: asks }]);
    this.asks = asks;
  }

  /** Figures below the sentence, in Markdown. */
  figures(markdown: string): void {
    this.extra = markdown;
    this.show();
  }

  /** Why it waits, for queries and the command line. */
  now(): { doing: string; waiting?: string; since: string } {
    const waiting = this.why();
    return {
      doing: this.doing,
      ...(waiting !== undefined && { waiting }),
      since: new Date(this.since).toISOString(),
    };
  }

  /** What keeps its calls comes before what its steps wait for, but hides no question: that can be answered all the same. */
  private why(): string | undefined {
    if (this.asks && this.waiting !== undefined && this.trouble !== undefined)
      return `${this.waiting}\n\n${this.trouble}`;
    return this.trouble ?? this.waiting;
  }

  private show(): void {
    const why = this.why();
    const waiting = why === undefined ? '' : `\n\n**Waiting since ${utc(this.since)} UTC**: ${why}`;
    setCurrentDetails(`${this.doing}${waiting}${this.cancelled}${this.extra ? `\n\n${this.extra}` : ''}`);
  }
}
