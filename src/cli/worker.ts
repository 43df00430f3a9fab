/** `audit-runner worker`: works for the configured accounts until it is told to end. */
import { setFlagsFromString } from 'node:v8';
import { accountOf, type Config, ConfigError, loadConfig } from '../config';
import { serveHealth, WorkerHealth } from '../health';
import { createLogger } from '../log';
import { rootMessage } from '../root-cause';
import { sayOfPatches } from '../runs/patches';
import { SameUser } from '../runtime';
import { NoConditionalWrites } from '../storage';
import { credentialsWatch } from '../temporal/connect';
import { closeIfUnused, connectNative } from '../temporal/connect-worker';
import { buildOf } from '../temporal/deployment';
import { pollsRefused } from '../temporal/pollers';
import { installSdkRuntime } from '../temporal/sdk-runtime';
import { explained } from '../temporal/unreachable';
import { PROGRAM } from '../text/command';
import { startWorker } from '../worker';
import { EXIT } from './exit';
import { knownServer } from './server';
import { EndSignals } from './signals';

/** @throws ConfigError when no account is configured: a worker would have nothing to do. */
export function workableConfig(file: string | undefined): Config {
  const config = loadConfig({ env: process.env, file });
  if (Object.keys(config.accounts).length === 0) accountOf(config);
  return config;
}

/** How long the Temporal server has for an answer by which the worker counts as ready. */
const ASK_MS = 5_000;

/** @throws ConfigError for what is neither */
function isTrue(name: string): boolean {
  const value = process.env[name]?.trim().toLowerCase() ?? '';
  if (['', 'false', '0'].includes(value)) return false;
  if (['true', '1'].includes(value)) return true;
  throw new ConfigError([`${name}: it is 'true' or 'false'`]);
}

/** @throws ConfigError where nothing can listen there */
const listening = (address: string, health: WorkerHealth) =>
  serveHealth(address, health).catch((error: unknown) => {
    throw new ConfigError([`AUDIT_RUNNER_HEALTH_ADDRESS: nothing can listen at ${address} (${rootMessage(error)})`]);
  });

const SANDBOX_RUNS = `\`${PROGRAM} dev\` runs its sandbox in this folder, and no worker of configured accounts joins that: end it, or name another Temporal server with TEMPORAL_ADDRESS`;

export async function workerCommand(options: { config?: string }): Promise<number> {
  // Collects garbage when the heap has grown by a third, not fourfold, here and in the thread of the workflows (made
  // later). No limit: an activity with a long list takes what it needs.
  setFlagsFromString('--optimize-for-size');
  const config = workableConfig(options.config);
  const signals = new EndSignals();
  const log = createLogger({ level: config.log.level });
  // Nobody watches a worker: beside the sentence its log has the stack.
  process.prependListener('uncaughtException', (error) => log.fatal({ err: error }, 'the worker ends'));
  for (const notice of config.notices) log.warn(notice);
  const build = buildOf(process.env);
  const holdsPatches = isTrue('AUDIT_RUNNER_HOLD_PATCHES');
  const health = new WorkerHealth(credentialsWatch());
  const healthAddress = process.env.AUDIT_RUNNER_HEALTH_ADDRESS;
  const probed = healthAddress ? await listening(healthAddress, health) : undefined;
  installSdkRuntime(log, process.env.AUDIT_RUNNER_METRICS_ADDRESS);
  const { config: address, uiUrl, sandboxStorage } = await knownServer();
  if (sandboxStorage !== undefined) throw new ConfigError([SANDBOX_RUNS]);
  log.info({ address: address.address, namespace: address.namespace }, 'connecting to the Temporal server');
  const connecting = connectNative({
    config: address,
    wait: true,
    log: (line) => log.info(line),
    signal: signals.aborted,
  });
  const connected = await Promise.race([connecting, signals.first]);
  if (typeof connected === 'string') return EXIT.done;
  const { connection, namespace } = connected;
  try {
    const worker = await startWorker({
      ...{ config, connection, namespace, log, uiUrl, build, holdsPatches },
      startHere: true,
    });
    log.info({ accounts: Object.keys(config.accounts), ...build }, 'worker is running');
    const ofPatches = sayOfPatches(holdsPatches);
    if (ofPatches !== undefined) log.info(ofPatches);
    health.runs(worker, async () => {
      await connection.withDeadline(Date.now() + ASK_MS, () => connection.workflowService.getSystemInfo({}));
      return pollsRefused({ connection, namespace });
    });
    void signals.first.then((signal) => {
      health.stops();
      log.info({ signal }, 'worker finishes the calls in flight and ends; a second signal ends it at once');
      worker.stop();
    });
    await worker.done;
    log.info('worker has ended');
    await connection.close();
    return EXIT.done;
  } catch (error) {
    await closeIfUnused(connection);
    if (error instanceof SameUser || error instanceof NoConditionalWrites) throw new ConfigError([error.message]);
    log.error({ err: error }, 'the worker cannot go on');
    throw await explained(address, error);
  } finally {
    probed?.close();
  }
}
