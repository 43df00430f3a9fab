/** The commands by which people act on runs and accounts: names, options and help. */
import type { Command } from 'commander';
import { ACTS, type Act, type ActName } from './acts';
import { perform } from './perform';

/** A command for each, one that cancels, and one for what runs ask besides. */
export function addActs(program: Command): void {
  const acting = (name: string, about: string, to: Act['to']) =>
    program
      .command(name)
      .description(about)
      .argument(to === 'run' ? '<workflowId>' : '<account>')
      .option('--by <name>', 'who does it; kept (default: the user of this machine)')
      .option('--reason <text>', `why; kept${to === 'account' ? ', and required' : ''}`)
      .option('--json', 'print JSON');

  for (const [name, { about, to, fields = [] }] of Object.entries<Act>(ACTS)) {
    const command = acting(name, about, to);
    for (const { flags, about: meaning } of fields) command.option(flags, meaning);
    command.action((on: string, _, self: Command) =>
      perform(self, async () => (await import('./act.js')).actCommand(name as ActName, on, self.optsWithGlobals())),
    );
  }

  acting('answer', 'answer what a run asks, by the update that its page names, such as decide', 'run')
    .argument('<update>')
    .option('--input <json>', 'what is answered: a JSON object, @file, or @- for standard input')
    .action((workflowId: string, update: string, _, self: Command) =>
      perform(self, async () => (await import('./act.js')).answerCommand(workflowId, update, self.optsWithGlobals())),
    );

  acting(
    'cancel',
    'cancel a run: what it has sent is found out and booked, and what it has begun is withdrawn',
    'run',
  ).action((workflowId: string, _, self: Command) =>
    perform(self, async () => (await import('./act.js')).cancelCommand(workflowId, self.optsWithGlobals())),
  );
}
