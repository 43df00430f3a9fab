/** `npm run example -- <name>`: runs one of the examples against the sandbox. Exit code 0 only when all it shows was seen. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from '../src/cli/exit';
import { print, tell } from '../src/cli/output';
import { EndSignals } from '../src/cli/signals';
import { EXAMPLES } from '.';
import { onStand } from './stand';

/** Of the play alone: getting a Temporal server may take minutes, once. */
const MOST_MS = 180_000;

async function main([name = '']: readonly string[]): Promise<number> {
  const example = Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name] : undefined;
  if (!example) {
    tell(
      `Which example? One of:\n${Object.keys(EXAMPLES)
        .map((one) => `  npm run example -- ${one}`)
        .join('\n')}`,
    );
    return EXIT.badInput;
  }
  const signals = new EndSignals();
  const ends = async (): Promise<never> => {
    await sleep(MOST_MS, undefined, { ref: false, signal: signals.aborted });
    throw new Error(`it has not ended within ${MOST_MS / 1_000} s`);
  };
  try {
    await onStand(name, { ...example, play: (stand) => Promise.race([example.play(stand), ends()]) });
    print(`\nThe example ${name} has run, and everything that it started has ended.`);
    return EXIT.done;
  } catch (error) {
    if (signals.aborted.aborted) return EXIT.interrupted;
    tell(`\nThe example ${name} has failed: ${error instanceof Error ? error.message : String(error)}`);
    return EXIT.failed;
  }
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
