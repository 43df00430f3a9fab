/** A worker process: real activities, gate, ledger client and API client, and the workflow bundle. */

import type { ConnectionLike } from '@temporalio/client';
import { noopMetricMeter } from '@temporalio/common';
import { ActivityCancellationDetails } from '@temporalio/common/lib/activity-cancellation-details';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import type { coresdk } from '@temporalio/proto';
import { Activity as SdkActivity } from '@temporalio/worker/lib/activity';
import pino from 'pino';
import { createActivities } from '../../../activities';
import type { Open } from '../../../src/agent-api/client';
import type { Account } from '../../../src/config';
import type { Ceilings } from '../../../src/config/ceilings';
import { createRuntime } from '../../../src/runtime';
import type { Storage } from '../../../src/storage';
import { createClient } from '../../../src/temporal/client';
import { heartbeats } from '../../../src/temporal/heartbeat';
import { storageFailures } from '../../../src/temporal/storage-failures';
import type { Activity, Try, TryResult } from '../engine/activity';
import type { Completion } from '../engine/history';
import { ms, NAMESPACE } from '../engine/proto';
import type { Run } from '../engine/run';
import type { Server, Worker } from '../engine/server';
import type { Task } from '../engine/workflow-tasks';
import { here } from '../world/world';
import type { Build } from './bundle';
import { Host } from './host';
import { takenAtOf } from './transport';

/** Core sends heartbeats this part of their timeout apart, however often the activity has one. */
const HEARTBEAT_EVERY = 0.8;

export interface WorkerParts {
  server: Server;
  account: Account;
  connection: ConnectionLike;
  storage: Storage;
  open: Open;
  ceilings(): Ceilings;
  onReplay(run: Run): void;
}

const silent = () => undefined;
const logger = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
const converter = loadDataConverter({});

/** An activity as the SDK takes it: any function of JSON values. */
type Callable = (...args: unknown[]) => Promise<unknown>;

export class WorkerProcess implements Worker {
  alive = true;
  readonly #host: Host;
  readonly #client;
  readonly #activities: Map<string, Callable>;

  constructor(
    readonly name: string,
    readonly skewMs: number,
    readonly build: Build,
    private readonly parts: WorkerParts,
  ) {
    const { server, account, connection, storage, open } = parts;
    this.#host = new Host(server.mishaps, parts.onReplay, build);
    const log = pino({ level: 'silent' });
    const { client, activities } = here.run(this, () => {
      const client = createClient({ connection, namespace: NAMESPACE }, {});
      const runtime = createRuntime(account, client, storage, new Map(), log, { ceilings: parts.ceilings, open });
      const activities = createActivities({
        ...{ accounts: new Map([[account.name, runtime]]), client, identity: this.name, storage, log },
        linkTo: () => undefined,
      });
      runtime.ledger().catch(() => undefined);
      return { client, activities };
    });
    this.#client = client;
    this.#activities = new Map(Object.entries(activities) as [string, Callable][]);
  }

  activate(run: Run, task: Task): Promise<Completion> {
    return this.parts.server.world.hold(() => this.#host.activate(run, task));
  }

  async query(
    run: Run,
    query: coresdk.workflow_activation.IQueryWorkflow,
  ): Promise<coresdk.workflow_commands.IQueryResult> {
    const { server } = this.parts;
    try {
      return await server.world.hold(() => this.#host.query(run, query));
    } catch (error) {
      // A replay that a query needs is a test of determinism as any other.
      const message = error instanceof Error ? error.message : String(error);
      server.onTaskFailure(run, 'QUERY', message);
      return { failed: { message } };
    }
  }

  forget(runId?: string): void {
    this.#host.forget(runId);
  }

  perform(task: Try): void {
    here.run(this, () => void this.#perform(task));
  }

  async #perform(task: Try): Promise<void> {
    const { server } = this.parts;
    const { activity } = task;
    const { how, run } = activity;
    const args = (how.arguments ?? []).map((payload) => converter.payloadConverter.fromPayload(payload));
    const context = {
      type: 'activity',
      namespace: NAMESPACE,
      activityId: how.activityId ?? '',
      isLocal: false,
    } as const;
    const info = infoOf(task);
    const beats = beating(this, task, (reason) =>
      sdk.cancel(reason, ActivityCancellationDetails.fromProto({ [reasons[reason]]: true })),
    );
    takenAtOf.set(info, task.takenAt);
    const sdk: SdkActivity = new SdkActivity(
      info as never,
      this.#activities.get(activity.type),
      converter,
      context as never,
      undefined,
      beats.beat,
      this.#client,
      logger as never,
      noopMetricMeter,
      [heartbeats, storageFailures],
    );
    const result = resultOf(await sdk.run({ args, headers: {} }));
    if (!server.mishaps.crossing(this, `${activity.type} done`)) return;
    const { world } = server;
    // Sent until it has arrived: an answer that is sent twice is taken once.
    world.after(server.latency(), () => {
      const meant = server.meant(task);
      world.tell(`${activity.type} of ${run.workflowId}: ${Object.keys(result)}${meant ? '' : ', too late'}`);
      // What was said last is on its way before the answer.
      if (meant && beats.said) meant.details = beats.said.details;
      meant?.answered(result);
    });
  }
}

type Reason = 'CANCELLED' | 'NOT_FOUND' | 'RESET';
const reasons: Record<Reason, string> = { CANCELLED: 'isCancelled', NOT_FOUND: 'isNotFound', RESET: 'isReset' };

/** Heartbeats, as Core sends them on; by the answer the activity hears that it is not wanted any more. */
function beating(process: WorkerProcess, task: Try, cancel: (reason: Reason) => void) {
  const { activity } = task;
  const { server } = (activity as Activity).run;
  const every = HEARTBEAT_EVERY * (ms(activity.how.heartbeatTimeout) ?? 30_000);
  let sentAt = Number.NEGATIVE_INFINITY;
  const beats = {
    /** The last of them, whether it was sent on or not. */
    said: undefined as { details: unknown } | undefined,
    beat(details: unknown): void {
      const { world } = server;
      beats.said = { details };
      if (world.now - sentAt < every) return;
      sentAt = world.now;
      world.after(server.latency(), () => {
        const meant = server.meant(task);
        if (meant) meant.details = details;
        const said = meant?.heartbeat();
        const wanted = said?.cancelRequested ? 'CANCELLED' : undefined;
        const reason = !said ? 'NOT_FOUND' : said.activityReset ? 'RESET' : wanted;
        if (reason) world.after(server.latency(), () => here.run(process, () => cancel(reason)), process);
      });
    },
  };
  return beats;
}

function resultOf({ completed, failed, cancelled }: coresdk.activity_result.IActivityExecutionResult): TryResult {
  if (failed?.failure) return { failed: failed.failure };
  return cancelled ? { cancelled: true } : { completed: completed?.result ?? undefined };
}

/** Of what the SDK tells an activity of itself, what is asked for. */
const infoOf = ({ activity: { how, run, type, queue }, attempt, scheduledAt, details }: Try) => ({
  ...{ attempt, activityId: how.activityId ?? '', activityType: type, taskQueue: queue, workflowType: run.type },
  workflowExecution: { workflowId: run.workflowId, runId: run.runId },
  ...{ namespace: NAMESPACE, inWorkflow: true, isLocal: false, heartbeatDetails: details },
  ...{ heartbeatTimeoutMs: ms(how.heartbeatTimeout), currentAttemptScheduledTimestampMs: scheduledAt },
});
