/** Lines of the item ledger that are in memory only, that is: in the history; written to the storage in parts (S6). */
import { CancellationScope, patched } from '@temporalio/workflow';
import type { LedgerLine } from '../../src/batches/outcomes';
import { control } from '../shared/calls';
import type { State } from './batch-state';
import type { Common } from './common';

/** Runs from before this patch cancel a write that they do not wait for any more. */
const ONCE = 'writesPartsOnce';

/** Lines of one part. */
const PART = 200;

export class Unwritten {
  readonly #lines: LedgerLine[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly common: Pick<Common, 'folder'> & { input: Pick<Common['input'], 'account'> },
    private readonly state: Pick<State, 'parts'>,
  ) {}

  get count(): number {
    return this.#lines.length;
  }

  add(line: LedgerLine): void {
    this.#lines.push(line);
  }

  /** Writes all that is there, one part after the other. Who waits for it may be cancelled, and the writing goes on. */
  async flush(): Promise<void> {
    const writing = this.#writing.catch(() => undefined).then(() => this.#write());
    this.#writing = writing;
    const scope = CancellationScope.current();
    // A scope that is shielded hears of a cancellation all the same. In runs from before as many turns as ever pass here: they
    // decide what a run does first.
    const mayLeave = patched(ONCE) && scope.cancellable;
    await (mayLeave ? Promise.race([writing, scope.cancelRequested]) : writing);
  }

  async #write(): Promise<void> {
    while (this.#lines.length > 0) {
      // Taken away only when they are written: a cancellation in between must not lose them.
      const lines = this.#lines.slice(0, PART);
      const { folder, input } = this.common;
      const write = () => control.writeOutcomes({ folder, account: input.account, part: this.state.parts, lines });
      // One that was cancelled may arrive after the next one, which has the same number and more lines.
      await (patched(ONCE) ? CancellationScope.nonCancellable(write) : write());
      this.state.parts++;
      this.#lines.splice(0, lines.length);
    }
  }
}
