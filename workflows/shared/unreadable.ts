/**
 * Data that cannot be read, or that came as they may not, are refused where they arrive: a message is not taken, a run ends with
 * a sentence, a call has failed. Nothing of it reaches the code of a workflow.
 */
import { ChildWorkflowFailure } from '@temporalio/common';
import type { WorkflowInboundCallsInterceptor, WorkflowOutboundCallsInterceptor } from '@temporalio/workflow';
import { ApplicationFailure, log, workflowInfo } from '@temporalio/workflow';
import { INTERNAL_UPDATES } from '../../src/ledger/messages';
import { FailureType } from '../../src/runs/failure-types';
import { type Arrival, apart, REQUIREMENT, Requirement, refusal } from '../../src/runs/origins';
import { whyUnreadable } from '../../src/runs/unreadable-data';

/** Their runs are started without an input, and believe nothing of one. */
const WITHOUT_INPUT: ReadonlySet<string> = new Set(['accountLedger', 'startHere']);

/** Of this run, which has its modules for itself: messages that it has taken. A copy of one is not taken again. */
const taken = new Set<string>();

let known: { required: Requirement | undefined } | undefined;
/** What the worker is configured with. */
function requirement(): Requirement | undefined {
  if (known === undefined) {
    const fact: unknown = Reflect.get(globalThis, REQUIREMENT);
    known = { required: typeof fact === 'string' ? Requirement.parse(JSON.parse(fact)) : undefined };
  }
  return known.required;
}

const refused = (what: string, why: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`${what} is refused: ${why}`, FailureType.illegible);

/** Without what a codec has put beside them. @throws ApplicationFailure where one of them cannot be read */
function readable(what: string, values: readonly unknown[], type: string = FailureType.illegible): unknown[] {
  const why = values.map(whyUnreadable).find((one) => one !== undefined);
  if (why !== undefined) throw ApplicationFailure.nonRetryable(`${what} cannot be read: ${why}`, type);
  return requirement() ? values.map((value) => apart(value).value) : [...values];
}

/** As {@link readable}, and each came as it may. @throws ApplicationFailure */
function rightful(
  what: string,
  arrival: Pick<Arrival, 'what' | 'name'> & Partial<Arrival>,
  values: readonly unknown[],
  type?: string,
): unknown[] {
  const plain = readable(what, values, type);
  const required = requirement();
  if (!required) return plain;
  const { workflowId, startTime } = workflowInfo();
  const here = { workflowId, startedAt: startTime.getTime(), now: Date.now() };
  for (const value of values) {
    const { origin } = apart(value);
    const why = origin && refusal(origin, { ...here, ...arrival }, required);
    if (why !== undefined) throw refused(what, why);
  }
  return plain;
}

/** The run that a message says it is for. */
const runIn = ([said]: readonly unknown[]): unknown =>
  typeof said === 'object' && said !== null ? Reflect.get(said, 'run') : undefined;

/** It has been looked at here, and is nothing that a handler does. */
function withoutRun(args: unknown[]): unknown[] {
  const [said, ...more] = args;
  if (typeof said !== 'object' || said === null || !('run' in said)) return args;
  const { run: _, ...rest } = said;
  return [rest, ...more];
}

const sealsOf = (values: readonly unknown[]): string[] => values.flatMap((value) => apart(value).origin?.seal ?? []);

/** A message of a person; those of workers are the same however often they come. @throws ApplicationFailure */
function refuseForeign(what: string, args: readonly unknown[]): void {
  const { workflowId } = workflowInfo();
  const run = runIn(args);
  if (run !== undefined && run !== workflowId)
    throw refused(what, `it is meant for another run than this one, ${workflowId}`);
  if (!requirement()) return;
  if (args.length === 0)
    throw refused(what, `it came without any encrypted data; send it with {"run": "${workflowId}"} at least`);
  if (sealsOf(args).some((seal) => taken.has(seal)))
    throw refused(what, 'this very message has been taken already, so this is a copy');
}

export const refusesUnreadable: WorkflowInboundCallsInterceptor = {
  async execute(input, next) {
    const { workflowType: name, startTime } = workflowInfo();
    const required = requirement();
    const what = 'the input of this run';
    if (required && input.args.length === 0 && !WITHOUT_INPUT.has(name) && startTime.getTime() >= required.since)
      throw refused(what, 'there is none that is encrypted; {} is enough');
    const args = rightful(what, { what: 'start', name }, input.args, FailureType.badInput);
    return next({ ...input, args });
  },
  async handleSignal(input, next) {
    const { signalName: name } = input;
    let args: unknown[];
    try {
      args = rightful(`the signal ${name}`, { what: 'signal', name }, input.args);
    } catch (error) {
      // Who sends a signal hears nothing.
      log.warn('a signal was not taken', { error });
      return;
    }
    return next({ ...input, args });
  },
  validateUpdate(input, next) {
    const { name } = input;
    const what = `the update ${name}`;
    const byWorker = INTERNAL_UPDATES.has(name);
    const run = runIn(input.args);
    const args = rightful(what, { what: 'update', name, byWorker, run }, input.args);
    if (!byWorker) refuseForeign(what, input.args);
    next({ ...input, args: byWorker ? args : withoutRun(args) });
  },
  async handleUpdate(input, next) {
    const { name } = input;
    // Judged when it was taken: a replay takes what is in the history.
    const args = readable(`the update ${name}`, input.args);
    if (INTERNAL_UPDATES.has(name)) return next({ ...input, args });
    if (requirement()) for (const seal of sealsOf(input.args)) taken.add(seal);
    return next({ ...input, args: withoutRun(args) });
  },
  async handleQuery(input, next) {
    const { queryName: name } = input;
    return next({ ...input, args: rightful(`the query ${name}`, { what: 'query', name }, input.args) });
  },
};

function resultOf(what: string, name: string, value: unknown): unknown {
  const required = requirement();
  // A worker encrypts that there is nothing, too.
  if (required && apart(value).origin === undefined && workflowInfo().startTime.getTime() >= required.since)
    throw refused(what, 'there is none that is encrypted');
  return rightful(what, { what: 'result', name }, [value])[0];
}

export const failsUnreadable: WorkflowOutboundCallsInterceptor = {
  async scheduleActivity(input, next) {
    return resultOf(`the result of ${input.activityType}`, input.activityType, await next(input));
  },
  async startChildWorkflowExecution(input, next) {
    const [started, result] = await next(input);
    const { workflowId } = input.options;
    const checked = result.then((value) => {
      try {
        return resultOf(`the result of ${workflowId}`, input.workflowType, value);
      } catch (error) {
        const cause = error instanceof ApplicationFailure ? error : undefined;
        // It has ended, and what it did is asked for, as of one that failed (S6).
        throw new ChildWorkflowFailure(undefined, { workflowId }, input.workflowType, 'NON_RETRYABLE_FAILURE', cause);
      }
    });
    // Who waits for it hears of it; nobody has to.
    checked.catch(() => undefined);
    return [started, checked];
  },
};
