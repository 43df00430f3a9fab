/** Runs a command and ends the process with its exit code; a failure becomes a sentence. */
import { ConfigError } from '../config';
import { InputError } from '../policy/input';
import { EXIT, Exit } from './exit';
import { tell } from './output';

/** By name: the classes come with the whole SDK, which `--help` need not load. */
const NO_SERVER = ['TemporalUnreachable', 'NoTemporalServer'];

export async function perform(command: () => Promise<number>): Promise<void> {
  const code = await command().catch(failure);
  // The native part of the SDK keeps a process alive; what matters has been awaited by the command, but for the output.
  process.stdout.write('', () => process.exit(code));
}

function failure(error: unknown): number {
  if (error instanceof Exit) {
    tell(error.message);
    return error.code;
  }
  if (error instanceof ConfigError) {
    tell(error.message);
    return EXIT.badInput;
  }
  if (error instanceof InputError) {
    tell(error.problems.join('\n'));
    return EXIT.badInput;
  }
  if (error instanceof Error && NO_SERVER.includes(error.name)) {
    tell(error.message);
    return EXIT.noServer;
  }
  tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failed;
}
