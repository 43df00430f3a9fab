/** `audit-runner schedules …`: names, options and help; what they do is in `schedules/`. */
import { type Command, Option } from 'commander';
import { OVERLAPS } from '../config/pipeline-file';
import { perform } from './perform';

const PLAN_HELP = `
Exit codes of plan:
  0    the schedules are as the file says
  2    the file is wrong, or an ID is taken by somebody else's schedule
  3    apply would change something
Of apply: 0 when all is as the file says, 1 when the server refused something, 2 when nothing was applied.

What apply made carries a mark in its memo; nothing else is ever touched. --prune removes every marked schedule of the
namespace that the file does not have: keep all pipelines of a namespace in one file.`;

const overlap = () => new Option('--overlap <policy>', 'what to do while a run is under way').choices([...OVERLAPS]);

export function addSchedules(program: Command): void {
  const schedules = program
    .command('schedules')
    .description('pipelines of the configuration file as Temporal Schedules: plan, apply, look, pause, run')
    .addHelpText('after', PLAN_HELP);

  schedules
    .command('plan')
    .description('show what apply would do, and write nothing')
    .option('--prune', 'also show what --prune would remove')
    .option('--json', 'print JSON')
    .action((_, command: Command) =>
      perform(command, async () => (await import('./schedules/apply.js')).planCommand(command.optsWithGlobals())),
    );
  schedules
    .command('apply')
    .description('show the difference, then make the schedules as the file says')
    .option('--prune', 'remove schedules that apply made and the file no longer has')
    .option('--json', 'print JSON')
    .action((_, command: Command) =>
      perform(command, async () => (await import('./schedules/apply.js')).applyCommand(command.optsWithGlobals())),
    );
  schedules
    .command('list')
    .description('next and last runs, how those ended, and what is paused and why')
    .option('--json', 'print JSON')
    .action((_, command: Command) =>
      perform(command, async () => (await import('./schedules/list.js')).listCommand(command.optsWithGlobals())),
    );
  for (const verb of ['pause', 'resume'] as const)
    schedules
      .command(verb)
      .description(verb === 'pause' ? 'start no more runs; apply leaves it so' : 'start runs again')
      .argument('<pipeline>', 'its name in the configuration file')
      .option('--reason <text>', 'why, kept in the note')
      .option('--by <name>', 'who (default: $USER)')
      .option('--json', 'print JSON')
      .action((pipeline: string, _, command: Command) =>
        perform(command, async () =>
          (await import('./schedules/act.js')).pauseCommand(pipeline, verb === 'pause', command.optsWithGlobals()),
        ),
      );
  schedules
    .command('trigger')
    .description('start a run now, also while paused; code 3 when none was started')
    .argument('<pipeline>', 'its name in the configuration file')
    .addOption(overlap())
    .option('--json', 'print JSON')
    .action((pipeline: string, _, command: Command) =>
      perform(command, async () =>
        (await import('./schedules/act.js')).triggerCommand(pipeline, command.optsWithGlobals()),
      ),
    );
  schedules
    .command('backfill')
    .description('run now what it would have run between two moments')
    .argument('<pipeline>', 'its name in the configuration file')
    .requiredOption('--from <time>', 'first moment: 2026-01-31T08:00:00Z, a date (UTC), or 7d ago as 7d')
    .requiredOption('--to <time>', 'last moment')
    .addOption(overlap().default('bufferAll', 'bufferAll: one after the other'))
    .option('--json', 'print JSON')
    .action((pipeline: string, _, command: Command) =>
      perform(command, async () =>
        (await import('./schedules/act.js')).backfillCommand(pipeline, command.optsWithGlobals()),
      ),
    );
}
