/**
 * A person may reset a run to an earlier moment: it goes on from there and knows nothing of what came after. The server
 * says so in the history, where the run itself does not look.
 */
import type { WorkflowInternalsInterceptor } from '@temporalio/workflow';

let count = 0;

/** How often this run was reset, up to the present moment of its history. */
export const resets = (): number => count;

/** A reset run gets random numbers of its own: nothing else brings that job. */
export const noticesResets: WorkflowInternalsInterceptor = {
  activate(input, next) {
    count += (input.activation.jobs ?? []).filter(({ updateRandomSeed }) => updateRandomSeed).length;
    return next(input);
  },
};
