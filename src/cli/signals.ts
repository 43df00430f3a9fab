import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
export type EndSignal = (typeof SIGNALS)[number];

/**
 * The first Ctrl-C or SIGTERM asks the command to end; a second one ends the process at once, with the code that shells
 * expect (130, 143).
 */
export class EndSignals {
  private readonly controller = new AbortController();
  /** Aborted by the first signal. */
  readonly aborted: AbortSignal = this.controller.signal;
  /** Resolves with the first signal. */
  readonly first: Promise<EndSignal>;

  constructor() {
    this.first = new Promise((resolve) => {
      for (const signal of SIGNALS)
        process.on(signal, () => {
          if (this.aborted.aborted) process.exit(128 + constants.signals[signal]);
          this.controller.abort();
          resolve(signal);
        });
    });
  }
}
