/** The shape of the configuration file. Every field that can have a default has one. */
import { z } from 'zod';
import { parseBaseUrl } from '../agent-api/base-url';
import { perClass } from '../agent-api/rate-class';
import { LIMITS, PAID_MS_MIN, type RouteName, routes } from '../agent-api/routes';
import { Undocumented } from '../agent-api/undocumented';
import { TimeZone } from '../inputs/fields';
import { SHOWN_NAMES } from '../leads/shown-lead';
import { LOG_LEVELS } from '../log';
import { NotifyFile } from './notify';
import { PipelineFile } from './pipeline-file';

const count = z.number().int().positive();
const ms = z.number().int().positive();

const limit = (preset: { max: number; windowMs: number }) =>
  z.strictObject({ max: count.default(preset.max), windowMs: ms.default(preset.windowMs) }).prefault({});

const credits = Object.fromEntries(
  Object.keys(routes).map((name) => [name, z.number().int().nonnegative().optional()]),
);

const baseUrl = z.string().superRefine((text, context) => {
  try {
    parseBaseUrl(text);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : 'not a base address');
  }
});

const isLoopback = (text: string) => URL.canParse(text) && parseBaseUrl(text).loopback;

/** One account as it is written. */
export const AccountFile = z
  .strictObject({
    /** The `{base_url}` of agent-api.md. */
    baseUrl,
    /** A file that holds the token, relative to the configuration file. Read again when it changes. */
    tokenFile: z.string().min(1).optional(),
    /** Or the name of the environment variable that holds it. */
    tokenEnv: z.string().min(1).optional(),
    /** Corrections of what the API document does not show. */
    undocumented: Undocumented.prefault({}),
    /** Requests in any window, where the service's limits are not those of the document. */
    limits: z.strictObject(perClass((rateClass) => limit(LIMITS[rateClass]).optional())).prefault({}),
    /** Credits of single routes, where they differ from the document's. */
    credits: z.strictObject(credits).prefault({}),
    /**
     * What people who approve are shown of a lead beside its ID and scores: the name of the business, or no name. Names of
     * persons, e-mail addresses and phone numbers are never shown. It stands in histories, results and notifications.
     */
    showNames: z.enum(SHOWN_NAMES).default('business'),
    /** The day of the daily budget begins at midnight here. */
    timeZone: TimeZone.default('UTC'),
    budget: z
      .strictObject({
        /** Credits a day, over all runs; null for no cap. */
        perDay: z.number().int().nonnegative().nullable().default(null),
        /** The balance is never spent below this. */
        balanceFloor: z.number().int().nonnegative().default(0),
      })
      .prefault({}),
    /** How many times faster than real time a sandbox on this machine runs: divides windows and timings. */
    speed: z.number().positive().default(1),
    timing: z
      .strictObject({
        /** Time limit of a paid call. */
        paidTimeoutMs: ms.default(210_000),
        /** From the ledger's grant to the writing of the request. */
        sendWindowMs: ms.default(5_000),
        /** How long after a paid call's last possible end the service may still commit it. */
        settlingMs: ms.default(300_000),
        /** Between two probes of an account on hold. */
        holdProbeMs: ms.default(60_000),
        /** Between the first looks at something that is waited for (a job, a capture, a document); later ones are rarer. */
        pollMs: ms.default(5_000),
      })
      .prefault({}),
  })
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
  z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,39}$/,
      `the name of ${what} has lower-case letters, digits and -, at most 40 characters`,
    );

/** The configuration file. */
export const ConfigFile = z.strictObject({
  accounts: z.record(nameOf('an account'), AccountFile).default({}),
  /** What runs on a schedule, by name: `audit-runner schedules apply` gives each a Temporal Schedule. */
  pipelines: z.record(nameOf('a pipeline'), PipelineFile).default({}),
  /**
   * Where documents are read from and results are written to: a folder, `file:///…`, or a bucket as
   * `s3://bucket/prefix?endpoint=…&region=…&pathStyle=true|false` (each optional, credentials never in it).
   */
  storageUrl: z.string().min(1).default('.audit-runner/storage'),
  log: z.strictObject({ level: z.enum(LOG_LEVELS).default('info') }).prefault({}),
  /** Who is told when a person is needed and nobody watches. @default nobody */
  notify: NotifyFile.optional(),
  /** How much one worker process does at once. */
  workers: z
    .strictObject({
      workflows: count.default(40),
      reads: count.default(60),
      /** A convert may take three minutes, and twenty a minute may leave. */
      writes: count.default(80),
      polls: count.default(60),
      /** Activities that do not call the API. */
      other: count.default(50),
    })
    .prefault({}),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

/** Credits of a route by the configuration, or else by the document. */
export const creditsOf = (account: AccountFile, route: RouteName): number =>
  account.credits[route] ?? routes[route].credits;
