/** `audit-runner worker`: works for the configured accounts until it is told to end. */
import { setFlagsFromString } from 'node:v8';
import { Overwrites } from '../books/place';
import { accountOf, type Config, ConfigError, loadConfig } from '../config';
import { createLogger } from '../log';
import { SameUser } from '../runtime';
import { connectNative } from '../temporal/connect-worker';
import { installSdkRuntime } from '../temporal/sdk-runtime';
import { explained } from '../temporal/unreachable';
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
  installSdkRuntime(log, process.env.AUDIT_RUNNER_METRICS_ADDRESS);
  const { config: address, uiUrl } = await knownServer();
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
    const worker = await startWorker({ config, connection, namespace, log, uiUrl, startHere: true });
    log.info({ accounts: Object.keys(config.accounts) }, 'worker is running');
    void signals.first.then((signal) => {
      log.info({ signal }, 'worker finishes the calls in flight and ends; a second signal ends it at once');
      worker.stop();
    });
    await worker.done;
    log.info('worker has ended');
    return EXIT.done;
  } catch (error) {
    if (error instanceof SameUser || error instanceof Overwrites) throw new ConfigError([error.message]);
    const reason = explained(address, error);
    if (reason === error) log.error({ err: error }, 'the worker cannot go on');
    throw reason;
  } finally {
    await connection.close();
  }
}
