/** How a command ends. */
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

/** What each code says, for `--help` and the reference. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'failed',
  badInput: 'wrong input, options or configuration; nothing was started',
  notAllDone: 'not all done: rejected, expired, stopped or unresolved, or it waits for a person',
  noServer: 'the Temporal server cannot be reached, or not be used as it is',
  interrupted: 'interrupted; what was started goes on',
};

export const EXIT_HELP = `Exit codes:
${Object.entries(EXIT)
  .map(([name, code]) => `  ${String(code).padEnd(4)} ${EXIT_MEANINGS[name as keyof typeof EXIT]}`)
  .join('\n')}`;

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
