/** `audit-runner deploy …`: names, options and help; what they do is in `deploy/`. */
import { type Command, InvalidArgumentError } from 'commander';
import { EXIT_HELP } from './exit';
import { perform } from './perform';

const HELP = `
Before the workers of another version take over, each open run is replayed here with the workflows of the version that this
command belongs to. Nothing is changed. Run it with the encryption keys of the workers.

${EXIT_HELP}`;

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('not a whole number from 1 on');
  return value;
}

export function addDeploy(program: Command): void {
  const deploy = program.command('deploy').description('before a version is changed').addHelpText('after', HELP);
  deploy
    .command('check')
    .description('which open runs this version could not go on with: each is replayed, and nothing is changed')
    .option(
      '--sample <n>',
      'replay so many runs at most: all ledgers and batches, and of the other types equally many (default: all)',
      positive,
    )
    .option('--json', 'print JSON')
    .action((_, command: Command) =>
      perform(command, async () => (await import('./deploy/check.js')).deployCheckCommand(command.optsWithGlobals())),
    );
}
