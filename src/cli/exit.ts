/** How a command ends. The codes are documented in `--help`. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** Wrong input, wrong options or a wrong configuration: nothing was started. */
  badInput: 2,
  /** Ended, or standing still, without all done: a person is needed. */
  notAllDone: 3,
  /** It is away, refuses us, or has not what is needed. */
  noServer: 4,
  interrupted: 130,
} as const;

export const EXIT_HELP = `Exit codes:
  0    done
  1    failed
  2    wrong input, options or configuration; nothing was started
  3    not all done: rejected, expired, stopped or unresolved, or it waits for a person
  4    the Temporal server cannot be reached, or not be used as it is
  130  interrupted; what was started goes on`;

/** Ends the command with a code and a sentence for a person. */
export class Exit extends Error {
  override readonly name = 'Exit';
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}
