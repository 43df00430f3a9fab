/** The Temporal SDK's process-wide runtime: its logs through pino, its metrics where Prometheus can fetch them. */
import { type LogLevel, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';

const LEVELS: Readonly<Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'>> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  // The SDK tells each worker's states as news; they matter to who looks for a fault.
  INFO: 'debug',
  WARN: 'warn',
  ERROR: 'error',
};

let installed = false;

/**
 * Must come before the first native connection of the process; later calls change nothing.
 * @param metricsAddress where Prometheus may fetch the metrics, for example `0.0.0.0:9464`; none by default
 */
export function installSdkRuntime(log: Logger, metricsAddress?: string): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    // Signals are handled by the command that runs: the first one ends the calls in flight, the second ends at once.
    shutdownSignals: [],
    logger: {
      log: (level, message, meta) => log[LEVELS[level]](meta ?? {}, message),
      trace: (message, meta) => log.trace(meta ?? {}, message),
      debug: (message, meta) => log.debug(meta ?? {}, message),
      info: (message, meta) => log.debug(meta ?? {}, message),
      warn: (message, meta) => log.warn(meta ?? {}, message),
      error: (message, meta) => log.error(meta ?? {}, message),
    },
    ...(metricsAddress && { telemetryOptions: { metrics: { prometheus: { bindAddress: metricsAddress } } } }),
  });
}
