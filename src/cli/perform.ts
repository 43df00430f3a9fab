/** Runs a command and ends the process with its exit code; a failure becomes a sentence. */
import type { Command } from 'commander';
import { redactSecrets } from '../redact';
import { EXIT } from './exit';
import { tell, whenWritten } from './output';
import { sentenceOf } from './sentence';

let verbose = false;

/** @param command gives the global option `--verbose` */
export async function perform(command: Command, work: () => Promise<number>): Promise<void> {
  verbose = command.optsWithGlobals().verbose === true;
  end(await work().catch(failure));
}

/** What nobody awaited fails like anything else. */
export function endOnUncaught(): void {
  process.on('uncaughtException', (error) => end(failure(error)));
}

function end(code: number): void {
  // The native part of the SDK keeps a process alive; what matters has been awaited by the command, but for the output.
  whenWritten((error) => process.exit(code === EXIT.done && error !== undefined ? failure(error) : code));
}

function failure(error: unknown): number {
  const { code, sentence, whole } = sentenceOf(error);
  const hidden = whole || verbose ? '' : ' (--verbose shows the rest)';
  tell(redactSecrets(`${sentence}${hidden}${verbose ? `\n${rest(error)}` : ''}`, process.env));
  return code;
}

/** Stacks, down to the first cause. Nothing else of an error: its other fields may hold what was sent (S4). */
function rest(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by: ${rest(error.cause)}`;
}
