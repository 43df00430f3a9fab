/** The Temporal SDK's process-wide runtime: its logs through ours, its metrics where Prometheus can fetch them. */
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';

/** One step down for what is no news: our own lines say that a worker runs and that it ended. */
const LEVELS = { TRACE: 'trace', DEBUG: 'trace', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
/** Warned of at each start of a worker that has activities only, as all but one of ours do. */
const ACTIVITIES_ONLY = /^No workflows registered/;

let installed = false;

/**
 * Must come before the first native connection; later calls change nothing. Lines of the SDK and its native part go
 * through our logger and so past its redaction (S4), and signals are left to the command, which stops things in the right
 * order.
 * @param metricsAddress where Prometheus may fetch the metrics, for example `0.0.0.0:9464`. @default none
 */
export function installSdkRuntime(log: Logger, metricsAddress?: string): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('DEBUG', ({ level, message, meta }) => {
      const ours = ACTIVITIES_ONLY.test(message) ? 'debug' : LEVELS[level];
      log[ours]({ ...meta }, message);
    }),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metricsAddress && { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
    shutdownSignals: [],
  });
}
