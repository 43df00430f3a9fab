/** A worker process: workflows, control activities, and one activity worker per account and rate class. */

import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createActivities } from '../activities';
import { queueClasses } from './agent-api/rate-class';
import { type Config, watchCeilings } from './config';
import { isMeasured } from './metrics/meter';
import { createRuntime, type LedgerOwners, SameUser } from './runtime';
import { ensureStartHere } from './start-here/keep';
import { openStorage } from './storage';
import { workflowBundle } from './temporal/bundle';
import { createClient } from './temporal/client';
import { dataConverter, encryptionCodec } from './temporal/encryption';
import { isFleetKey, joinFleet } from './temporal/fleet-keys';
import { keepGauges } from './temporal/gauges';
import { heartbeats } from './temporal/heartbeat';
import { ACCOUNT_POLLERS, CONTROL_POLLERS, pollersOf, SERVER_TAKES } from './temporal/pollers';
import { ensureQueueLimits } from './temporal/queue-limits';
import { queueName, WORKFLOW_QUEUE } from './temporal/queues';
import { registerSearchAttributes } from './temporal/search-attributes';
import { storageFailures } from './temporal/storage-failures';
import { TolerantCodec } from './temporal/tolerant';
import { linkTo } from './temporal/ui';
import { PROGRAM } from './text/command';

/** Longer than any call: what has been sent is heard out (S2). */
const GRACE_MS = 360_000;

export interface WorkerDeps {
  config: Config;
  connection: NativeConnection;
  namespace: string;
  log: Logger;
  /** Where the Web UI is, for links in notifications. @default `TEMPORAL_UI_URL` */
  uiUrl?: string | undefined;
  /** Keeps the page `startHere` of the Web UI. @default false */
  startHere?: boolean;
  /** How often the ledger is read for metrics, where they are on; milliseconds. @default 60,000 */
  gaugesEveryMs?: number | undefined;
}

export interface RunningWorker {
  /** Ends when the worker has: after `stop`, or rejected by a fault that it cannot survive. */
  readonly done: Promise<void>;
  /** Takes no new tasks, finishes the calls in flight, then ends. */
  stop(): void;
}

export async function startWorker(deps: WorkerDeps): Promise<RunningWorker> {
  const {
    config,
    connection,
    namespace,
    log,
    gaugesEveryMs,
    uiUrl = process.env.TEMPORAL_UI_URL?.replace(/\/+$/, ''),
  } = deps;
  const encryption = encryptionCodec(process.env);
  const client = createClient({ connection, namespace });
  await joinFleet(client, encryption?.keyIds ?? []);
  const tolerant = new TolerantCodec(encryption, (keyId) => isFleetKey(client, keyId));
  const converter = dataConverter(process.env, tolerant);
  const unregistered = await registerSearchAttributes(connection, namespace);
  if (unregistered) log.warn(unregistered);
  const owners: LedgerOwners = new Map();
  const ceilings = watchCeilings(config, log);
  const storage = openStorage(config.storageUrl);
  const runtimes = new Map(
    Object.values(config.accounts).map((account) => [
      account.name,
      createRuntime(account, client, storage, owners, log, ceilings),
    ]),
  );
  const activities = createActivities({
    ...{ accounts: runtimes, client, storage, log, receiver: config.notify },
    linkTo: (workflowId, runId) => (uiUrl ? linkTo(uiUrl, namespace, workflowId, runId) : undefined),
  });
  const common = {
    connection,
    namespace,
    activities,
    shutdownGraceTime: GRACE_MS,
    interceptors: { activity: [heartbeats, storageFailures] },
    ...(converter && { dataConverter: converter }),
  } satisfies Partial<WorkerOptions>;

  const workflows = await Worker.create({
    ...common,
    activities: {},
    taskQueue: WORKFLOW_QUEUE,
    workflowBundle: await workflowBundle(),
    maxConcurrentWorkflowTaskExecutions: config.workers.workflows,
    // An open run takes a third of a MB here; what is evicted is replayed when it is needed. With few places a burst of
    // runs evicts the ledger, which is slow to replay; and a run that is evicted with several queries waiting may hang.
    maxCachedWorkflows: 120,
  });
  const callers = [
    await Worker.create({
      ...common,
      taskQueue: WORKFLOW_QUEUE,
      maxConcurrentActivityTaskExecutions: config.workers.other,
      activityTaskPollerBehavior: CONTROL_POLLERS,
    }),
  ];
  for (const account of Object.values(config.accounts)) {
    for (const warning of await ensureQueueLimits(connection, namespace, account.name, account.limits))
      log.warn({ account: account.name }, warning);
    for (const rateClass of queueClasses)
      callers.push(
        await Worker.create({
          ...common,
          taskQueue: queueName(account.name, rateClass),
          maxConcurrentActivityTaskExecutions: config.workers[rateClass],
          activityTaskPollerBehavior: ACCOUNT_POLLERS,
        }),
      );
  }

  const stopGauges = isMeasured()
    ? keepGauges({
        ...{ accounts: [...runtimes.values()], client, connection, namespace, log },
        everyMs: gaugesEveryMs,
      })
    : () => undefined;
  const pollers = pollersOf(runtimes.size);
  log.info(
    { pollers, serverTakes: SERVER_TAKES },
    `the worker keeps ${pollers} requests for activities open; a server with its defaults has room for ${Math.floor(SERVER_TAKES / pollers)} such workers`,
  );

  // Calls in flight still tell the ledger what became of them, and other activities ask it: it is a workflow, and workflows
  // stop last.
  const shutDown = (worker: Worker) => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const stop = () => callers.forEach(shutDown);
  let refused: SameUser | undefined;
  for (const runtime of runtimes.values())
    runtime.ledger().then(
      ({ workflowId }) => log.info({ account: runtime.account.name, ledger: workflowId }, 'account is ready'),
      (error) => {
        if (error instanceof SameUser) {
          refused = error;
          stop();
        } else
          log.warn(
            { account: runtime.account.name, err: error },
            'account is not ready yet; tried again when it is needed',
          );
      },
    );
  if (deps.startHere)
    ensureStartHere(client).catch((error) =>
      log.warn({ err: error }, `the page to start runs from is not kept; \`${PROGRAM} setup\` tries again`),
    );
  const called = Promise.all(callers.map((worker) => worker.run())).finally(async () => {
    stopGauges();
    await Promise.all([...runtimes.values()].map((runtime) => runtime.leave()));
    shutDown(workflows);
  });
  const done = Promise.all([workflows.run(), called]).then(async () => {
    await Promise.all([...runtimes.values()].map((runtime) => runtime.close()));
    if (refused) throw refused;
  });
  return { done, stop };
}
