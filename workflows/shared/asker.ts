/** Questions to a person: asked one after the other, answered by an update, given up when the deadline passes or the run is cancelled (S7). */
import { CancellationScope, condition, defineUpdate, setHandler, workflowInfo } from '@temporalio/workflow';
import { DecideSaid, type PersonNote } from '../../src/inputs/person-messages';
import type { PersonDecision } from '../../src/paying/attempt-plan';
import { type Answer, answer, answerWith, decisions } from '../../src/runs/answers';
import { loosens } from './kept-acts';
import { givePlace } from './place';
import { type Answered, answered, checked } from './said';
import type { Status } from './status';
import { tellPersonNeeded } from './tell';

/** Whether and how long a run asks. */
export interface Asking {
  account: string;
  /** False: every question is given up at once. */
  askPerson: boolean;
  /** How long a question stays open, milliseconds. */
  personDeadline: number;
}

/** What is asked, in sentences, and what may be answered to it. */
export interface Question {
  asks: string;
  /** What may happen without an answer. */
  also?: string;
  answers: readonly Answer[];
}

/** An answer to this run. @param follows what comes of it, and what it costs */
export const ownAnswer = (update: string, means: string, follows: string, said?: Record<string, string>): Answer =>
  answer(workflowInfo().workflowId, update, { means, follows, ...(said && { said }) });

/** Why a person is asked; followed by where to look. */
export const WHY = {
  cannotTell: 'The API does not say whether it happened.',
  unknownTwice: 'Two attempts had an unknown outcome, and both turned out not to have happened.',
  paidBefore: 'It has been paid for before, and nobody has found out what it became.',
};

export const decideUpdate = defineUpdate<string, [DecideSaid]>('decide');

export class Asker {
  /** Every answer so far, with who gave it. */
  readonly answers: Answered[] = [];
  #asking = false;
  #asked = 0;
  #cancelled = false;
  #decision: PersonDecision | undefined;
  #line: Promise<unknown> = Promise.resolve();

  /** Registers the update `decide`. @param what the thing in question, such as 'the conversion' */
  constructor(
    private readonly status: Status,
    private readonly how: Asking,
    what: string,
  ) {
    CancellationScope.current().cancelRequested.catch(() => {
      this.#cancelled = true;
    });
    loosens('decide', ({ decision }: DecideSaid) => decision === 'sendAgain');
    setHandler(
      decideUpdate,
      ({ decision, ...said }) => {
        this.#decision = decision;
        this.note(decision, said);
        return `Noted: ${decision}.`;
      },
      {
        description: `Answers the question whether ${what} happened: {"decision": "itHappened" | "sendAgain" | "giveUp", "by": "…"}`,
        validator: checked(DecideSaid, 'decide', () => {
          if (!this.#asking || this.#decision) throw new Error('This run asks no question at the moment.');
        }),
      },
    );
  }

  /** Keeps what a person did, for the result. */
  note(answer: string, said: PersonNote | undefined): void {
    this.answers.push(answered(answer, said));
    this.status.heard(this.answers);
  }

  /**
   * Asks whether something happened.
   * @param credits what it costs to send it again
   * @returns `giveUp` when nobody answers in time
   */
  decide(asks: string, credits: number): Promise<PersonDecision> {
    return this.#inTurn(async () => {
      this.#asking = true;
      const question = { asks, answers: decisions(workflowInfo().workflowId, credits) };
      await this.#wait(question, () => this.#decision !== undefined);
      this.#asking = false;
      const decision = this.#decision ?? 'giveUp';
      this.#decision = undefined;
      return decision;
    });
  }

  /**
   * Waits for a person until something is as it should be.
   * @param question what to do, and by which updates
   * @returns whether it came to be in time
   */
  until(question: Question, done: () => boolean): Promise<boolean> {
    return this.#inTurn(() => this.#wait(question, done));
  }

  async #wait({ asks, also, answers }: Question, done: () => boolean): Promise<boolean> {
    const { account, askPerson, personDeadline } = this.how;
    if (!askPerson) return done();
    this.status.asksPerson([asks, answerWith(answers, personDeadline), ...(also ? [also] : [])].join(' '), answers);
    givePlace();
    tellPersonNeeded(account, this.status.stage, ++this.#asked, { about: asks, answers });
    await condition(() => this.#cancelled || done(), personDeadline);
    this.status.asksNobody();
    this.status.goesOn();
    return done();
  }

  /** One question at a time: a person sees one, and an answer belongs to it. */
  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const turn = this.#line.then(ask, ask);
    this.#line = turn.catch(() => undefined);
    return turn;
  }
}
