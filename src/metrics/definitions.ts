/**
 * The project's own metrics: name, kind, unit, labels, meaning. This is the one table of them; the code that measures, the
 * dashboard and the alerts follow from it. S4: labels name accounts, routes, queues and outcomes, never what a call or a run
 * is about, so how many series there are depends on the configuration alone.
 */

interface Definition {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly unit: string;
  readonly labels: readonly string[];
  readonly about: string;
  /** Upper bounds of a histogram's buckets, in its unit. */
  readonly buckets?: readonly number[];
}

export const METRICS = {
  // Counted by each worker for itself: add them up.
  audit_runner_requests_total: {
    kind: 'counter',
    unit: 'requests',
    labels: ['account', 'route', 'queue', 'outcome'],
    about:
      'Calls of the Agent API that were tried, by what came back: ok, throttled (429), rejected, unreadable, unknown, notSent.',
  },
  audit_runner_request_duration_seconds: {
    kind: 'histogram',
    unit: 's',
    labels: ['account', 'queue'],
    about: 'How long a call of the Agent API took, to the end of its answer; calls that never left are not in it.',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 240],
  },
  audit_runner_permit_wait_seconds: {
    kind: 'histogram',
    unit: 's',
    labels: ['account', 'rate_class'],
    about: 'How long a call waited in its worker for a permit, whether it got one or not.',
    buckets: [0.01, 0.1, 0.25, 0.5, 1, 2, 5],
  },
  audit_runner_permits_refused_total: {
    kind: 'counter',
    unit: 'calls',
    labels: ['account', 'rate_class'],
    about: 'Calls that went back to their queue because no permit came soon.',
  },
  audit_runner_credits_booked_total: {
    kind: 'counter',
    unit: 'credits',
    labels: ['account'],
    about: 'Credits that the ledger booked at the word of this worker.',
  },
  audit_runner_items_total: {
    kind: 'counter',
    unit: 'items',
    labels: ['account', 'workflow', 'outcome'],
    about:
      'Items of pipelines, batches and sweeps that came to an end, by their outcome. One that is tried again in a batch counts each time.',
  },

  // Read by each worker from the ledger, the queues and the list of runs: the same from all of them.
  audit_runner_worker: {
    kind: 'gauge',
    unit: 'workers',
    labels: ['account'],
    about: '1: this worker works for the account. Add them up for the number of workers.',
  },
  audit_runner_ledger_read_timestamp_seconds: {
    kind: 'gauge',
    unit: 's',
    labels: ['account'],
    about: 'When this worker last read the ledger of the account, on which the gauges below rest; 0: not yet.',
  },
  audit_runner_credits_balance: {
    kind: 'gauge',
    unit: 'credits',
    labels: ['account'],
    about: 'Credits left, by the last reading and what was booked since; absent until the balance was read.',
  },
  audit_runner_credits_reserved: {
    kind: 'gauge',
    unit: 'credits',
    labels: ['account'],
    about: 'Credits set aside for calls whose outcome is not known yet.',
  },
  audit_runner_credits_spent_today: {
    kind: 'gauge',
    unit: 'credits',
    labels: ['account'],
    about: 'Credits booked since the day began in the time zone of the account.',
  },
  audit_runner_credits_per_day: {
    kind: 'gauge',
    unit: 'credits',
    labels: ['account'],
    about: 'The most that may be spent in a day; +Inf: there is no such limit.',
  },
  audit_runner_credits_floor: {
    kind: 'gauge',
    unit: 'credits',
    labels: ['account'],
    about: 'Credits that must remain on the balance.',
  },
  audit_runner_credits_conversion_price: {
    kind: 'gauge',
    unit: 'credits',
    labels: ['account'],
    about: 'What the conversion of a lead costs by the configuration.',
  },
  audit_runner_hold_since_timestamp_seconds: {
    kind: 'gauge',
    unit: 's',
    labels: ['account', 'hold'],
    about: 'Since when the account is on hold, by the kind of the hold; 0: it is not.',
  },
  audit_runner_parked_until_timestamp_seconds: {
    kind: 'gauge',
    unit: 's',
    labels: ['account', 'rate_class'],
    about: 'Until when a 429 keeps this class of requests waiting; 0: it does not.',
  },
  audit_runner_sends_open: {
    kind: 'gauge',
    unit: 'calls',
    labels: ['account'],
    about: 'Paid and unrepeatable calls that are under way, or whose outcome is being found out.',
  },
  audit_runner_sends_settling: {
    kind: 'gauge',
    unit: 'calls',
    labels: ['account'],
    about: 'Those of them whose request must have ended: their outcome is being found out.',
  },
  audit_runner_runs_waiting_for_person: {
    kind: 'gauge',
    unit: 'runs',
    labels: ['account'],
    about: 'Runs that wait for a person.',
  },
  audit_runner_person_waiting_since_timestamp_seconds: {
    kind: 'gauge',
    unit: 's',
    labels: ['account'],
    about: 'Since when the first of those runs waits, by its own word; 0: none waits, or none has said since when.',
  },
  audit_runner_queue_backlog: {
    kind: 'gauge',
    unit: 'tasks',
    labels: ['account', 'queue'],
    about: 'Calls that wait in the queue on the Temporal server, about.',
  },
  audit_runner_quota_per_minute: {
    kind: 'gauge',
    unit: 'requests',
    labels: ['account', 'queue'],
    about: 'Requests a minute that the limit of this queue allows.',
  },
} as const satisfies Readonly<Record<string, Definition>>;

type Table = typeof METRICS;
export type MetricName = keyof Table;

/** Metrics of one kind. */
export type Named<K extends Definition['kind']> = {
  [N in MetricName]: Table[N]['kind'] extends K ? N : never;
}[MetricName];

/** A value for each label of a metric. */
export type LabelsOf<N extends MetricName> = { readonly [L in Table[N]['labels'][number]]: string };

export const metricNames = Object.keys(METRICS) as MetricName[];

/** Bounds of the buckets of each histogram, as the SDK's runtime is told them. */
export const bucketBounds = (): Record<string, number[]> =>
  Object.fromEntries(
    metricNames.flatMap((name) => {
      const { buckets }: Definition = METRICS[name];
      return buckets ? [[name, [...buckets]]] : [];
    }),
  );
