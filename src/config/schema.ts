/**
 * The shape of the configuration file. Every field that can have a default has one. What `describe` says of a field, and
 * `allowed` in its metadata, stands in docs/reference/configuration.md.
 */
import { z } from 'zod';
import { parseBaseUrl } from '../agent-api/base-url';
import { perClass, type RateClass } from '../agent-api/rate-class';
import { LIMITS, PAID_MS_MIN, type RouteName, routes } from '../agent-api/routes';
import { Undocumented } from '../agent-api/undocumented';
import { PLAIN_NAME, TimeZone } from '../inputs/fields';
import { SHOWN_NAMES } from '../leads/shown-lead';
import { LATEST_MS } from '../ledger/turns';
import { LOG_LEVELS } from '../log';
import { LONGEST_CALL_MS } from '../paying/open-sends';
import { PROGRAM } from '../text/command';
import { CallApiFile } from './call-routes';
import { NotifyFile } from './notify';
import { PipelineFile } from './pipeline-file';
import { VariableName } from './variable-name';

const count = z.number().int().positive();
const ms = z.number().int().positive();
const callMs = ms.max(LONGEST_CALL_MS);
/** None or so many. */
const cap = z.number().int().nonnegative();

const limit = (rateClass: RateClass, what: string) =>
  z
    .strictObject({
      max: count.default(LIMITS[rateClass].max).describe('Requests in any window.'),
      windowMs: ms.default(LIMITS[rateClass].windowMs).describe('Length of the window, milliseconds.'),
    })
    .prefault({})
    .optional()
    .describe(what);

/** Whose limit each is. */
const CLASSES: Record<RateClass, string> = {
  reads: 'Calls that only read.',
  writes: 'Calls that write; notes and audits count here too.',
  polls: 'Questions how far an audit job is.',
  notes: 'Submitted notes, beside the limit of the writes.',
  audits: 'Started audits, beside the limit of the writes. While this is left out, only that of the writes counts.',
};

const credits = Object.fromEntries(
  Object.keys(routes).map((name) => [name, z.number().int().nonnegative().optional()]),
);

const baseUrl = z
  .string()
  .superRefine((text, context) => {
    try {
      parseBaseUrl(text);
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : 'not a base address');
    }
  })
  .meta({ allowed: 'an address that begins with https:// (http:// only on this machine)' });

const isLoopback = (text: string) => URL.canParse(text) && parseBaseUrl(text).loopback;

/** One account as it is written. */
export const AccountFile = z
  .strictObject({
    baseUrl: baseUrl.describe('Address of the Agent API: what stands before /api in the paths of its calls.'),
    tokenFile: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Path of a file that holds the token, from the folder of this file; `~` is your home folder. Read again when it changes.',
      ),
    tokenEnv: VariableName.optional().describe('Name of the environment variable that holds the token.'),
    undocumented: Undocumented.prefault({}).describe('Corrections of what the API document does not show.'),
    limits: z
      .strictObject(perClass((rateClass) => limit(rateClass, CLASSES[rateClass])))
      .prefault({})
      .describe("Rate limits, where the service's are not those of the document. All per token."),
    credits: z
      .strictObject(credits)
      .prefault({})
      .describe(
        `Credits that one call of a route costs, by the name of the route (\`${PROGRAM} api\` lists them), where it is not what the API document says. Default: the document's.`,
      ),
    callApi: CallApiFile.prefault({}).describe(
      'What the workflow callApi may do, which makes any call: whoever reaches Temporal can start it.',
    ),
    showNames: z
      .enum(SHOWN_NAMES)
      .default('business')
      .describe(
        'What people who approve are shown of a lead beside its ID and scores: the name of the business, or no name. Names of persons, e-mail addresses and phone numbers are never shown. It stands in histories, results and notifications.',
      ),
    timeZone: TimeZone.default('UTC').describe(
      "In which the day of the daily budget begins, at midnight; also that of the account's pipelines.",
    ),
    budget: z
      .strictObject({
        perRun: cap
          .nullable()
          .default(null)
          .describe(
            'Most credits that one run spends, whatever its input says; a pipeline is one run with all its leads. null for no ceiling.',
          ),
        perDay: cap
          .nullable()
          .default(null)
          .describe('Most credits that all runs together spend in a day; null for no ceiling.'),
        perMonth: cap
          .nullable()
          .default(null)
          .describe('Most credits that all runs together spend in a calendar month; null for no ceiling.'),
        balanceFloor: cap
          .default(0)
          .describe('Credits that must remain of the balance: nothing is spent that would go below.'),
      })
      .prefault({})
      .describe(
        'What may be spent. In force without a restart when it changes here; a person may lower it with set-budget.',
      ),
    speed: z
      .number()
      .positive()
      .default(1)
      .describe(
        'How many times faster than real time a sandbox on this machine runs: divides windows and timings. Other than 1 only for a sandbox.',
      ),
    timing: z
      .strictObject({
        paidTimeoutMs: callMs
          .default(210_000)
          .describe(
            `Time limit of a call that costs or must not happen twice, milliseconds. At least ${PAID_MS_MIN}, but for a sandbox.`,
          ),
        sendWindowMs: ms
          .max(LATEST_MS)
          .default(5_000)
          .describe(
            "Longest time from the ledger's grant to the writing of the request, milliseconds; later it is not sent.",
          ),
        settlingMs: callMs
          .default(300_000)
          .describe(
            'How long after the last possible end of a call whose reply was lost the service may still carry it out, milliseconds. So long a run waits before it concludes that it did not happen.',
          ),
        holdProbeMs: ms.default(60_000).describe('Time between two probes of an account on hold, milliseconds.'),
        pollMs: ms
          .default(5_000)
          .describe(
            'Time between the first looks at something that is waited for (a job, a capture, a document), milliseconds; later ones are rarer.',
          ),
      })
      .prefault({})
      .describe('How long things take. The defaults suit the service; a sandbox divides them by speed.'),
  })
  .describe(
    'One account: a token of the service and what it may spend. Exactly one of tokenFile and tokenEnv says where the token is.',
  )
  .superRefine(({ baseUrl: address, tokenFile, tokenEnv, speed, timing }, context) => {
    if ((tokenFile === undefined) === (tokenEnv === undefined))
      context.addIssue('where the token is must be named by either tokenFile or tokenEnv');
    if (isLoopback(address)) return;
    if (speed !== 1)
      context.addIssue({ code: 'custom', path: ['speed'], message: 'other than 1 only for a sandbox on this machine' });
    if (timing.paidTimeoutMs < PAID_MS_MIN)
      context.addIssue({ code: 'custom', path: ['timing', 'paidTimeoutMs'], message: `at least ${PAID_MS_MIN}` });
  });
export type AccountFile = z.infer<typeof AccountFile>;

const nameOf = (what: string) =>
  z.string().regex(PLAIN_NAME, `the name of ${what} has lower-case letters, digits and -, at most 40 characters`);

/** The configuration file. */
export const ConfigFile = z.strictObject({
  accounts: z
    .record(nameOf('an account'), AccountFile)
    .default({})
    .describe('The accounts by name: lower-case letters, digits and -, at most 40 characters.'),
  pipelines: z
    .record(nameOf('a pipeline'), PipelineFile)
    .default({})
    .describe(`What runs on a schedule, by name: \`${PROGRAM} schedules apply\` gives each a Temporal Schedule.`),
  storageUrl: z
    .string()
    .min(1)
    .default('.audit-runner/storage')
    .describe(
      'Where documents are read from and results are written to: a folder (from the current one; `~` is your home folder), `file:///…`, or a bucket as `s3://bucket/prefix?endpoint=…&region=…&pathStyle=true` (each parameter optional, credentials never in it).',
    ),
  log: z
    .strictObject({ level: z.enum(LOG_LEVELS).default('info').describe('The least important lines that are written.') })
    .prefault({})
    .describe("The worker's log."),
  notify: NotifyFile.optional().describe(
    'Who is told when a person is needed and nobody watches. Exactly one of url and urlEnv. Default: nobody.',
  ),
  encryption: z
    .strictObject({
      require: z
        .boolean()
        .default(false)
        .describe(
          'Take nothing that is not encrypted, or that was encrypted for another run: no input, message, result or call. Needs a key; all workers of a namespace must say the same.',
        ),
    })
    .prefault({})
    .describe("What the encryption of Temporal's data demands; the key itself is in the environment."),
  workers: z
    .strictObject({
      workflows: count.default(40).describe('Most workflow tasks at once.'),
      reads: count.default(60).describe('Most calls that read, for each account.'),
      // A convert may take three minutes, and twenty a minute may leave.
      writes: count.default(80).describe('Most calls that write, for each account.'),
      polls: count.default(60).describe('Most questions to jobs, for each account.'),
      other: count.default(50).describe('Most activities that do not call the API, for each account.'),
    })
    .prefault({})
    .describe('How much one worker process does at once.'),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

/** Credits of a route by the configuration, or else by the document. */
export const creditsOf = (account: AccountFile, route: RouteName): number =>
  account.credits[route] ?? routes[route].credits;
