/** Who did something to a run, by what Temporal has kept of it in the run's history. */
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

export interface Who {
  /** What the client called itself: anybody can write any name there. */
  identity?: string;
  /**
   * The caller as the server knows it, with its kind: `jwt:ann@example.com`. Servers from 1.31 on tell it where
   * `frontend.enablePrincipalPropagation` is set.
   */
  principal?: string;
}

/** Events that are looked through for a message, from the last one backwards, a page at a time. */
const PAGE = 200;
const MOST_PAGES = 10;

/** Who sent an update that the run has accepted; nobody where the history does not tell. */
export async function whoSaid(
  { workflowService, options: { namespace } }: Client,
  execution: Execution,
  updateId: string,
): Promise<Who> {
  let nextPageToken: Uint8Array | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const asked = { namespace, execution, maximumPageSize: PAGE, ...(nextPageToken && { nextPageToken }) };
    const { history, nextPageToken: next } = await workflowService.getWorkflowExecutionHistoryReverse(asked);
    for (const event of history?.events ?? []) {
      const meta = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.meta;
      if (meta?.updateId === updateId) return whoOf(event, meta.identity);
    }
    if (!next?.length) return {};
    nextPageToken = next;
  }
  return {};
}

/** A run, one of those that an ID has had. */
export interface Execution {
  workflowId: string;
  runId: string;
}

/** The run at whose top a run stands: itself, where no other run began it. */
export async function rootOf(client: Client, { workflowId, runId }: Execution): Promise<Execution> {
  const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
  const { workflowId: id, runId: run } = raw.workflowExecutionInfo?.rootExecution ?? {};
  return id && run ? { workflowId: id, runId: run } : { workflowId, runId };
}

/** How a run began. */
export interface Start {
  who: Who;
  /** Milliseconds since 1970. */
  at: number;
  /** Of the runs that it continues as new, the first. */
  firstRunId: string;
  /** The Temporal Schedule that started it, by its ID: the server says so, but whoever starts a run can say so, too. */
  schedule?: string;
  input: unknown;
}

/**
 * How a run began that may have gone on as new since.
 * @throws `WorkflowNotFoundError` where the server does not have it any more
 */
export async function startOf(client: Client, run: Execution): Promise<Start | undefined> {
  const start = await beginningOf(client, run);
  if (!start || start.firstRunId === run.runId) return start;
  return beginningOf(client, { ...run, runId: start.firstRunId });
}

/** The input of a run, as this very part of it was given it. */
export const inputOf = async (client: Client, run: Execution): Promise<unknown> =>
  (await beginningOf(client, run))?.input;

async function beginningOf(
  { workflowService, options: { namespace, loadedDataConverter } }: Client,
  execution: Execution,
): Promise<Start | undefined> {
  const { history } = await workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 });
  const [event] = history?.events ?? [];
  const started = event?.workflowExecutionStartedEventAttributes;
  if (!event || !started) return undefined;
  const { payloadConverter, payloadCodecs } = loadedDataConverter;
  let payloads = started.input?.payloads ?? [];
  const context = { type: 'workflow', namespace, workflowId: execution.workflowId } as const;
  for (const codec of payloadCodecs) payloads = await codec.decode(payloads, context);
  const [input] = payloads;
  const schedule = textIn(started.searchAttributes?.indexedFields?.TemporalScheduledById?.data);
  return {
    who: whoOf(event, started.identity),
    at: Number(event.eventTime?.seconds ?? 0) * 1_000,
    firstRunId: started.firstExecutionRunId || execution.runId,
    ...(schedule && { schedule }),
    input: input && payloadConverter.fromPayload(input),
  };
}

/** Of a search attribute, which is never encrypted; undefined for what is no text. */
function textIn(data: Uint8Array | null | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(data ?? []).toString());
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function whoOf({ principal }: HistoryEvent, identity: string | null | undefined): Who {
  const { type, name } = principal ?? {};
  return { ...(identity && { identity }), ...(name && { principal: type ? `${type}:${name}` : name }) };
}
