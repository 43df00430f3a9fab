/** What the paths of recorded runs have at hand. */
import type { Workflow } from '@temporalio/common';
import { holdUpdate, releaseUpdate, setBudgetUpdate } from '../../../src/ledger/messages';
import type { FaultRule } from '../../../src/sandbox/options';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import type { Stage } from '../../support/stage';
import { until } from '../../support/until';

/** A path through one workflow: what happens to the run of this name. */
export type Path = (play: Play, name: string) => Promise<unknown>;

export class Play {
  readonly #fresh: string[];

  constructor(readonly stage: Stage) {
    this.#fresh = this.control
      .leads()
      .filter(({ surveyStatus }) => surveyStatus === 'completed')
      .map(({ id }) => id);
  }

  get control() {
    return this.stage.sandbox.control;
  }

  /** A lead that no other path has. */
  lead(): string {
    const id = this.#fresh.shift();
    if (id === undefined) throw new Error('the sandbox has too few leads for these paths');
    return id;
  }

  /** The next calls of a route meet this. */
  fault(route: FaultRule['route'], fault: Partial<FaultRule> & Pick<FaultRule, 'fault'>): void {
    this.control.addFault({ route, ...fault });
  }

  start<T extends Workflow>(workflow: T, workflowId: string, ...args: Parameters<T>) {
    return this.stage.temporal.client.workflow.start<Workflow>(workflow, {
      ...{ workflowId, taskQueue: WORKFLOW_QUEUE, args },
    });
  }

  async run<T extends Workflow>(workflow: T, workflowId: string, ...args: Parameters<T>): Promise<void> {
    await (await this.start(workflow, workflowId, ...args)).result();
  }

  handle(workflowId: string) {
    return this.stage.temporal.client.workflow.getHandle(workflowId);
  }

  says(workflowId: string, what: string): Promise<void> {
    return until(async () => {
      const { waiting } = await this.handle(workflowId).query<{ waiting?: string }>('progress');
      return waiting?.includes(what) === true;
    });
  }

  tell(workflowId: string, update: string, said: object): Promise<unknown> {
    return this.handle(workflowId).executeUpdate(update, { args: [said] });
  }

  /** The account's day has this budget as long as that takes. */
  async withBudget(perDay: number, work: () => Promise<unknown>): Promise<void> {
    const ledger = this.handle(this.stage.ledgerId);
    const set = (credits: number | null) =>
      ledger.executeUpdate(setBudgetUpdate, { args: [{ perDay: credits, reason: 'path', by: 'Ada' }] });
    await set(perDay);
    try {
      await work();
    } finally {
      await set(null);
    }
  }

  /** A person has put the account on hold as long as that takes. */
  async onHold(work: () => Promise<unknown>): Promise<void> {
    const ledger = this.handle(this.stage.ledgerId);
    await ledger.executeUpdate(holdUpdate, { args: [{ reason: 'path' }] });
    try {
      await work();
    } finally {
      await ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'path' }] });
    }
  }
}
