/** S7: a run whose work other runs do says what keeps those, and does not make people open one after the other. */
import { sleep } from '@temporalio/workflow';
import { untilClear } from './calls';

const MAX_SILENCE_MS = 3_600_000;

/** The runs that are looked out for. */
export interface Others {
  /** How many have ended so far. */
  ended(): number;
  underWay(): number;
  /** The most that one of them is about to spend; 0: a lack of credits keeps none of them. */
  credits(): number;
}

export class Lookout {
  #hold: string | undefined;
  #quiet = false;

  /** @param probeMs how long it looks away at first, milliseconds */
  constructor(
    private readonly account: string,
    private readonly probeMs: number,
    private readonly others: Others,
    private readonly say: () => void,
  ) {}

  /** What keeps the others; undefined: nothing does. */
  why(): string | undefined {
    if (this.#hold !== undefined) return `The account is not free to go on: ${this.#hold}`;
    if (this.#quiet)
      return 'None of those under way has ended lately. They go on by themselves; each says in its own details why it waits.';
    return undefined;
  }

  /** One of the others has ended. */
  oneEnded(): void {
    this.#quiet = false;
  }

  /** Looks every now and then, ever more seldom while nothing happens: history is finite. */
  async keep(before = async () => {}, after = async () => {}): Promise<never> {
    const { others, probeMs } = this;
    let ended = -1;
    for (let silence = probeMs; ; silence = Math.min(2 * silence, MAX_SILENCE_MS)) {
      await sleep(silence);
      await before();
      if (ended !== others.ended() || (await this.#waitOutHold())) silence = probeMs / 2;
      this.#quiet = ended === others.ended() && others.underWay() > 0;
      ended = others.ended();
      await after();
      this.say();
    }
  }

  /** @returns whether there was a hold */
  async #waitOutHold(): Promise<boolean> {
    const asked = { account: this.account, credits: this.others.credits(), holdsOnly: true };
    const kept = await untilClear(asked, (why) => {
      this.#hold = why;
      this.say();
    });
    this.#hold = undefined;
    return kept;
  }
}
