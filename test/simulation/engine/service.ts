/** The server's gRPC service, as far as clients of this project call it. */
import type { temporal } from '@temporalio/proto';
import { temporal as api } from '@temporalio/proto';
import Long from 'long';
import type { Event } from './history';
import { GRPC, GrpcError, type Payload, timestamp } from './proto';
import type { Run, Start } from './run';
import type { Server } from './server';
import { STAGE } from './updates';
import { executionOf, infoOf } from './visibility';

type Requests = temporal.api.workflowservice.v1.WorkflowService;
const { EventType } = api.api.enums.v1;
const CLOSE_EVENT = 2;

/** How long the server keeps a request open that waits for something. */
const LONG_POLL_MS = 20_000;
/** How long a query waits for a worker. */
const QUERY_WITHIN_MS = 10_000;

type Handler = (request: never) => unknown;

export function createService(server: Server) {
  const { world } = server;
  let queries = 0;

  const startOf = (request: temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest): Start => ({
    workflowId: request.workflowId ?? '',
    type: request.workflowType?.name ?? '',
    input: payloads(request.input),
    taskQueue: request.taskQueue?.name ?? '',
    searchAttributes: request.searchAttributes?.indexedFields ?? {},
    requestId: request.requestId ?? undefined,
    priority: request.priority,
  });

  const update = async (
    run: Run,
    { request, waitPolicy }: temporal.api.workflowservice.v1.IUpdateWorkflowExecutionRequest,
  ) => {
    const { meta, input } = request ?? {};
    const id = meta?.updateId ?? '';
    run.updates.admit(id, input?.name ?? '', payloads(input?.args));
    const stage = waitPolicy?.lifecycleStage ?? STAGE.ACCEPTED;
    return {
      ...(await run.updates.until(id, stage, LONG_POLL_MS)),
      updateRef: { workflowExecution: executionOf(run), updateId: id },
    };
  };

  const handlers = {
    async executeMultiOperation({ operations }: temporal.api.workflowservice.v1.IExecuteMultiOperationRequest) {
      const [first, second] = operations ?? [];
      const { workflowIdConflictPolicy: conflict, workflowIdReusePolicy: reuse } = first?.startWorkflow ?? {};
      const { run, isNew } = server.start(startOf(first?.startWorkflow ?? {}), { conflict, reuse });
      const updateWorkflow = await update(run, second?.updateWorkflow ?? {});
      return { responses: [{ startWorkflow: { runId: run.runId, started: isNew } }, { updateWorkflow }] };
    },

    updateWorkflowExecution(request: temporal.api.workflowservice.v1.IUpdateWorkflowExecutionRequest) {
      const run = server.find(request.workflowExecution ?? {});
      // One that is known is answered also where the run has ended.
      if (!run.isOpen && !run.updates.has(request.request?.meta?.updateId ?? ''))
        server.findOpen(request.workflowExecution ?? {});
      return update(run, request);
    },

    async pollWorkflowExecutionUpdate({
      updateRef,
    }: temporal.api.workflowservice.v1.IPollWorkflowExecutionUpdateRequest) {
      const run = server.find(updateRef?.workflowExecution ?? {});
      return run.updates.until(updateRef?.updateId ?? '', STAGE.COMPLETED, LONG_POLL_MS);
    },

    async queryWorkflow({ execution, query }: temporal.api.workflowservice.v1.IQueryWorkflowRequest) {
      const run = server.find(execution ?? {});
      const until = world.now + QUERY_WITHIN_MS;
      const wait = (ms: number) => new Promise<void>((resolve) => void world.after(ms, resolve));
      while (world.now < until) {
        // What was asked after something had happened is answered after the run has heard of it.
        if (run.isOpen && run.tasks.current) {
          await Promise.race([run.tasks.end(), wait(until - world.now)]);
          continue;
        }
        const worker = run.tasks.worker ?? server.someWorker();
        if (!worker || run.episodes.length === 0) {
          await wait(500);
          continue;
        }
        const asked = {
          queryId: `q${++queries}`,
          queryType: query?.queryType ?? '',
          arguments: payloads(query?.queryArgs),
        };
        await wait(server.latency());
        if (!worker.alive) continue;
        const { succeeded, failed } = await worker.query(run, asked);
        await wait(server.latency());
        if (!worker.alive) continue;
        if (failed) throw new GrpcError(GRPC.INVALID_ARGUMENT, failed.message ?? 'the query failed');
        return { queryResult: { payloads: succeeded?.response ? [succeeded.response] : [] } };
      }
      throw new GrpcError(GRPC.DEADLINE_EXCEEDED, 'the query was not answered in time');
    },

    describeWorkflowExecution({ execution }: temporal.api.workflowservice.v1.IDescribeWorkflowExecutionRequest) {
      const run = server.find(execution ?? {});
      return {
        workflowExecutionInfo: infoOf(run),
        workflowExtendedInfo: { cancelRequested: run.cancelRequested },
        ...(run.tasks.current && { pendingWorkflowTask: { attempt: run.tasks.current.attempt } }),
        pendingActivities: [...run.activities.values()].map(({ how, attempt }) => ({
          activityId: how.activityId,
          attempt,
        })),
      };
    },

    listWorkflowExecutions({ query }: temporal.api.workflowservice.v1.IListWorkflowExecutionsRequest) {
      return { executions: server.visibility.list(query ?? ''), nextPageToken: new Uint8Array() };
    },

    countWorkflowExecutions({ query }: temporal.api.workflowservice.v1.ICountWorkflowExecutionsRequest) {
      return { count: Long.fromNumber(server.visibility.list(query ?? '').length), groups: [] };
    },

    async getWorkflowExecutionHistory({
      execution,
      maximumPageSize,
      historyEventFilterType,
    }: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryRequest) {
      const run = server.find(execution ?? {});
      if (historyEventFilterType === CLOSE_EVENT) {
        if (run.isOpen) await new Promise<void>((resolve) => void world.after(LONG_POLL_MS, resolve));
        return { history: { events: run.isOpen ? [] : run.history.slice(-1).map(eventOf) } };
      }
      return { history: { events: run.history.slice(0, maximumPageSize || undefined).map(eventOf) } };
    },

    getWorkflowExecutionHistoryReverse({
      execution,
      maximumPageSize,
    }: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseRequest) {
      const events = server.find(execution ?? {}).history.toReversed();
      return { history: { events: events.slice(0, maximumPageSize || undefined).map(eventOf) } };
    },

    describeTaskQueue() {
      const pollers = server.workers
        .filter(({ alive }) => alive)
        .map(({ name }) => ({ identity: name, lastAccessTime: timestamp(world.now) }));
      return { pollers, stats: { approximateBacklogCount: Long.ZERO } };
    },
  } satisfies Partial<Record<keyof Requests, Handler>>;

  return (method: string, request: unknown): Promise<unknown> => {
    const handle: unknown = Reflect.get(handlers, method);
    if (typeof handle !== 'function') {
      server.onUnknown(`the call ${method} of the server`);
      throw new GrpcError(GRPC.UNIMPLEMENTED, `not simulated: ${method}`);
    }
    return new Promise((resolve, reject) => {
      const broken = () => reject(new GrpcError(GRPC.UNAVAILABLE, 'the server is restarted'));
      if (server.isDown) return broken();
      server.calls.add(broken);
      void (async () => handle(request))()
        .then(resolve, reject)
        .finally(() => server.calls.delete(broken));
    });
  };
}

const payloads = (of: { payloads?: Payload[] | null } | null | undefined): Payload[] => of?.payloads ?? [];
/** Their names in the protocol: EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, workflowTaskScheduledEventAttributes. */
const eventOf = ({ id, type, at, detail = {} }: Event) => ({
  eventId: Long.fromNumber(id),
  eventTime: timestamp(at),
  eventType: Reflect.get(EventType, `EVENT_TYPE${type.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`) ?? 0,
  [`${type[0]?.toLowerCase()}${type.slice(1)}EventAttributes`]: detail,
});
