/** What a run says of itself: current details for a person, search attributes for lists (S7). */

import type { SearchAttributePair } from '@temporalio/common';
import {
  CancellationScope,
  defineQuery,
  patched,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { type Answer, howToAnswer } from '../../src/runs/answers';
import { UNDONE_OUTCOMES } from '../../src/runs/failed-outcomes';
import type { Stage } from '../../src/runs/stages';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { withRoom } from '../../src/text/details';
import { type Markdown, md, paragraphs, sentence } from '../../src/text/md';
import { utc } from '../../src/time/utc';
import { linksOf } from './links';
import { type Answered, describeActs } from './said';
import { runKind } from './tell';

/**
 * What lists know of a run from its start: whose it is, what it is about, and what started it. Commands, schedules and
 * other runs say that they started it. The Web UI's start form does not, so without a word it was a person.
 */
export const identity = (account: string, ...about: SearchAttributePair[]): SearchAttributePair[] => [
  { key: searchAttributeKeys.account, value: account },
  { key: searchAttributeKeys.runKind, value: runKind() ?? 'person' },
  ...about,
];

/** With which a conversion begins. Whoever begins it with this and with its {@link identity} spares it an action of Temporal's. */
export const BEGINS: SearchAttributePair = { key: searchAttributeKeys.stage, value: 'looking' satisfies Stage };

/** Credits that a run has used, for lists. What the server does not take would stop the run for good, so it is bounded. */
export const creditsSpent = (spent: number): SearchAttributePair => ({
  key: searchAttributeKeys.creditsSpent,
  value: Math.min(Math.max(0, Math.ceil(spent)) || 0, Number.MAX_SAFE_INTEGER),
});

/** What a run says of itself: what it is doing, and why it does not go on at the moment. */
export interface Progress {
  doing: string;
  /** Why it waits, and what ends that; absent while it goes on. */
  waiting?: string;
  /** Since when, ISO 8601. */
  since: string;
  /** What a person may answer it; absent where it asks nothing. */
  answers?: readonly Answer[];
}

/** The query that every run answers, with more where its workflow has more to tell. */
export const progressQueryOf = <P extends Progress>() => defineQuery<P>('progress');
export const progressQuery = progressQueryOf<Progress>();

let own: Status | undefined;

/** The status of this run, for what concerns all of its calls: a run has its modules for itself. */
export const ownStatus = (): Status | undefined => own;

/** Of work that goes on beside other work. */
const aside = new WeakSet<CancellationScope>();

/**
 * Does something beside other things: what it waits for is its own, and goes on being said when the others go on (S7).
 */
export async function beside<T>(work: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope();
  aside.add(scope);
  try {
    return await scope.run(work);
  } finally {
    own?.goesOn(scope);
  }
}

/** Who says that it waits: the work beside others that it belongs to, or the run itself. */
function speaker(): CancellationScope | undefined {
  let scope: CancellationScope | undefined = CancellationScope.current();
  while (scope && !aside.has(scope)) scope = scope.parent;
  return scope;
}

const withoutFigures = (sentence = ''): string => sentence.replace(/\d+/g, '');

export class Status {
  private doing = 'Starting';
  private since = Date.now();
  /** What is waited for, by whom; undefined: by the run itself. */
  private readonly waiting = new Map<CancellationScope | undefined, string>();
  /** Calls that cannot be made, and why: it may keep all that the run does, whatever its steps say of themselves. */
  private readonly troubles = new Map<object, string>();
  /** Calls without an answer so far, each with the limit in whose queue it stands. */
  private readonly calls = new Map<object, string>();
  private extra: Markdown | undefined;
  private shownStage: Stage | '' = '';
  /** What a person is to answer, and what may be answered. It stands whatever else the run looks at meanwhile. */
  private question: string | undefined;
  private askedAt = 0;
  private answersToIt: readonly Answer[] = [];
  private cancelled: Markdown | undefined;
  private title: Markdown | undefined;
  private account: string | undefined;
  private failure: Markdown | undefined;
  private acts: readonly Answered[] = [];
  /** It has ended otherwise than with a result. */
  private over = false;

  constructor() {
    own = this;
    this.answers(() => ({}), 'What this run is doing and why it waits.');
    CancellationScope.current().cancelRequested.catch(() => {
      this.cancelled = md`**Cancelled at ${utc(Date.now())} UTC**: nothing more is begun; the outcome of what was already sent is found out and booked.`;
      this.show();
    });
  }

  /** What the query `progress` tells. @param more beside what every run does */
  answers<P extends Progress = Progress>(more: () => Omit<P, keyof Progress>, description: string): void {
    setHandler(progressQuery, () => ({ ...this.now(), ...more() }), { description });
  }

  /**
   * What the run is for, and for whom: the first line of its page. The summary beside it is that of whoever started it, and the
   * Web UI's start form gives none.
   */
  about(summary: string, account: string): void {
    this.account = account;
    this.title = md`**${summary}** (account ${account})`;
    this.show();
  }

  /** A new step: one word for lists, one sentence for people; `also` goes to the lists with it. */
  step(name: Stage, sentence: string, ...also: SearchAttributePair[]): void {
    this.doing = sentence;
    this.since = Date.now();
    this.waiting.delete(speaker());
    const stage = { key: searchAttributeKeys.stage, value: name };
    if (name !== this.shownStage || also.length > 0) upsertSearchAttributes([stage, ...also]);
    this.shownStage = name;
    this.show();
  }

  /** The first step. What lists know of the run already, since whoever started it has told them, they are not told again. */
  begins(name: Stage, sentence: string, of: readonly SearchAttributePair[]): void {
    const known = workflowInfo().typedSearchAttributes.getAll();
    const isKnown = ({ key, value }: SearchAttributePair) =>
      known.some((one) => one.key.name === key.name && one.value === value);
    const areKnown = [...of, { key: searchAttributeKeys.stage, value: name }].every(isKnown);
    if (areKnown) this.shownStage = name;
    this.step(name, sentence, ...(areKnown ? [] : of));
  }

  /** The step goes on, and its sentence is another one. */
  says(sentence: string): void {
    this.doing = sentence;
    this.show();
  }

  /** Lists show another step; what people read stays. */
  at(name: Stage): void {
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
    const who = speaker();
    const before = this.waiting.get(who);
    if (why === before) return;
    this.waiting.set(who, why);
    // The same reason with other times has lasted since it was said first.
    if (withoutFigures(why) !== withoutFigures(before)) this.since = Date.now();
    this.show();
  }

  /** @param who work that has ended. @default whoever says so */
  goesOn(who = speaker()): void {
    if (this.waiting.delete(who)) this.show();
  }

  /** What a call needs cannot be had: why, and what ends it; undefined: it can again. */
  lacks(call: object, why: string | undefined): void {
    if (why === undefined) this.troubles.delete(call);
    else {
      if (this.troubles.size === 0) this.since = Date.now();
      this.troubles.set(call, why);
    }
    this.show();
  }

  /**
   * A call is asked for. It cannot say itself that it stands in a queue, and a timer would cost an action of Temporal's for
   * each call, so it is said at once, where nothing else is.
   * @param limit in whose queue it stands; undefined: it has its answer
   */
  calling(call: object, limit: string | undefined): void {
    if (limit === undefined) {
      if (this.calls.delete(call)) this.show();
      return;
    }
    const isSaid = this.why().length > 0;
    this.calls.set(call, limit);
    if (isSaid) return;
    this.since = Date.now();
    this.show();
  }

  /** A person must act: why, and how the run goes on. @param answers what the person may answer */
  asksPerson(question: string, answers: readonly Answer[]): void {
    if (this.question === undefined) this.needsPerson(true);
    if (question !== this.question) this.askedAt = Date.now();
    this.question = question;
    this.answersToIt = answers;
    this.show();
  }

  /** To the same question, as things are by now. */
  mayAnswer(answers: readonly Answer[]): void {
    this.answersToIt = answers;
    this.show();
  }

  /** No person must act, or no longer. */
  asksNobody(): void {
    if (this.question === undefined) {
      // The part of the run before this one asked, and had its answer just when it continued as new.
      if (isInLists() && patched('asksNobodyAfterRenewal')) this.needsPerson(false);
      return;
    }
    this.needsPerson(false);
    this.question = undefined;
    this.answersToIt = [];
    this.show();
  }

  private needsPerson(value: boolean): void {
    upsertSearchAttributes([{ key: searchAttributeKeys.needsPerson, value }]);
  }

  /** What people did so far: the last of it stands on the page. */
  heard(acts: readonly Answered[]): void {
    this.acts = acts;
    this.show();
  }

  /** Of one of these it is known by now who it was. */
  heardWho(): void {
    this.show();
  }

  /** Figures below the sentence; none: there are none any more. */
  figures(figures?: Markdown): void {
    this.extra = figures;
    this.show();
  }

  /** The run ends as cancelled. */
  endedCancelled(): void {
    this.cancelled = md`**Cancelled, and ended at ${utc(Date.now())} UTC**: nothing more was begun, and what had been sent is booked.`;
    this.over = true;
    this.waiting.clear();
    this.troubles.clear();
    this.calls.clear();
    this.show();
  }

  /** The run ends with this failure. */
  failed(why: string): void {
    this.over = true;
    this.failure = md`**Failed at ${utc(Date.now())} UTC**: ${sentence(why)}`;
    // It has not begun: the input was wrong.
    if (this.shownStage === '') this.doing = '';
    this.waiting.clear();
    this.troubles.clear();
    this.calls.clear();
    this.show();
  }

  private now(): Progress {
    const waiting = this.why().join('\n\n');
    return {
      doing: this.doing,
      ...(waiting !== '' && { waiting }),
      since: new Date(this.waitsSince).toISOString(),
      ...(this.answersToIt.length > 0 && { answers: this.answersToIt }),
    };
  }

  /** What keeps its calls comes before what its steps wait for, but hides no question: that can be answered all the same. */
  private why(): string[] {
    const [trouble] = this.troubles.values();
    const question = this.over ? undefined : this.question;
    const [first] = this.waiting.values();
    const one = question ?? trouble ?? this.waiting.get(undefined) ?? first ?? this.queue();
    return [...(one === undefined ? [] : [one]), ...(question !== undefined && trouble !== undefined ? [trouble] : [])];
  }

  private get waitsSince(): number {
    return this.question === undefined || this.over ? this.since : this.askedAt;
  }

  private queue(): string | undefined {
    const [limit] = this.calls.values();
    return (
      limit && `Waiting for a free slot in the limit of ${limit}, or for the service's reply; it goes on by itself.`
    );
  }

  private show(): void {
    const [why, also] = this.why();
    const isOver = this.over || ENDS.includes(this.shownStage);
    const page = paragraphs([
      this.title,
      sentence(this.doing),
      why === undefined ? undefined : md`**Waiting since ${utc(this.waitsSince)} UTC**: ${sentence(why)}`,
      howToAnswer(this.answersToIt),
      also === undefined ? undefined : sentence(also),
      this.cancelled,
      this.failure,
      this.extra,
      describeActs(this.acts),
      linksOf(this.account, isOver),
    ]);
    setCurrentDetails(withRoom(page));
  }
}

/** Whether lists show that the run needs a person. */
const isInLists = (): boolean => workflowInfo().typedSearchAttributes.get(searchAttributeKeys.needsPerson) === true;

/** Ways to end after which the same input may be started again, or started at last. */
const ENDS: readonly string[] = [...UNDONE_OUTCOMES, 'planned'];
