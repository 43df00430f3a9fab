/**
 * An update that is refused when it comes leaves nothing in the history. The SDK looks after each message which waiting is over;
 * where time, a reset or the length of the history has ended one, that would go on before the messages that came with the
 * refused one, and in a replay, which knows nothing of that, after them, or never. The run could not be replayed any more, and
 * anybody can send what is refused. So nothing goes on for it: whoever waits is looked after with the next message.
 */
import type { WorkflowInternalsInterceptor } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes';
import { epoch } from './reset';

type Waiting = ReturnType<typeof getActivator>['blockedConditions'];

/** Who is not looked after before all that has come is told. */
const asleep: Waiting = new Map();
/** What the run was in when it was told something last. */
let known: object | undefined;

export const refusalsWakeNobody: WorkflowInternalsInterceptor = {
  activate(input, next) {
    const { activation } = input;
    const jobs = activation.jobs ?? [];
    // The SDK has taken that from the jobs, and the history has it.
    let isNews = known !== epoch();
    known = epoch();
    // What came with its beginning is told before anything of it happens.
    if (jobs[0]?.initializeWorkflow || !jobs.some(({ doUpdate }) => doUpdate?.runValidator)) return next(input);
    for (const job of jobs) {
      const tell = () => next({ ...input, activation: { ...activation, jobs: [job] } });
      const isRefused = job.doUpdate?.runValidator ? tellUpdate(job.doUpdate.name ?? '', tell) : tell();
      isNews ||= isRefused !== true;
    }
    if (!isNews) sleep();
  },
  concludeActivation(input, next) {
    wake();
    return next(input);
  },
};

/** @returns whether it is refused */
function tellUpdate(name: string, tell: () => void): boolean {
  const activator = getActivator();
  const { pushCommand, updateHandlers, defaultUpdateHandler } = activator;
  // One that nobody handles is refused in the end.
  let isRefused = !updateHandlers.has(name) && defaultUpdateHandler === undefined;
  if (isRefused) sleep();
  activator.pushCommand = (command, ...rest) => {
    // What was taken and fails is rejected as well, but not yet.
    if (command.updateResponse?.rejected) {
      isRefused = true;
      sleep();
    }
    return pushCommand.call(activator, command, ...rest);
  };
  try {
    tell();
    return isRefused;
  } finally {
    activator.pushCommand = pushCommand;
    wake();
  }
}

function sleep(): void {
  const { blockedConditions } = getActivator();
  for (const [seq, waiting] of blockedConditions) asleep.set(seq, waiting);
  blockedConditions.clear();
}

function wake(): void {
  const { blockedConditions } = getActivator();
  for (const [seq, waiting] of asleep) blockedConditions.set(seq, waiting);
  asleep.clear();
}
