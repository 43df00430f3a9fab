/**
 * An update that is refused when it comes leaves nothing in the history. The SDK looks after each message which waiting is over;
 * where time, a reset or the length of the history has ended one, that would go on before the messages that came with the
 * refused one, and in a replay, which knows nothing of that, after them. The run could not be replayed any more, and anybody can
 * send what is refused. So nothing goes on for it: whoever waits is looked after with the next message.
 */
import type { WorkflowInternalsInterceptor } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes';

export const refusalsWakeNobody: WorkflowInternalsInterceptor = {
  activate(input, next) {
    const { activation } = input;
    const jobs = activation.jobs ?? [];
    // What came with its beginning is told before anything of it happens.
    if (jobs[0]?.initializeWorkflow || !jobs.some(({ doUpdate }) => doUpdate?.runValidator)) return next(input);
    for (const job of jobs) {
      const one = { ...input, activation: { ...activation, jobs: [job] } };
      if (job.doUpdate?.runValidator) wakingNobodyIfRefused(() => next(one));
      else next(one);
    }
  },
};

function wakingNobodyIfRefused(tell: () => void): void {
  const activator = getActivator();
  const { blockedConditions, pushCommand } = activator;
  let asleep: typeof blockedConditions | undefined;
  activator.pushCommand = (command, ...rest) => {
    // What was taken and fails is rejected as well, but not yet.
    if (command.updateResponse?.rejected) {
      asleep = new Map(blockedConditions);
      blockedConditions.clear();
    }
    return pushCommand.call(activator, command, ...rest);
  };
  try {
    tell();
  } finally {
    activator.pushCommand = pushCommand;
    for (const [seq, waiting] of asleep ?? []) blockedConditions.set(seq, waiting);
  }
}
