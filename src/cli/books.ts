/** `audit-runner books …`: names, options and help; what they do is in `books/`. */
import { type Command, Option } from 'commander';
import { EXIT_HELP } from './exit';
import { perform } from './perform';
import { count, LIMIT_HELP, limit, SINCE_HELP, SUMMED_BY, SUMMED_BY_HELP } from './summed-by';

const HELP = `
The books are an append-only journal in the storage, one for each user of the service. Each payment has an entry before it
leaves and one that says what became of it; each entry has the hash of the one before. They are read without a Temporal
server, a worker or a token; only verify --with-ledger asks one.

${EXIT_HELP}`;

export function addBooks(program: Command): void {
  const books = program
    .command('books')
    .description('what was paid, and what people said, by the journal in the storage')
    .addHelpText('after', HELP);
  const reading = (name: string, description: string) =>
    books
      .command(name)
      .description(description)
      .option('--user <key>', "only this user's: what follows `account-ledger.` in the ID of the ledger")
      .option('--time-zone <zone>', 'in which days and months begin', 'UTC');

  const inPeriod = (command: Command) =>
    command
      .option('--since <time>', `${SINCE_HELP} (default: the beginning)`)
      .option('--until <time>', 'up to when, in the same way (default: the end)');

  reading('verify', 'read all entries, and say whether one is missing or was changed')
    .option('--with-ledger', 'compare the last ones with what the ledger knows, through a worker')
    .option('--json', 'print JSON')
    .action((_, command: Command) =>
      perform(command, async () => (await import('./books/verify.js')).verifyBooksCommand(command.optsWithGlobals())),
    );
  reading('restore', 'find entries that are missing or were changed, and write them as they were, from their copies')
    .option('--give-up-lost', 'go on without those that have no copy: what they said stays unknown')
    .option('--json', 'print JSON')
    .action((_, command: Command) =>
      perform(command, async () => (await import('./books/restore.js')).restoreBooksCommand(command.optsWithGlobals())),
    );
  inPeriod(reading('show', 'credits booked in the whole time that the books cover, or in a part of it'))
    .addOption(new Option('--by <what>', SUMMED_BY_HELP).choices(SUMMED_BY).default('day'))
    .option('--limit <n>', LIMIT_HELP, limit)
    .option('--json', 'print JSON')
    .action((_, command: Command) =>
      perform(command, async () => (await import('./books/show.js')).showBooksCommand(command.optsWithGlobals())),
    );
  inPeriod(
    reading('acts', 'what people said to runs (approvals, budgets, holds, answers), who, and who began runs that paid'),
  )
    .option('--limit <n>', 'at most so many, the last ones', limit, 50)
    .option('--before <entry>', 'only those that stand before this entry', count)
    .option('--json', 'print JSON')
    .action((_, command: Command) =>
      perform(command, async () => (await import('./books/acts.js')).listActsCommand(command.optsWithGlobals())),
    );
  inPeriod(reading('export', 'every entry as one line'))
    .addOption(new Option('--format <format>', 'JSON is as it is stored').choices(['csv', 'json']).default('csv'))
    .action((_, command: Command) =>
      perform(command, async () => (await import('./books/export.js')).exportBooksCommand(command.optsWithGlobals())),
    );
}
