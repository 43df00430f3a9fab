/** One namespace, and for each account a worker of its own: what belongs to one account, its worker alone does. */
import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import pino from 'pino';
import type { Config } from '../../src/config';
import { holdUpdate, releaseUpdate, statusQuery } from '../../src/ledger/messages';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { startWorker } from '../../src/worker';
import { accountLedger, convertLead, leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { withAccounts } from '../support/ledgers';
import { completedLeads, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
beforeEach(async () => {
  stage = await startStage({ sandbox: { leads: 20, credits: 100_000 } });
});
afterEach(() => stage.close());

const taskQueue = 'audit-runner';
/** Accounts of nobody here: each worker of one is one more that could take what is not its own. */
const OTHERS = ['north', 'south'];

/** The configuration of a worker that has this account alone, under a user of its own. */
function configOf(name: string): Config {
  const { [name]: account } = withAccounts(stage.config, [name]).accounts;
  if (!account) throw new Error(`there is no account ${name}`);
  return { ...stage.config, accounts: { [name]: account } };
}

/** The activities of a run, each with its queue, its tries, and what its last try but one failed with. */
async function activitiesOf(run: Pick<WorkflowHandle, 'fetchHistory'>) {
  const { events } = await run.fetchHistory();
  return (events ?? []).flatMap(({ eventId, activityTaskScheduledEventAttributes: scheduled }) => {
    if (!scheduled) return [];
    const started = events?.find(({ activityTaskStartedEventAttributes: start }) =>
      start?.scheduledEventId?.equals(eventId ?? 0),
    )?.activityTaskStartedEventAttributes;
    return {
      type: scheduled.activityType?.name ?? '',
      queue: scheduled.taskQueue?.name ?? '',
      attempt: started?.attempt ?? 0,
      failure: started?.lastFailure?.message ?? '',
    };
  });
}

const ofOthers = ({ queue }: { queue: string }) => !/^(audit-runner|agent-api)\.default(\.|$)/.test(queue);
const sentBack = ({ failure }: { failure: string }) => /leaves it|left to|other workers|No account/.test(failure);

test('what a run and its ledger ask for goes to workers of the account, and none of it is sent back', async () => {
  const { client } = stage.temporal;
  // They ask for work before the one whose it is.
  for (const name of OTHERS) await stage.startWorker(configOf(name));
  await stage.startWorker();
  const ledger = client.workflow.getHandle(stage.ledgerId);
  const answers = (answer: Promise<string>) => answer.then(Boolean, () => false);
  await until(() => answers(ledger.executeUpdate(holdUpdate, { args: [{ reason: 'test' }] })));
  const [leadId = ''] = completedLeads(stage);
  const held = await client.workflow.start(convertLead, { workflowId: 'held', taskQueue, args: [{ leadId }] });
  await until(async () => (await held.query(progressQuery)).waiting?.includes('on hold') === true);
  await ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'over' }] });
  expect(await held.result()).toMatchObject({ outcome: 'converted' });
  const pipeline = await client.workflow.start(leadPipeline, {
    ...{ workflowId: 'pipeline', taskQueue, args: [{ maxConversions: 3, scoring: { minReadiness: 0 } }] },
  });
  expect((await pipeline.result()).counts).toMatchObject({ converted: 3 });
  // The next one asks again what stands in the books.
  await ledger.terminate('test');
  const [next = ''] = completedLeads(stage);
  const last = await client.workflow.start(convertLead, { workflowId: 'last', taskQueue, args: [{ leadId: next }] });
  expect(await last.result()).toMatchObject({ outcome: 'converted' });

  const runs: Pick<WorkflowHandle, 'fetchHistory'>[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query: "Account = 'default'" }))
    runs.push(client.workflow.getHandle(workflowId, runId));
  const all = (await Promise.all(runs.map(activitiesOf))).flat();
  const types = all.map(({ type }) => type);
  for (const type of ['openBooks', 'accountFacts', 'awaitClearance', 'keepAct', 'selectLeads'])
    expect(types).toContain(type);
  expect(all.filter(sentBack)).toEqual([]);
  expect(all.filter(ofOthers)).toEqual([]);
});

test('a ledger whose account has another name by now is opened by a worker that knows its user', async () => {
  const { client } = stage.temporal;
  await stage.startWorker();
  const ledger = client.workflow.getHandle(stage.ledgerId);
  const account = async () => (await ledger.query(statusQuery).catch(() => undefined))?.account;
  await until(async () => (await account()) === 'default');
  await client.workflow.start(accountLedger, {
    ...{ workflowId: stage.ledgerId, taskQueue, args: [{}], workflowIdConflictPolicy: 'TERMINATE_EXISTING' },
    typedSearchAttributes: [{ key: searchAttributeKeys.account, value: 'earlier' }],
  });
  await until(async () => (await account()) === 'default');
  const asked = (await activitiesOf(ledger)).filter(({ type }) => type === 'openBooks');
  expect(asked.map(({ queue }) => queue)).toEqual(['audit-runner.earlier', 'audit-runner']);
});

test('while patches are held, runs ask the queue from which workers of the version before take', async () => {
  const { namespace } = stage.temporal;
  const native = await NativeConnection.connect({ address: stage.env.TEMPORAL_ADDRESS ?? '' });
  const log = pino({ level: 'silent' });
  const common = { config: stage.config, namespace, log };
  const worker = await startWorker({ ...common, connection: native, holdsPatches: true });
  try {
    const { client } = stage.temporal;
    const [leadId = ''] = completedLeads(stage);
    const run = await client.workflow.start(convertLead, { workflowId: 'held back', taskQueue, args: [{ leadId }] });
    expect(await run.result()).toMatchObject({ outcome: 'converted' });
    const asked = [run, client.workflow.getHandle(stage.ledgerId)].map(activitiesOf);
    const queues = (await Promise.all(asked)).flat().map(({ queue }) => queue);
    expect(queues).toContain('audit-runner');
    expect(queues).not.toContain('audit-runner.default');
  } finally {
    worker.stop();
    await worker.done;
    await native.close();
  }
});
