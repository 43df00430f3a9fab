/**
 * What a person does to a run, or to the books of an account, by an update; what each means there is in the description of
 * the workflow's own update.
 */
export interface Act {
  /** The update. */
  update: string;
  /** What it is done to. */
  to: 'run' | 'account';
  about: string;
  /** Options of its own: fields of what is said. */
  fields?: readonly Field[];
}

export interface Field {
  /** As commander takes it. */
  flags: string;
  about: string;
  name: string;
  /** `number`: also 'none' where there may be no such limit. */
  kind: 'flag' | 'number' | 'numberOrNone' | 'text';
}

const limit = (flags: string, name: string, about: string, kind: Field['kind'] = 'number') =>
  ({ flags, name, about, kind }) as const;

export const ACTS = {
  approve: { update: 'approve', to: 'run', about: 'let a run that waits for an approval go on' },
  reject: { update: 'reject', to: 'run', about: 'end a run that waits for an approval; nothing is spent' },
  pause: { update: 'pause', to: 'run', about: 'begin nothing further; what is under way goes on' },
  resume: { update: 'resume', to: 'run', about: 'go on after a pause' },
  stop: {
    update: 'stop',
    to: 'run',
    about: 'end a pipeline or a backfill within a minute: what has sent nothing is withdrawn, the rest is named',
    fields: [limit('--now', 'now', 'do not wait for calls in flight', 'flag')],
  },
  'change-limits': {
    update: 'changeLimits',
    to: 'run',
    about: 'change how far and how fast a pipeline or a backfill goes, from the next lead or item on',
    fields: [
      limit('--max-credits <n>', 'maxCredits', 'most credits that it spends'),
      limit('--max-conversions <n>', 'maxConversions', 'of a pipeline: most leads that it converts'),
      limit('--concurrency <n>', 'concurrency', 'of a pipeline: most conversions under way at once'),
      limit('--max-items <n>', 'maxItems', "of a backfill: most items that it begins, or 'none'", 'numberOrNone'),
      limit('--window <n>', 'window', 'of a backfill: most items under way at once'),
      limit(
        '--items-per-minute <n>',
        'itemsPerMinute',
        "of a backfill: items that it begins, or 'none'",
        'numberOrNone',
      ),
    ],
  },
  'retry-failed': { update: 'retryFailed', to: 'run', about: 'try again what has failed in a backfill so far' },
  'set-budget': {
    update: 'setBudget',
    to: 'account',
    about: 'change what an account may spend',
    fields: [
      limit('--per-day <n>', 'perDay', "most credits of a day, or 'none'", 'numberOrNone'),
      limit('--balance-floor <n>', 'balanceFloor', 'credits that must remain of the balance'),
      limit('--time-zone <name>', 'timeZone', 'in which a day begins, such as Europe/Berlin', 'text'),
    ],
  },
  hold: {
    update: 'hold',
    to: 'account',
    about: 'put an account on hold: nothing that costs or must happen once is sent',
  },
  release: {
    update: 'release',
    to: 'account',
    about: 'lift every hold of an account',
    fields: [limit('--parks', 'parks', 'also what the service asked to wait for (429)', 'flag')],
  },
} as const satisfies Record<string, Act>;

export type ActName = keyof typeof ACTS;
