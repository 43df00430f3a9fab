/** The updates of a run: admitted, delivered, accepted or refused, completed; known again by their IDs. */
import type { coresdk } from '@temporalio/proto';
import { type Failure, GRPC, GrpcError, type Job, type Payload } from './proto';
import type { Run } from './run';

export type Outcome = { success: { payloads: Payload[] } } | { failure: Failure };

/** Stages as the protocol counts them. */
export const STAGE = { ADMITTED: 1, ACCEPTED: 2, COMPLETED: 3 } as const;

export interface Update {
  id: string;
  name: string;
  input: Payload[];
  stage: number;
  isDelivered: boolean;
  /** It came before a reset: the history has it, and no task that fails takes it away. */
  isLasting?: boolean;
  outcome?: Outcome;
  error?: GrpcError;
  heard: (() => void)[];
}

/** What is known of an update when its caller is answered. */
export interface Known {
  stage: number;
  outcome?: Outcome;
}

export class Updates {
  readonly #all = new Map<string, Update>();

  constructor(private readonly run: Run) {}

  /** Some wait to be delivered. */
  get isWaited(): boolean {
    return [...this.#all.values()].some(({ stage, isDelivered }) => stage === STAGE.ADMITTED && !isDelivered);
  }

  has(id: string): boolean {
    return this.#all.has(id);
  }

  admit(id: string, name: string, input: Payload[]): void {
    if (this.#all.has(id)) return;
    this.#all.set(id, { id, name, input, stage: STAGE.ADMITTED, isDelivered: false, heard: [] });
    this.run.tasks.schedule(true);
  }

  /** What the history says of them. */
  lasting(): Update[] {
    const all = [...this.#all.values()].filter(({ stage, isLasting }) => isLasting || stage !== STAGE.ADMITTED);
    return all.map((update) => ({ ...update, heard: [] }));
  }

  /** Of the others, which are in no database, nothing is known any more. */
  resume(updates: readonly Update[]): void {
    this.#all.clear();
    for (const update of updates)
      this.#all.set(update.id, { ...update, isDelivered: update.stage !== STAGE.ADMITTED, heard: [] });
  }

  /** In a run that was reset, what was accepted later in the one before. */
  admitAgain(update: coresdk.workflow_activation.IDoUpdate): void {
    const { id, name, input } = update;
    if (!id || this.#all.has(id)) return;
    this.run.record('WorkflowExecutionUpdateAdmitted', undefined, { doUpdate: update });
    this.#all.set(id, {
      ...{ id, name: name ?? '', input: input ?? [], stage: STAGE.ADMITTED, isDelivered: false, heard: [] },
      isLasting: true,
    });
  }

  /** Waits until the update is that far, for as long as a request may take. */
  async until(id: string, stage: number, withinMs: number): Promise<Known> {
    const update = this.#all.get(id);
    if (!update) throw new GrpcError(GRPC.NOT_FOUND, `update "${id}" not found`);
    const { world } = this.run.server;
    const late = new Promise<void>((resolve) => world.after(withinMs, resolve));
    let isLate = false;
    void late.then(() => {
      isLate = true;
    });
    while (update.stage < stage && !update.error && !isLate)
      await Promise.race([late, new Promise<void>((resolve) => void update.heard.push(resolve))]);
    if (update.error) throw update.error;
    return { stage: update.stage, ...(update.outcome && { outcome: update.outcome }) };
  }

  /** With a workflow task. @returns their IDs */
  deliver(): string[] {
    const due = [...this.#all.values()].filter(({ stage, isDelivered }) => stage === STAGE.ADMITTED && !isDelivered);
    for (const update of due) update.isDelivered = true;
    return due.map(({ id }) => id);
  }

  jobOf(id: string): Job {
    const { name, input } = this.#all.get(id) as Update;
    const meta = { updateId: id, identity: 'client' };
    return { doUpdate: { id, protocolInstanceId: id, name, input, meta, runValidator: true } };
  }

  /** What the workflow says. */
  answered({ protocolInstanceId, accepted, rejected, completed }: coresdk.workflow_commands.IUpdateResponse): void {
    const update = this.#all.get(protocolInstanceId ?? '');
    if (!update) return;
    const wasAccepted = update.stage === STAGE.ACCEPTED;
    if (accepted) {
      this.run.record(
        'WorkflowExecutionUpdateAccepted',
        undefined,
        update.isLasting ? undefined : this.jobOf(update.id),
      );
      update.stage = STAGE.ACCEPTED;
    } else {
      if (wasAccepted) this.run.record('WorkflowExecutionUpdateCompleted');
      update.stage = STAGE.COMPLETED;
      update.outcome = rejected ? { failure: rejected } : { success: { payloads: completed ? [completed] : [] } };
    }
    this.#hear(update);
    // One that was refused when it came leaves no trace: said again, it is another.
    if (rejected && !wasAccepted) this.#all.delete(update.id);
  }

  /** A task that fails takes the updates that it carried with it. */
  taskFailed(ids: readonly string[]): void {
    for (const update of this.#delivered(ids)) {
      update.isDelivered = false;
      if (update.isLasting) continue;
      this.#all.delete(update.id);
      update.error = new GrpcError(
        GRPC.FAILED_PRECONDITION,
        'Unable to perform workflow execution update due to unexpected workflow task failure.',
      );
      this.#hear(update);
    }
  }

  /** A task that times out leaves them to the next one. */
  taskTimedOut(ids: readonly string[]): void {
    for (const update of this.#delivered(ids)) update.isDelivered = false;
  }

  #delivered(ids: readonly string[]): Update[] {
    return ids.flatMap((id) => {
      const update = this.#all.get(id);
      return update?.stage === STAGE.ADMITTED ? update : [];
    });
  }

  /** @param isContinued whoever was not accepted yet is sent to the next run */
  closed(isContinued: boolean): void {
    for (const update of this.#all.values()) {
      if (update.stage === STAGE.COMPLETED) continue;
      if (update.stage === STAGE.ACCEPTED) {
        update.outcome = {
          failure: {
            message: 'Workflow Update failed because the Workflow completed before the Update completed.',
            source: 'Server',
            applicationFailureInfo: { type: 'AcceptedUpdateCompletedWorkflow', nonRetryable: true },
          },
        };
        update.stage = STAGE.COMPLETED;
      } else
        update.error = isContinued
          ? new GrpcError(GRPC.UNAVAILABLE, 'workflow operation can not be applied because workflow is closing')
          : new GrpcError(GRPC.NOT_FOUND, 'workflow execution already completed');
      this.#hear(update);
    }
  }

  #hear(update: Update): void {
    for (const hear of update.heard.splice(0)) hear();
  }
}
