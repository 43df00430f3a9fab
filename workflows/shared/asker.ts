/** Questions to a person: asked one after the other, answered by an update, given up when the deadline passes or the run is cancelled (S7). */
import { CancellationScope, condition, defineUpdate, setHandler } from '@temporalio/workflow';
import { DecideSaid, type PersonNote } from '../../src/inputs/person-messages';
import type { PersonDecision } from '../../src/paying/attempt-plan';
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

  /** Asks whether something happened. @returns `giveUp` when nobody answers in time */
  decide(question: string): Promise<PersonDecision> {
    return this.#inTurn(async () => {
      this.#asking = true;
      await this.#wait(`${question} Answer with the update \`decide\`.`, () => this.#decision !== undefined);
      this.#asking = false;
      const decision = this.#decision ?? 'giveUp';
      this.#decision = undefined;
      return decision;
    });
  }

  /**
   * Waits for a person until something is as it should be.
   * @param question what to do, and by which update
   * @returns whether it came to be in time
   */
  until(question: string, done: () => boolean): Promise<boolean> {
    return this.#inTurn(() => this.#wait(question, done));
  }

  async #wait(question: string, done: () => boolean): Promise<boolean> {
    if (!this.how.askPerson) return done();
    this.status.asksPerson(true);
    givePlace();
    tellPersonNeeded(this.how.account, this.status.stage, ++this.#asked);
    this.status.waits(question);
    await condition(() => this.#cancelled || done(), this.how.personDeadline);
    this.status.asksPerson(false);
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
