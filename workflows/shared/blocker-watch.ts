/** S7: a run whose work other runs do says what keeps those, and does not make people open one after the other. */
import { condition } from '@temporalio/workflow';
import { control, reasonOf } from './calls';
import { tell } from './tell';
import { sawClosed } from './untold';

const MAX_SILENCE_MS = 3_600_000;
/** Runs of which one look asks whether they stand still; the oldest of those under way. */
const MOST_ASKED = 50;
/** People are told of a shortage once in this time at most: it may come and go with each call under way. */
const TELL_EVERY_MS = 3_600_000;

/** The runs that are looked out for. */
export interface Others {
  /** How many have ended so far. */
  ended(): number;
  /** IDs of those under way. */
  underWay(): string[];
  /** The most that one of them is about to spend; 0: a lack of credits keeps none of them. */
  credits(): number;
}

export class BlockerWatch {
  #stands: string | undefined;
  #quiet = false;
  /** One of them that cannot go on by itself, as the last look saw it. */
  #stuck: string | undefined;
  /** What the service asked for, as the last look saw it. */
  #pause: string | undefined;
  /** Since the last look they may go on again. */
  #freed = false;
  #waiting = false;
  #told = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** @param probeMs how long it looks away at first, milliseconds */
  constructor(
    private readonly account: string,
    private readonly probeMs: number,
    private readonly others: Others,
    private readonly say: () => void,
  ) {}

  /** What keeps the others; undefined: nothing does. */
  why(): string | undefined {
    if (this.#stuck !== undefined) return `One of those under way stands still: ${this.#stuck}`;
    if (this.#stands !== undefined) return `The account is not free to go on: ${this.#stands}`;
    if (this.#quiet && this.#pause !== undefined) return `${this.#pause}. They go on by themselves.`;
    if (this.#quiet)
      return 'None of those under way has ended lately. They go on by themselves; each says in its own details why it waits, or, where its run is gone, it is said below.';
    return undefined;
  }

  /** One of the others has ended. */
  oneEnded(): void {
    this.#quiet = false;
  }

  /** Looks every now and then, ever more seldom while nothing happens: history is finite. */
  async run(before = async () => {}, after = async () => {}): Promise<never> {
    const { others, probeMs } = this;
    let ended = others.ended();
    for (let silence = probeMs; ; silence = Math.min(2 * silence, MAX_SILENCE_MS)) {
      const freed = await condition(() => this.#freed, silence);
      if (freed) this.#goesOn();
      await before();
      const idle = !freed && ended === others.ended() && others.underWay().length > 0;
      if (freed || ended !== others.ended()) silence = probeMs / 2;
      ended = others.ended();
      await this.#look(idle);
      this.#quiet = idle;
      await after();
      this.say();
    }
  }

  /** @param idle none has ended since the last look: then a lack of credits or budget may be what keeps them */
  async #look(idle: boolean): Promise<void> {
    const asked = { account: this.account, credits: this.others.credits(), holdsOnly: !idle };
    const others = idle ? this.others.underWay().slice(0, MOST_ASKED) : [];
    const found = await control.clearance({ ...asked, others });
    const { clear, why, short, pause, stuck, closed } = found;
    sawClosed(closed);
    this.#stuck = stuck;
    if (short && Date.now() - this.#toldAt >= TELL_EVERY_MS) {
      this.#toldAt = Date.now();
      void tell({ kind: 'budgetUsedUp', account: this.account, what: why ?? '', nth: ++this.#told });
    }
    this.#pause = pause;
    this.#stands = clear ? undefined : (why ?? 'on hold');
    if (!clear && !this.#waiting) {
      this.#waiting = true;
      // Its end, or that it is something else, is noticed at once, without history events; until then the looks go on, ever more seldom.
      // What is waited for is what was looked at: else it would be over at once, and be looked at again and again.
      void control.awaitClearance({ ...asked, holdsOnly: !idle && !short, ...reasonOf(found) }).then(
        () => {
          this.#waiting = false;
          this.#freed = true;
        },
        // The run itself is about to end.
        () => undefined,
      );
    }
  }

  #goesOn(): void {
    this.#freed = false;
    this.#stands = undefined;
    this.#quiet = false;
    this.#stuck = undefined;
    this.say();
  }
}
