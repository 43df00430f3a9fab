/** What a conversion costs where Temporal bills by action: each is counted in the histories of a real server. */
import { WorkflowService } from '@temporalio/client';
import { actionsOf, sumOf } from '../../bench/support/actions';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { convertLead, leadPipeline } from '../../workflows';
import { completedLeads, type Stage, startStage, UNHURRIED } from '../support/stage';

/** Of one conversion, what it asks of the ledger included. */
const MOST = 9;
/** It is asked whether the call may be sent, and told what became of it. */
const UPDATES = 2;
const OWN = { start: 1, upsert: 3, activity: 3 };
const ROUNDS = 3;

/** Queries that the worker has sent: they leave no trace in a history. */
let queries = 0;
let stage: Stage;
beforeAll(async () => {
  const create = WorkflowService.create.bind(WorkflowService);
  jest.spyOn(WorkflowService, 'create').mockImplementation((...how) => {
    const service = create(...how);
    const send = service.queryWorkflow.bind(service);
    jest.spyOn(service, 'queryWorkflow').mockImplementation((request) => {
      queries++;
      return send(request);
    });
    return service;
  });
  stage = await startStage({ sandbox: { leads: 60 }, account: { timing: UNHURRIED } });
  await stage.startWorker();
});
afterAll(() => stage.close());

const eventsOf = async (workflowId: string) =>
  (await stage.temporal.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];

/** How many updates the ledger takes meanwhile. What it does by itself, such as reading the balance, is of no conversion. */
async function updatesDuring(work: () => Promise<unknown>): Promise<number> {
  const before = (await eventsOf(stage.ledgerId)).length;
  await work();
  return actionsOf((await eventsOf(stage.ledgerId)).slice(before)).update ?? 0;
}

async function convert(workflowId: string, leadId: string): Promise<void> {
  const { client } = stage.temporal;
  const options = { workflowId, taskQueue: WORKFLOW_QUEUE, args: [{ leadId }] as [{ leadId: string }] };
  expect(await client.workflow.execute(convertLead, options)).toMatchObject({ outcome: 'converted' });
}

/** On a machine that is slow at the moment a call may go back to its queue: what each of them costs shows in the cheapest. */
const cheapest = <T extends { sum: number }>(all: readonly T[]): T | undefined =>
  all.toSorted((one, two) => one.sum - two.sum)[0];

test(`a clean conversion that was started by hand costs ${MOST} actions at most`, async () => {
  const [first = '', ...leads] = completedLeads(stage);
  // Only then does the ledger know this worker.
  await convert('first', first);
  const found: { own: Record<string, number>; updates: number; sum: number }[] = [];
  for (const [round, leadId] of leads.slice(0, ROUNDS).entries()) {
    const [before, begin] = [queries, performance.now()];
    const updates = await updatesDuring(() => convert(`clean ${round}`, leadId));
    // The status of the account, of which one answer serves all that this worker does within a second.
    expect(queries - before).toBeLessThanOrEqual(1 + Math.floor((performance.now() - begin) / 1_000));
    const own = actionsOf(await eventsOf(`clean ${round}`));
    found.push({ own, updates, sum: sumOf(own) + updates });
  }
  expect(cheapest(found)).toEqual({ own: OWN, updates: UPDATES, sum: MOST });
});

test('and so does one that a pipeline begins, the beginning of its run included', async () => {
  const { client } = stage.temporal;
  await client.workflow.execute(leadPipeline, {
    ...{ workflowId: 'pipeline', taskQueue: WORKFLOW_QUEUE },
    args: [{ maxConversions: ROUNDS, concurrency: 1, scoring: { minReadiness: 0 } }],
  });
  const begun = (await eventsOf('pipeline')).flatMap(
    ({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child?.workflowId ?? [],
  );
  expect(begun.length).toBe(ROUNDS);
  const own = (await Promise.all(begun.map(eventsOf))).map(actionsOf);
  const found = own.map((counts) => ({ ...counts, sum: 1 + sumOf(counts) + UPDATES }));
  expect(cheapest(found)).toEqual({ ...OWN, upsert: 2, sum: MOST });
});
