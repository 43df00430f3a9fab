/** The Temporal SDK's own logging and signal handling in this process. */
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';

/** One step down for what is no news: our own lines say that a worker runs and that it ended. */
const LEVELS = { TRACE: 'trace', DEBUG: 'trace', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
/** Warned of at each start of a worker that has activities only, as all but one of ours do. */
const ACTIVITIES_ONLY = /^No workflows registered/;

/**
 * To be called once, before the first native connection: lines of the SDK and its native part go through our logger and
 * so past its redaction (S4), and signals are left to the command, which stops things in the right order.
 */
export function installSdk(log: Logger): void {
  Runtime.install({
    logger: new DefaultLogger('DEBUG', ({ level, message, meta }) => {
      const ours = ACTIVITIES_ONLY.test(message) ? 'debug' : LEVELS[level];
      log[ours]({ ...meta }, message);
    }),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
    },
    shutdownSignals: [],
  });
}
