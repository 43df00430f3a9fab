/** The shape of a pipeline in the configuration file. */
import { z } from 'zod';
import { TimeZone } from '../inputs/fields';
import { PROGRAM } from '../text/command';
import { CronError, parseCron } from '../time/cron';
import { parseDuration } from '../time/duration';

/** What happens when a pipeline's time has come while its last run is under way. */
export const OVERLAPS = ['skip', 'bufferOne', 'bufferAll', 'allowAll', 'cancelOther'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** Temporal counts in seconds, and raises a shorter catch-up window silently. */
const CATCHUP_MIN_MS = 10_000;

const ALLOWED = "a duration such as '90s', '10m', '1h 30m' or '7d', in whole seconds";
const LENGTH = `expected ${ALLOWED}`;

/** Milliseconds once parsed. */
const duration = z
  .string({ error: LENGTH })
  .meta({ allowed: ALLOWED })
  .transform((text, context) => {
    const ms = parseDuration(text);
    if (ms !== undefined && ms % 1_000 === 0) return ms;
    context.addIssue(LENGTH);
    return z.NEVER;
  });

const CRON = "expected a cron expression such as '0 7 * * MON-FRI', or a list of them";

/** A list once parsed. */
const cron = z
  .union([z.string(), z.array(z.string()).min(1, CRON)], { error: CRON })
  .meta({ allowed: CRON.replace('expected ', '') })
  .transform((given, context) => {
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
    workflow: z
      .string({ error: 'expected the name of a workflow type, for example leadPipeline' })
      .describe('The workflow type that is started, for example leadPipeline.'),
    input: z
      .record(z.string(), z.unknown(), { error: "expected the workflow's input: an object" })
      .default({})
      .describe(`Its input, as \`${PROGRAM} run\` takes it; checked as the run itself would.`),
    account: z.string().optional().describe("The account that it works for. Default: the input's, else 'default'."),
    cron: cron
      .optional()
      .describe(
        'When: one expression or several of five fields (minute, hour, day of the month, month, day of the week), or @hourly, @daily, @weekly, @monthly, @yearly. Where both days are named, both must match.',
      ),
    every: duration
      .refine((ms) => ms >= 1_000, 'at least 1s')
      .optional()
      .describe('Or an interval of at least 1s, counted from 1970 and not from the first run.'),
    offset: duration
      .optional()
      .describe(
        'Shifts the interval, and is shorter: every 1h with offset 15m is at a quarter past. Default: not shifted.',
      ),
    timeZone: TimeZone.optional().describe(
      "In which the cron expressions are read; an interval knows none. Default: the account's.",
    ),
    jitter: duration.prefault('0s').describe('Each start is later by a random time up to this.'),
    overlap: z
      .enum(OVERLAPS)
      .default('skip')
      .describe(
        'While the last run is under way: `skip` leaves the new one out, `bufferOne` and `bufferAll` start it afterwards, `allowAll` starts it beside, `cancelOther` cancels the last one first.',
      ),
    catchupWindow: duration
      .refine((ms) => ms >= CATCHUP_MIN_MS, 'at least 10s')
      .prefault('1h')
      .describe('What was missed while Temporal was down is made good up to this late. At least 10s.'),
    paused: z
      .boolean()
      .default(false)
      .describe('Starts no run. Applied when it changes here: a pause by a person stays until then.'),
    description: z.string().max(1_000).optional().describe('For people, shown with each run. Default: none.'),
  })
  .describe('One pipeline. Exactly one of cron and every says when it runs.')
  .superRefine(({ cron, every, offset }, context) => {
    if ((cron === undefined) === (every === undefined))
      context.addIssue('when it runs must be said by either cron or every');
    if (offset !== undefined && (every === undefined || offset >= every))
      context.addIssue({ code: 'custom', path: ['offset'], message: 'goes with every, and is shorter' });
  });
export type PipelineFile = z.infer<typeof PipelineFile>;
