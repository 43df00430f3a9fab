/** Items of a batch tell nobody that they ask a person: their batch does, once for all that ask at the same time (S7). */
import { condition, sleep } from '@temporalio/workflow';
import { counted } from '../../src/text/numbers';
import { control } from '../shared/calls';
import { tellPersonNeeded } from '../shared/tell';
import type { Running, State } from './batch-state';
import type { Common } from './common';

/** Items of which it is asked one by one whether they wait for a person: their IDs stand in the history of each look. */
const MOST_NAMED = 500;
/** While some only wait and ask nobody yet, it is looked at least once in so many times that between two probes. */
const MOST_PROBES = 5;

export class Asking {
  #mayAsk = false;

  /** @param running items under way */
  constructor(
    private readonly common: Common,
    private readonly state: State,
    private readonly running: () => readonly Running[],
    private readonly say: () => void,
  ) {}

  /** An item has said that it only waits: it may be for a person, or for one later, when nobody could tell what became of its call. */
  heard(): void {
    this.#mayAsk = true;
  }

  /** Looks soon after that; other looks come ever more seldom while nothing ends, as when all that is under way waits for people. */
  async listen(): Promise<never> {
    const { holdProbeMs } = this.common.facts.timing;
    for (;;) {
      await condition(() => this.#mayAsk);
      // Lists show it a moment later; and of those that ask together people are told together.
      let wait = holdProbeMs / 6;
      do {
        this.#mayAsk = false;
        await sleep(wait);
        await this.look();
        this.say();
        wait = this.#mayAsk ? holdProbeMs : Math.min(2 * wait, MOST_PROBES * holdProbeMs);
      } while (this.#mayAsk || this.running().filter(({ away }) => away).length > this.state.asking);
    }
  }

  async look(): Promise<void> {
    const { state, common } = this;
    const underWay = this.running().map(({ workflowId }) => workflowId);
    const named = underWay.length <= MOST_NAMED && { underWay };
    const asking = underWay.length > 0 ? await control.itemsAsking({ ...named }) : 0;
    if (asking === undefined) return;
    const before = state.asking;
    state.asking = asking;
    if (before === 0 && state.asking > 0)
      tellPersonNeeded(common.input.account, 'items', ++state.told, {
        about: `${counted(state.asking, 'item')} ${state.asking === 1 ? 'waits' : 'wait'} for a person; each says on its own page what it asks`,
      });
  }
}
