/** What a run says of itself: current details for a person, search attributes for lists (S7). */
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';

const utc = (ms: number) => new Date(ms).toISOString().replace('T', ' ').slice(0, 19);

export class Status {
  private doing = 'Starting';
  private since = Date.now();
  private waiting: string | undefined;
  private extra = '';
  private shownStage = '';
  private asks = false;

  /** A new step: one word for lists, one sentence for people. */
  step(name: string, sentence: string): void {
    this.doing = sentence;
    this.since = Date.now();
    this.waiting = undefined;
    if (name !== this.shownStage) upsertSearchAttributes([{ key: searchAttributeKeys.stage, value: name }]);
    this.shownStage = name;
    this.show();
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
    return {
      doing: this.doing,
      ...(this.waiting !== undefined && { waiting: this.waiting }),
      since: new Date(this.since).toISOString(),
    };
  }

  private show(): void {
    const waiting = this.waiting === undefined ? '' : `\n\n**Waiting since ${utc(this.since)} UTC**: ${this.waiting}`;
    setCurrentDetails(`${this.doing}${waiting}${this.extra ? `\n\n${this.extra}` : ''}`);
  }
}
