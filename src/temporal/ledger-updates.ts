/** Messages to one user's ledger (workflow `accountLedger`): started where it is missing, and repeated until it has answered. */
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type WorkflowUpdateHandle,
  WorkflowUpdateStage,
} from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import type { LedgerInput } from '../ledger/messages';
import { FailureType } from '../runs/failure-types';
import { describeMend, failingTasks } from './failing-tasks';
import { GRPC, grpcStatus, isPassing } from './grpc-status';
import { createLimit } from './in-flight';
import { WORKFLOW_QUEUE } from './queues';
import { searchAttributeKeys } from './search-attribute-keys';

/** A server without our settings takes 10 in flight for one workflow, above which they abort each other (measured). */
const UPDATES_IN_FLIGHT = 4;
const RETRY_MS = [50, 100, 200, 400, 800];
/** How long a message is worth repeating: the ledger may be continuing as new, or its worker restarting. */
const PATIENCE_MS = 60_000;
/** And for how long an answer is waited for, before it is looked whether the ledger can give one at all. */
export const ONE_TRY_MS = 10_000;

export class LedgerUpdates {
  /** The run of the ledger that has answered last. */
  lastRunId: string | undefined;
  private readonly limit = createLimit(UPDATES_IN_FLIGHT);

  /** @param account whose ledger it is, for lists */
  constructor(
    private readonly client: Client,
    private readonly workflowId: string,
    private readonly account: string,
  ) {}

  /**
   * Sends an update, starting the ledger if need be. Safe to repeat: every update of the ledger is idempotent.
   * @param how.insists it is worth the whole patience, also where the ledger cannot answer
   */
  send<R, A>(
    definition: UpdateDefinition<R, [A]>,
    argument: A,
    updateId: string,
    { patienceMs = PATIENCE_MS, insists = false } = {},
  ): Promise<R> {
    const deadline = Date.now() + patienceMs;
    return this.limit(async () => {
      for (let attempt = 0; ; attempt++) {
        try {
          const until = Math.min(deadline, Date.now() + ONE_TRY_MS);
          return await this.client.withDeadline(until, () => this.sendOnce(definition, argument, updateId));
        } catch (error) {
          if (isPassing(error) && !insists) await this.throwIfStuck();
          const wait = RETRY_MS[attempt] ?? 1_000;
          if (!(isPassing(error) || isContinuing(error) || isOpening(error)) || Date.now() + wait > deadline)
            throw error;
          await new Promise((resolve) => setTimeout(resolve, wait));
        }
      }
    });
  }

  /** Why the ledger cannot answer: its workflow task fails again and again. */
  async trouble(): Promise<string | undefined> {
    const failing = await failingTasks(this.client, this.workflowId).catch(() => undefined);
    return failing && `The account's ledger cannot answer: ${describeMend(failing)}`;
  }

  /** S7: where the ledger cannot answer, waiting for it is no use, and whoever asks is told why. */
  async throwIfStuck(): Promise<void> {
    const trouble = await this.trouble();
    if (trouble !== undefined) throw ApplicationFailure.nonRetryable(trouble, FailureType.ledger);
  }

  private async sendOnce<R, A>(definition: UpdateDefinition<R, [A]>, argument: A, updateId: string): Promise<R> {
    const args: [A] = [argument];
    const options = { updateId, args, waitForStage: WorkflowUpdateStage.ACCEPTED };
    let handle: WorkflowUpdateHandle<R>;
    try {
      handle = await this.client.workflow.getHandle(this.workflowId).startUpdate(definition, options);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      const startWorkflowOperation = this.startLedger();
      handle = await this.client.workflow.startUpdateWithStart(definition, { ...options, startWorkflowOperation });
    }
    const answer = await handle.result();
    this.lastRunId = handle.workflowRunId;
    return answer;
  }

  /** It is told nothing: a ledger finds out by itself what there was before it. */
  private startLedger() {
    const { account } = this;
    return new WithStartWorkflowOperation<(start?: LedgerInput) => Promise<void>>('accountLedger', {
      workflowId: this.workflowId,
      workflowIdConflictPolicy: 'USE_EXISTING',
      taskQueue: WORKFLOW_QUEUE,
      args: [],
      staticSummary: `Ledger of account ${account}`,
      typedSearchAttributes: [
        { key: searchAttributeKeys.account, value: account },
        { key: searchAttributeKeys.runKind, value: 'ledger' },
      ],
    });
  }
}

/** A ledger that has just been started does not know yet what stands in its books. */
export const isOpening = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === FailureType.opening;

/** Between two runs of the ledger none may be found. */
const isContinuing = (error: unknown): boolean => grpcStatus(error) === GRPC.NOT_FOUND;
