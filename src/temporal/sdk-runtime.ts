/** The Temporal SDK's process-wide runtime: its logs through ours, its metrics where Prometheus can fetch them. */
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { WRONG_INPUT } from '../inputs/parse-input';
import { bucketBounds } from '../metrics/definitions';
import { measureWith } from '../metrics/meter';
import { FailureType } from '../runs/failure-types';

/** One step down for what is no news: our own lines say that a worker runs and that it ended. */
const LEVELS = { TRACE: 'trace', DEBUG: 'trace', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
/** Warned of at each start of a worker that has activities only or workflows only, as all of ours do. */
const ONE_KIND = /^No (workflows|activities) registered/;

let installed = false;

/**
 * S4: of a wrong input the log has the code, not the sentences, which are in the run's failure. An error that comes out of
 * the workflows' thread has lost its type.
 */
function isWrongInput(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { type, message, cause }: Partial<Record<string, unknown>> = {
    ...error,
    ...(error instanceof Error && { message: error.message, cause: error.cause }),
  };
  return (
    type === FailureType.badInput ||
    (typeof message === 'string' && message.includes(WRONG_INPUT)) ||
    isWrongInput(cause)
  );
}

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
      const ours = ONE_KIND.test(message) ? 'debug' : LEVELS[level];
      log[ours]({ ...meta, ...(isWrongInput(meta?.error) && { error: { type: FailureType.badInput } }) }, message);
    }),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metricsAddress && {
        metrics: { prometheus: { bindAddress: metricsAddress, histogramBucketOverrides: bucketBounds() } },
      }),
    },
    shutdownSignals: [],
  });
  if (metricsAddress) measureWith(Runtime.instance().metricMeter);
}
