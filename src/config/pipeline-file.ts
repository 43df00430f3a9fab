/** The shape of a pipeline in the configuration file. */
import { z } from 'zod';
import { TimeZone } from '../inputs/fields';
import { CronError, parseCron } from '../time/cron';
import { parseDuration } from '../time/duration';

/** What happens when a pipeline's time has come while its last run is under way. */
export const OVERLAPS = ['skip', 'bufferOne', 'bufferAll', 'allowAll', 'cancelOther'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** Temporal counts in seconds, and raises a shorter catch-up window silently. */
const CATCHUP_MIN_MS = 10_000;

const LENGTH = "expected a duration such as '90s', '10m', '1h 30m' or '7d', in whole seconds";

/** Milliseconds once parsed. */
const duration = z.string({ error: LENGTH }).transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== undefined && ms % 1_000 === 0) return ms;
  context.addIssue(LENGTH);
  return z.NEVER;
});

const CRON = "expected a cron expression such as '0 7 * * MON-FRI', or a list of them";

/** A list once parsed. */
const cron = z.union([z.string(), z.array(z.string()).min(1, CRON)], { error: CRON }).transform((given, context) => {
  const expressions = typeof given === 'string' ? [given] : given;
  for (const [i, text] of expressions.entries())
    try {
      parseCron(text);
    } catch (error) {
      if (!(error instanceof CronError)) throw error;
      context.addIssue({ code: 'custom', path: typeof given === 'string' ? [] : [i], message: error.message });
    }
  return expressions;
});

/** One pipeline as it is written. Durations are milliseconds once parsed. */
export const PipelineFile = z
  .strictObject({
    /** The workflow type that is started, for example leadPipeline. */
    workflow: z.string({ error: 'expected the name of a workflow type, for example leadPipeline' }),
    /** Its input, as `audit-runner run` takes it; checked as the run itself would. */
    input: z.record(z.string(), z.unknown(), { error: "expected the workflow's input: an object" }).default({}),
    /** The account it works for. Default: the input's, else `default`. */
    account: z.string().optional(),
    /**
     * When: one expression or several of five fields (minute, hour, day of the month, month, day of the week), or @hourly,
     * @daily, @weekly, @monthly, @yearly. Where both days are named, both must match.
     */
    cron: cron.optional(),
    /** Or an interval, counted from 1970 and not from the first run. */
    every: duration.refine((ms) => ms >= 1_000, 'at least 1s').optional(),
    /** Shifts the interval: every 1h with offset 15m is at a quarter past. */
    offset: duration.optional(),
    /** In which the cron expressions are read. Default: the account's. An interval knows none. */
    timeZone: TimeZone.optional(),
    /** Each start is later by a random time up to this. */
    jitter: duration.default(0),
    /**
     * While the last run is under way: `skip` leaves the new one out, `bufferOne` and `bufferAll` start it afterwards,
     * `allowAll` starts it beside, `cancelOther` cancels the last one first.
     */
    overlap: z.enum(OVERLAPS).default('skip'),
    /** What was missed while Temporal was down is made good up to this late. */
    catchupWindow: duration.refine((ms) => ms >= CATCHUP_MIN_MS, 'at least 10s').default(3_600_000),
    /** Applied when it changes here: a pause by a person stays until then. */
    paused: z.boolean().default(false),
    /** For people, shown with each run. */
    description: z.string().max(1_000).optional(),
  })
  .superRefine(({ cron, every, offset }, context) => {
    if ((cron === undefined) === (every === undefined))
      context.addIssue('when it runs must be said by either cron or every');
    if (offset !== undefined && (every === undefined || offset >= every))
      context.addIssue({ code: 'custom', path: ['offset'], message: 'goes with every, and is shorter' });
  });
export type PipelineFile = z.infer<typeof PipelineFile>;
