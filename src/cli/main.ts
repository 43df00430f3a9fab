/** The command line: names, options and help of the commands. What they do is in their own files. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { WORKFLOW_TYPES } from '../runs/workflow-types';
import { packageVersion } from '../temporal/package-root';
import { PROGRAM } from '../text/command';
import { addActs } from './acting';
import { addBooks } from './books';
import { addDeploy } from './deploy';
import { ENVIRONMENT_HELP } from './environment';
import { EXIT, EXIT_HELP } from './exit';
import { endQuietlyOnBrokenPipe, print, tell } from './output';
import { endOnUncaught, perform } from './perform';
import { addSchedules } from './schedules';
import { LIMIT_HELP, limit, SINCE_HELP, SUMMED_BY, SUMMED_BY_HELP } from './summed-by';

function decimal(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('not a number');
  return value;
}

const PORT_MAX = 65_535;

function port(text: string): number {
  const value = decimal(text);
  if (Number.isInteger(value) && value >= 0 && value <= PORT_MAX) return value;
  throw new InvalidArgumentError(`a port is a whole number from 0 to ${PORT_MAX}`);
}

const types = Object.entries(WORKFLOW_TYPES).map(([name, { about }]) => `  ${name.padEnd(14)} ${about}`);

/** commander ends its texts itself. */
const withoutEnd = (text: string) => text.replace(/\n$/, '');

/** All commands; the reference is made from it too. */
export const program = new Command('audit-runner')
  .description(
    "Runs a consultant's work against the Agent API as durable Temporal workflows: nothing is paid for twice, nothing is lost.",
  )
  .version(packageVersion())
  .option('--config <file>', 'configuration file (YAML)')
  .option('--verbose', 'after a failure print all that is known of it')
  .addHelpText('after', `\nStart with '${PROGRAM} demo', then '${PROGRAM} dev'.\n\n${ENVIRONMENT_HELP}\n\n${EXIT_HELP}`)
  // Taken over by the commands below: commander's own code for wrong options is 1.
  .exitOverride()
  .configureOutput({ writeOut: (text) => print(withoutEnd(text)), writeErr: (text) => tell(withoutEnd(text)) })
  .showHelpAfterError(`('${PROGRAM} --help' shows how)`)
  .configureHelp({ showGlobalOptions: true });

program
  .command('worker')
  .description(
    'work for the configured accounts until SIGTERM or Ctrl-C, which lets the calls in flight end; a second one does not',
  )
  .action((_, command: Command) =>
    perform(command, async () => (await import('./worker.js')).workerCommand(command.optsWithGlobals())),
  );

program
  .command('run')
  .description('start a workflow, show how far it is and why it waits, and print what came of it')
  .argument('<workflowType>', `one of ${Object.keys(WORKFLOW_TYPES).join(', ')}`)
  .option('--input <json>', 'the input: a JSON object, @file, or @- for standard input; everything has a default')
  .option('--account <name>', "the configured account to work for (default: the input's, else 'default')")
  .option('--id <workflowId>', 'another workflow ID than the usual one')
  .option('--attach', 'look at the run with this --id and start nothing')
  .option('--detach', 'do not wait for the end')
  .option('--all', 'of a pipeline: also show the leads that were skipped')
  .option('--json', 'print the result as JSON')
  .addHelpText(
    'after',
    `\nWorkflow types:\n${types.join('\n')}\n
Examples:
  ${PROGRAM} run leadPipeline --input '{"dryRun": true}'
  ${PROGRAM} run leadPipeline --input '{"maxConversions": 5, "maxCredits": 5000}'
  ${PROGRAM} run convertLead --input '{"leadId": "…"}' --json\n\n${EXIT_HELP}`,
  )
  .action((type: string, _, command: Command) =>
    perform(command, async () => (await import('./run.js')).runCommand(type, command.optsWithGlobals())),
  );

program
  .command('api')
  .description('make any call that has no workflow of its own, and print the reply; without a route: list all')
  .argument('[route]', "the route's name, such as contacts.list")
  .option('--input <json>', 'the rest of the call: {"id", "query", "body", …} as JSON, @file, or @- for standard input')
  .option('--id <id>', "the identifier in the route's path")
  .option('--query <name=value>', 'a query parameter; may be repeated', (pair, all: string[] = []) => [...all, pair])
  .option('--account <name>', "the configured account to work for (default: the input's, else 'default')")
  .option('--json', 'print the result and the reply as one JSON object')
  .addHelpText(
    'after',
    `
The reply goes to standard output, everything else to standard error. A call that creates something is made once,
however often it is started; "reference" in the input tells equal calls apart.

Examples:
  ${PROGRAM} api projects.get --id …
  ${PROGRAM} api contacts.create --input '{"body": {"name": "…"}}'
  ${PROGRAM} api assessmentConfigs.update --input @change.json\n\n${EXIT_HELP}`,
  )
  .action((route: string | undefined, _, command: Command) =>
    perform(command, async () => (await import('./api.js')).apiCommand(route, command.optsWithGlobals())),
  );

const batches = program
  .command('backfill')
  .description(
    'batches of items: start one, see how far each is, do what is left; pause, resume, stop and others are for any run',
  )
  .addHelpText(
    'after',
    `
Examples:
  ${PROGRAM} backfill start --input '{"operation": "convertLead", "leads": {}, "dryRun": true}'
  ${PROGRAM} backfill start --input '{"operation": "convertLead", "file": {"ref": "leads.csv"}, "maxCredits": 500000}'
  ${PROGRAM} backfill redrive backfill.default.… --input '{"maxCredits": 10000}'\n\n${EXIT_HELP}`,
  );

batches
  .command('start')
  .description('start a backfill, show how far it is and why it waits, and print what came of it')
  .option('--input <json>', 'the input: a JSON object, @file, or @- for standard input')
  .option('--account <name>', "the configured account to work for (default: the input's, else 'default')")
  .option('--id <workflowId>', 'another workflow ID than the usual one')
  .option('--detach', 'do not wait for the end')
  .option('--json', 'print the result as JSON')
  .action((_, command: Command) =>
    perform(command, async () => (await import('./backfill.js')).startBackfill(command.optsWithGlobals())),
  );

batches
  .command('redrive')
  .description('start a backfill of what an earlier one, which has ended, has not done')
  .argument('<workflowId>', 'the earlier one')
  .option('--input <json>', 'caps and the like for the new one; everything has a default')
  .option('--account <name>', "the configured account to work for (default: the input's, else 'default')")
  .option('--id <workflowId>', 'another workflow ID than the usual one')
  .option('--detach', 'do not wait for the end')
  .option('--json', 'print the result as JSON')
  .action((earlier: string, _, command: Command) =>
    perform(command, async () => (await import('./backfill.js')).redriveBackfill(earlier, command.optsWithGlobals())),
  );

batches
  .command('status')
  .description('how far and how fast backfills are and why they wait; without an ID: those that are under way')
  .argument('[workflowId]', 'one of them, also one that has ended')
  .option('--json', 'print JSON')
  .action((workflowId: string | undefined, _, command: Command) =>
    perform(command, async () => (await import('./backfill.js')).backfillStatus(workflowId, command.optsWithGlobals())),
  );

program
  .command('status')
  .description(
    'accounts with balance and holds, queues with backlog and workers, runs under way and for whom they wait',
  )
  .option('--watch', 'look again every 5 seconds, until Ctrl-C')
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    '\nExit code 0 when nothing stands still, 3 when a hold, a budget, a person or a queue without workers does.',
  )
  .action((_, command: Command) =>
    perform(command, async () => (await import('./status.js')).statusCommand(command.optsWithGlobals())),
  );

addActs(program);

program
  .command('setup')
  .description(
    'prepare a namespace of Temporal, as a worker does: search attributes, queue limits, the page to start runs from',
  )
  .option('--json', 'print JSON')
  .addHelpText('after', `\nSafe to repeat. It makes no call to the Agent API.\n\n${EXIT_HELP}`)
  .action((_, command: Command) =>
    perform(command, async () => (await import('./setup.js')).setupCommand(command.optsWithGlobals())),
  );

program
  .command('spend')
  .description('what was spent, when and on what, by the books in the storage, beside what the ledgers say of now')
  .option('--account <name>', 'only this account')
  .option('--since <time>', `${SINCE_HELP}; by the books alone, so that no server is needed`)
  .option('--until <time>', 'up to when, in the same way')
  .addOption(new Option('--by <what>', SUMMED_BY_HELP).choices(SUMMED_BY).default('day'))
  .option('--limit <n>', LIMIT_HELP, limit)
  .option('--json', 'print JSON')
  .action((_, command: Command) =>
    perform(command, async () => (await import('./spend.js')).spendCommand(command.optsWithGlobals())),
  );

program
  .command('report')
  .description(
    'write a page on what was spent, what came of it and what runs waited for, with the figures as JSON and CSV',
  )
  .option('--since <time>', SINCE_HELP, '30d')
  .option('--account <name>', 'only this account')
  .option('--out <folder>', 'where the files go; those of an earlier report are replaced', 'spending-report')
  .option('--json', 'print the figures as JSON too')
  .addHelpText('after', `\nIt reads the ledgers through a worker and makes no call to the Agent API.\n\n${EXIT_HELP}`)
  .action((_, command: Command) =>
    perform(command, async () => (await import('./report.js')).reportCommand(command.optsWithGlobals())),
  );

addBooks(program);
addDeploy(program);

addSchedules(program);

program
  .command('doctor')
  .description(
    'check configuration, Temporal server, queues, workers, tokens and routes, and say how to mend what is wrong',
  )
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    `
It makes at most 6 requests to the Agent API for each account; they count against its rate limits, so none is made that a
hold, a 429 or the calls of running workers forbid. One of them is a write that cannot succeed (it changes an assessment
config that does not exist): only so can it be seen whether the token may write.

Exit code 1 when something is wrong, else 0.`,
  )
  .action((_, command: Command) =>
    perform(command, async () => (await import('./doctor.js')).doctorCommand(command.optsWithGlobals())),
  );

program
  .command('codec-server')
  .description('decrypt for the Web UI and the `temporal` command what Temporal stores encrypted')
  .option('--port <n>', 'port; 0 takes a free one', port, 8234)
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option(
    '--ui-origin <origin...>',
    'whose pages may ask (default: that of TEMPORAL_UI_URL, else http://127.0.0.1:8233)',
  )
  .option('--encode', 'encrypt what is typed into forms of the Web UI; else it goes on as it is')
  .addHelpText(
    'after',
    `
It needs the keys of the encryption, and prints the address to give to the Web UI (the glasses at its top right) and to
\`temporal --codec-endpoint\`. The secret in it is AUDIT_RUNNER_CODEC_SECRET, or made anew at each start. Whoever knows the
address reads everything that is encrypted: let it listen on this machine alone, or put a proxy with https before it.
It asks neither Temporal nor the Agent API.`,
  )
  .action((_, command: Command) =>
    perform(command, async () => (await import('./codec-server.js')).codecServerCommand(command.optsWithGlobals())),
  );

program
  .command('sandbox')
  .description('start a stand-in for the service of the Agent API, and print its address and tokens')
  .option('--port <n>', 'port of the service; 0 takes a free one', decimal, 0)
  .option('--control-port <n>', 'port of the control surface; 0 takes a free one', decimal, 0)
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--speed <n>', 'how many times faster than real time its limits and durations are', decimal, 1)
  .option('--variant <a|b>', 'which shapes it uses where the API document shows none', 'a')
  .option('--leads <n>', 'leads that it begins with', decimal, 25)
  .option('--credits <n>', 'balance that it begins with', decimal, 50_000)
  .option('--seed <n>', 'the same seed gives the same data and tokens', decimal, 1)
  .option('--limits <on|off>', 'rate limits', 'on')
  .option(
    '--convert-check <atCommit|atArrival>',
    'when a conversion looks whether the lead is converted: atArrival lets two at once both pay',
    'atCommit',
  )
  .option('--json', 'print JSON, one line')
  .action((_, command: Command) =>
    perform(command, async () => (await import('./sandbox.js')).sandboxCommand(command.optsWithGlobals())),
  );

program
  .command('dev')
  .description(
    'Temporal server, Web UI, sandbox and worker in one process, to try things out; its runs are gone when it ends',
  )
  .option('--speed <n>', "how many times faster than real time the sandbox's clock runs", decimal, 10)
  .option('--leads <n>', 'leads that the sandbox begins with', decimal, 60)
  .option('--credits <n>', 'balance that the sandbox begins with', decimal, 50_000)
  .option(
    '--real',
    'work for the configured accounts instead of a sandbox: spends real credits; kept in .audit-runner/',
  )
  .action((_, command: Command) =>
    perform(command, async () => (await import('./dev.js')).devCommand(command.optsWithGlobals())),
  );

program
  .command('demo')
  .description('convert leads of a sandbox in which things go wrong, and check that none was paid for twice')
  .option('--speed <n>', "how many times faster than real time the sandbox's clock runs", decimal, 30)
  .option('--keep', 'keep everything up afterwards, until Ctrl-C')
  .action((_, command: Command) =>
    perform(command, async () => (await import('./demo.js')).demoCommand(command.optsWithGlobals())),
  );

/** Does what the command line says, and ends the process. */
export function main(): void {
  endQuietlyOnBrokenPipe();
  endOnUncaught();
  program.parseAsync().catch((error: unknown) => {
    // commander has written its own sentence already.
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? EXIT.done : EXIT.badInput);
    throw error;
  });
}
