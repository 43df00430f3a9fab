/**
 * What workflows say of themselves: each is begun in the SDK's own VM with the real bundle, without a server, and is asked what
 * messages it takes. Some register a handler later, so a few of their activities are answered.
 */
import { defaultPayloadConverter, TypedSearchAttributes } from '@temporalio/common';
import { coresdk } from '@temporalio/proto';
import Long from 'long';
import { LIMITS } from '../../src/agent-api/routes';
import { workflowCreator } from '../simulation/worker/bundle';

export interface Message {
  name: string;
  description: string;
}

export interface Messages {
  updates: Message[];
  queries: Message[];
  signals: Message[];
  /** By update: how it refuses a field that it does not know. */
  refusals: ReadonlyMap<string, string>;
}

/** What Temporal gives each run. */
const OF_TEMPORAL = '__';
const RUN = 'reference';
const AT = 0;
const UNKNOWN_FIELD = { zzzzzzzzzzzz: 1 };

const timing = { paidTimeoutMs: 210_000, sendWindowMs: 5_000, settlingMs: 300_000, holdProbeMs: 60_000, pollMs: 5_000 };

/** What activities answer until a run has registered all that it takes. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  accountFacts: { convertPrice: 1000, createPrice: 1000, timing, limits: LIMITS },
  openBooks: {
    configured: { account: 'default', timing, budget: { perDay: null, balanceFloor: 0, timeZone: 'UTC' } },
    probeEveryMs: 60_000,
    before: { lost: false },
  },
  checkDocuments: {
    documents: [{ ref: 'a.pdf', fileName: 'a.pdf', fileType: 'application/pdf', size: 1, sha256: '' }],
    problems: [],
  },
  identifyNote: { textKey: 'note', id: 'note' },
  planCall: { problems: [], plan: { method: 'GET', queue: 'reads', credits: 0, once: false, subject: 'call:x' } },
};

type Job = coresdk.workflow_activation.IWorkflowActivationJob;
type Definition = { name: string; description?: string };
interface Metadata {
  definition?: {
    updateDefinitions?: Definition[];
    queryDefinitions?: Definition[];
    signalDefinitions?: Definition[];
  };
}

const payload = (value: unknown) => defaultPayloadConverter.toPayload(value);

/** @param input one with which a run begins */
export async function messagesOf(workflowType: string, workflowId: string, input: unknown): Promise<Messages> {
  const workflow = await workflowCreator('now').createWorkflow({
    info: {
      ...{ workflowId, workflowType, runId: RUN, firstExecutionRunId: RUN, taskQueue: RUN, namespace: RUN },
      ...{ attempt: 1, taskTimeoutMs: 10_000, historyLength: 3, historySize: 900, continueAsNewSuggested: false },
      ...{ searchAttributes: {}, typedSearchAttributes: new TypedSearchAttributes() },
      ...{ startTime: new Date(AT), runStartTime: new Date(AT) },
      unsafe: { isReplaying: false, isReplayingHistoryEvents: false, now: () => AT },
    } as never,
    ...{ randomnessSeed: [1, 2, 3, 4], now: AT, showStackTraceSources: false },
  });

  async function activate(job: Job) {
    const about = { runId: RUN, timestamp: { seconds: 0, nanos: 0 }, historyLength: 3, isReplaying: false };
    const { WorkflowActivation } = coresdk.workflow_activation;
    const { successful, failed } = await workflow.activate(
      WorkflowActivation.fromObject({ ...about, historySizeBytes: Long.fromNumber(900), jobs: [job] }),
    );
    if (failed) throw new Error(`${workflowType}: ${failed.failure?.message}`);
    return successful?.commands ?? [];
  }

  async function go(job: Job): Promise<void> {
    for (const { scheduleActivity: wanted, failWorkflowExecution: end } of await activate(job)) {
      if (end) throw new Error(`${workflowType} ended: ${end.failure?.message}`);
      const answer = ANSWERS[wanted?.activityType ?? ''];
      if (wanted && answer !== undefined)
        await go({ resolveActivity: { seq: wanted.seq ?? 0, result: { completed: { result: payload(answer) } } } });
    }
  }

  try {
    const [startTime, seed] = [{ seconds: Long.fromNumber(AT) }, Long.fromNumber(5)];
    const begun = { workflowType, workflowId, attempt: 1, taskQueue: RUN, randomnessSeed: seed, startTime };
    await go({ initializeWorkflow: { ...begun, arguments: [payload(input)] } });
    const asked = await activate({ queryWorkflow: { queryId: 'q', queryType: '__temporal_workflow_metadata' } });
    const answer = asked.find(({ respondToQuery }) => respondToQuery)?.respondToQuery?.succeeded?.response;
    if (!answer) throw new Error(`${workflowType} does not say what it takes`);
    const { definition = {} } = defaultPayloadConverter.fromPayload<Metadata>(answer as never);
    const updates = own(definition.updateDefinitions);
    const refusals = new Map<string, string>();
    for (const { name } of updates) {
      const doUpdate = {
        id: name,
        protocolInstanceId: name,
        name,
        input: [payload(UNKNOWN_FIELD)],
        runValidator: true,
      };
      const [first] = await activate({ doUpdate: { ...doUpdate, meta: { updateId: name } } });
      refusals.set(name, first?.updateResponse?.rejected?.message ?? '');
    }
    const [queries, signals] = [own(definition.queryDefinitions), own(definition.signalDefinitions)];
    return { updates, queries, signals, refusals };
  } finally {
    await workflow.dispose();
  }
}

const own = (definitions: readonly Definition[] = []): Message[] =>
  definitions
    .filter(({ name }) => !name.startsWith(OF_TEMPORAL))
    .map(({ name, description = '' }) => ({ name, description }));
