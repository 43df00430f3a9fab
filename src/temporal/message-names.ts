/**
 * What a client's messages are called, for the codec: the SDK tells it the run that data are for, and not whether they are
 * the input of that run or which message to it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { WorkflowClientInterceptor } from '@temporalio/client';

const present = new AsyncLocalStorage<string>();

/** Of the message that is being sent here, such as `update approve`. */
export const messageName = (): string | undefined => present.getStore();

export const namesMessages: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => present.run(`start ${input.workflowType}`, next, input),
  signal: (input, next) => present.run(`signal ${input.signalName}`, next, input),
  query: (input, next) => present.run(`query ${input.queryType}`, next, input),
  startUpdate: (input, next) => present.run(`update ${input.updateName}`, next, input),
  // What is started with it is a ledger, which is given nothing.
  startUpdateWithStart: (input, next) => present.run(`update ${input.updateName}`, next, input),
};
