/** S7: the reason that a run gives for standing still is true. */
import { goesOnAt } from '../../support/goes-on';
import type { Run } from '../engine/run';
import { Finding } from './payments';
import type { Scene } from './scene';

const MINUTE = 60_000;
/** What ends a wait is noticed by then, though workers die and messages are lost. */
const NOTICED_WITHIN_MS = 30 * MINUTE;

const WAITS = /\*\*Waiting since [^*]*\*\*: (.*)/;
const QUEUE = /Waiting for a free slot in the limit of (\w+)/;
const HOLD = /on hold since \d{4}-/;

export class Reasons {
  /** Since when each run has been seen to say what is not so. */
  readonly #untrueSince = new Map<Run, number>();

  constructor(private readonly scene: Scene) {}

  /** @param details of a run that stands still. @throws Finding */
  async mustBeTrue(run: Run, details: string): Promise<void> {
    const { now } = this.scene.world;
    const untruth = await this.#untruthOf(run, details);
    if (untruth === undefined) return void this.#untrueSince.delete(run);
    const since = this.#untrueSince.get(run) ?? now;
    this.#untrueSince.set(run, since);
    if (now - since >= NOTICED_WITHIN_MS)
      throw new Finding('S7', `${run.workflowId} stands still, and ${untruth}; it says: ${details}`);
  }

  async #untruthOf(run: Run, details: string): Promise<string | undefined> {
    const [, why = ''] = WAITS.exec(details) ?? [];
    const [, queue] = QUEUE.exec(why) ?? [];
    const isQueued = [...run.activities.values()].some((activity) => activity.queue.endsWith(`.${queue}`));
    if (queue !== undefined && !isQueued) return `has no call in the queue of the ${queue}`;
    if (HOLD.test(why) && !(await this.#isHeld())) return 'the ledger holds nothing';
    const at = goesOnAt(why);
    return at !== undefined && at < this.scene.world.now ? 'the moment is over at which it was to go on' : undefined;
  }

  async #isHeld(): Promise<boolean> {
    const state = await this.scene.ledgerState();
    return state === undefined || state.holds.length > 0;
  }
}
