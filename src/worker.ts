/** A worker process: workflows, and for each account a worker of control activities and one for each rate class. */

import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createActivities } from '../activities';
import { queueClasses } from './agent-api/rate-class';
import { fitToKeep } from './books/place';
import { type Config, ConfigError, watchCeilings } from './config';
import { tokenFileAccess } from './config/token-file';
import { isUnlimited } from './ledger';
import { NO_CEILING } from './ledger/details';
import { isMeasured } from './metrics/meter';
import { rootCause } from './root-cause';
import { isReleased } from './runs/patches';
import { createRuntime, type LedgerOwners, SameUser } from './runtime';
import { ensureStartHere } from './start-here/keep';
import { type NoConditionalWrites, openStorage } from './storage';
import { sayWhereApart } from './temporal/books-apart';
import { workflowBundle } from './temporal/bundle';
import { createClient } from './temporal/client';
import { type Build, sayIdle, versionedBy } from './temporal/deployment';
import { encryptionKeyIds } from './temporal/encryption';
import { ENCRYPTION_VARIABLE } from './temporal/encryption-keys';
import { joinFleet, workerIdentity, workersConverter } from './temporal/fleet-keys';
import { keepGauges } from './temporal/gauges';
import { heartbeats } from './temporal/heartbeat';
import { judgedArguments } from './temporal/judged-arguments';
import { runsOfAnotherUser } from './temporal/left-runs';
import { ACCOUNT_POLLERS, pollersOf, SERVER_TAKES, SHARED_POLLERS } from './temporal/pollers';
import { ensureQueueLimits } from './temporal/queue-limits';
import { controlQueueName, queueName, WORKFLOW_QUEUE } from './temporal/queues';
import { registerSearchAttributes } from './temporal/search-attributes';
import { storageFailures } from './temporal/storage-failures';
import { linkTo } from './temporal/ui';
import { uiUrlOf } from './temporal/ui-url';
import { followLedgers } from './temporal/writes-limit';
import { PROGRAM } from './text/command';
import { utc } from './time/utc';
import { within } from './time/within';

/** Longer than any call: what has been sent is heard out (S2). */
const GRACE_MS = 360_000;

/** A worker that starts waits so long for the server's lists, which may be away while all else works. */
const LISTED_WITHIN_MS = 20_000;

export interface WorkerDeps {
  config: Config;
  connection: NativeConnection;
  namespace: string;
  log: Logger;
  /** Where the Web UI is, for links in notifications. @default `TEMPORAL_UI_URL` */
  uiUrl?: string | undefined;
  /** Keeps the page `startHere` of the Web UI. @default false */
  startHere?: boolean;
  /** The build that its workflows are, where workers are versioned. */
  build?: Build | undefined;
  /** Runs take no change that workers of the version before cannot replay: for a deployment under way. @default false */
  holdsPatches?: boolean;
  /** How often the ledger is read for metrics, where they are on; milliseconds. @default 60,000 */
  gaugesEveryMs?: number | undefined;
}

export interface RunningWorker {
  /** Ends when the worker has: after `stop`, or rejected by a fault that it cannot survive. */
  readonly done: Promise<void>;
  /** Takes no new tasks, finishes the calls in flight, then ends. */
  stop(): void;
  /** `failed`: a part of it does not work any more. `stopping`: it takes no new tasks, by itself or since it was told to. */
  state(): 'running' | 'stopping' | 'failed';
}

export async function startWorker(deps: WorkerDeps): Promise<RunningWorker> {
  const {
    config,
    connection,
    namespace,
    log,
    build,
    holdsPatches = false,
    gaugesEveryMs,
    uiUrl = uiUrlOf(process.env),
  } = deps;
  const keyed = { own: encryptionKeyIds(process.env), requires: config.encryption.require };
  if (keyed.requires && keyed.own.length === 0)
    throw new ConfigError([`encryption.require is set, and there is no key: set ${ENCRYPTION_VARIABLE}`]);
  const client = createClient({ connection, namespace });
  const owners: LedgerOwners = new Map();
  const ceilings = watchCeilings(config, log);
  const storage = openStorage(config.storageUrl);
  const leftRuns = (account: string, ledger: string, before: string) =>
    within(runsOfAnotherUser(client, account, ledger, before), LISTED_WITHIN_MS, 'the server does not answer');
  const runtimes = new Map(
    Object.values(config.accounts).map((account) => [
      account.name,
      createRuntime(account, client, storage, owners, log, { ceilings, leftRuns }),
    ]),
  );
  const ledgers = async () => new Set(await Promise.all([...runtimes.values()].map((runtime) => runtime.whose())));
  const required = await joinFleet(client, { ...keyed, ledgers, log: (line) => log.warn(line) }).catch(
    async (error) => {
      await Promise.all([...runtimes.values()].map((runtime) => runtime.close()));
      throw error;
    },
  );
  if (required)
    log.info(
      `encryption is required since ${utc(required.since)} UTC; of runs that were open then, what is older is read until ${utc(required.until)} UTC`,
    );
  const unregistered = await registerSearchAttributes(connection, namespace);
  if (unregistered) log.warn(unregistered);
  const converter = workersConverter(client, namespace, keyed.requires);
  const identity = workerIdentity(keyed);
  const activities = createActivities({
    ...{ accounts: runtimes, client, identity, storage, log, receiver: config.notify },
    linkTo: (workflowId, runId) => (uiUrl ? linkTo(uiUrl, namespace, workflowId, runId) : undefined),
  });
  const common = {
    connection,
    namespace,
    activities,
    shutdownGraceTime: GRACE_MS,
    identity,
    interceptors: { activity: [heartbeats, storageFailures, judgedArguments(required)] },
    ...(converter && { dataConverter: converter }),
  } satisfies Partial<WorkerOptions>;

  const workflows = await Worker.create({
    ...common,
    activities: {},
    taskQueue: WORKFLOW_QUEUE,
    workflowBundle: await workflowBundle({ isVersioned: build !== undefined, required }),
    ...(build && { workerDeploymentOptions: versionedBy(build) }),
    ...(holdsPatches && { patchActivationCallback: ({ patchId }) => isReleased(patchId) }),
    maxConcurrentWorkflowTaskExecutions: config.workers.workflows,
    // An open run takes a third of a MB here; what is evicted is replayed when it is needed. With few places a burst of
    // runs evicts the ledger, which is slow to replay; and a run that is evicted with several queries waiting may hang.
    maxCachedWorkflows: 120,
    // The worker that had the ledger last may be gone: until this is over no other gets its task, and no write its turn.
    stickyQueueScheduleToStartTimeout: '3 seconds',
  });
  const callers = [
    await Worker.create({
      ...common,
      taskQueue: WORKFLOW_QUEUE,
      maxConcurrentActivityTaskExecutions: config.workers.other,
      activityTaskPollerBehavior: SHARED_POLLERS,
    }),
  ];
  for (const account of Object.values(config.accounts)) {
    const { name, limits } = account;
    for (const warning of await ensureQueueLimits(connection, namespace, name, limits))
      log.warn({ account: account.name }, warning);
    const places: [queue: string, most: number][] = [
      [controlQueueName(account.name), config.workers.other],
      ...queueClasses.map((rateClass): [string, number] => [
        queueName(account.name, rateClass),
        config.workers[rateClass],
      ]),
    ];
    for (const [taskQueue, maxConcurrentActivityTaskExecutions] of places)
      callers.push(
        await Worker.create({
          ...{ ...common, taskQueue, maxConcurrentActivityTaskExecutions },
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
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    callers.forEach(shutDown);
  };
  let refused: SameUser | NoConditionalWrites | undefined;
  const refuse = (why: typeof refused) => {
    refused = why;
    stop();
  };
  const ending = new AbortController();
  fitToKeep(storage, ending.signal).catch(refuse);
  if (build) void sayIdle(client, build, (line) => log.warn(line), ending.signal);
  for (const runtime of runtimes.values()) {
    const { account } = runtime;
    if (isUnlimited(account.budget)) log.warn({ account: account.name }, NO_CEILING.join('; '));
    const access = tokenFileAccess(account.token.file);
    if (access?.mend !== undefined) log.warn({ account: account.name }, `${access.found}: run \`${access.mend}\``);
    runtime.ledger().then(
      async (found) => {
        log.info({ account: account.name, ledger: found.workflowId }, 'account is ready');
        // Where it cannot be asked, the pages and `status` say it.
        await sayWhereApart(client, found, log).catch(() => undefined);
      },
      (error) => {
        const cause = rootCause(error);
        if (cause instanceof SameUser) refuse(cause);
        else log.warn({ account: account.name, err: error }, 'account is not ready yet; tried again when it is needed');
      },
    );
  }
  if (deps.startHere)
    ensureStartHere(client).catch((error) =>
      log.warn({ err: error }, `the page to start runs from is not kept; \`${PROGRAM} setup\` tries again`),
    );
  const stopFollowing = followLedgers({ accounts: [...runtimes.values()], connection, namespace, log });
  const called = Promise.all(callers.map((worker) => worker.run())).finally(async () => {
    stopGauges();
    stopFollowing();
    ending.abort();
    await Promise.all([...runtimes.values()].map((runtime) => runtime.leave()));
    shutDown(workflows);
  });
  const done = Promise.all([workflows.run(), called]).then(async () => {
    await Promise.all([...runtimes.values()].map((runtime) => runtime.close()));
    if (refused) throw refused;
  });
  const all = [workflows, ...callers];
  const isFailed = () => all.some((one) => one.getState() === 'FAILED');
  return { done, stop, state: () => (isFailed() ? 'failed' : isStopping ? 'stopping' : 'running') };
}
