/** The Temporal SDK's process-wide runtime: its logs through ours, its metrics where Prometheus can fetch them. */
import { DefaultLogger, makeTelemetryFilterString, Runtime, type RuntimeOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { ConfigError } from '../config/problems';
import { WRONG_INPUT } from '../inputs/parse-input';
import { bucketBounds } from '../metrics/definitions';
import { measureWith } from '../metrics/meter';
import { rootMessage } from '../root-cause';
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
 * @param metricsAddress an IP address and port where Prometheus may fetch the metrics, for example `0.0.0.0:9464`.
 * @default none
 * @throws ConfigError where nothing can listen there
 */
export function installSdkRuntime(log: Logger, metricsAddress?: string): void {
  if (installed) return;
  const options: RuntimeOptions = {
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
  };
  install(options, metricsAddress);
  installed = true;
  if (metricsAddress) measureWith(Runtime.instance().metricMeter);
}

function install(options: RuntimeOptions, metricsAddress: string | undefined): void {
  try {
    Runtime.install(options);
  } catch (error) {
    const message = rootMessage(error);
    if (!metricsAddress || !/prometheus/.test(message)) throw error;
    const why = message.includes('socketAddr') ? NO_ADDRESS : message.replace(/^.*metrics exporter: /, '');
    throw new ConfigError([`AUDIT_RUNNER_METRICS_ADDRESS: nothing can listen at ${metricsAddress} (${why})`]);
  }
}

const NO_ADDRESS = 'it is no IP address and port such as 0.0.0.0:9464';
