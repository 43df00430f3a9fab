import { z } from 'zod';
import { perClass } from '../agent-api/rate-class';
import { type RouteName, routes } from '../agent-api/routes';
import { Marks } from './marks';

/** Plans, lowest first. The document names only Team and Enterprise; `professional` is the lowest that may run audits. */
export const TIERS = ['free', 'lead_generation', 'professional', 'team', 'enterprise'] as const;
export const Tier = z.enum(TIERS);
export type Tier = z.infer<typeof Tier>;

/** The name of a route of the routes table. */
export const RouteNameSchema = z.custom<RouteName>(
  (value) => typeof value === 'string' && Object.hasOwn(routes, value),
  'a name of the routes table, for example leads.convert',
);

/**
 * How the project list shows a project: as its detail does, `short` (the first characters of the description, the name in
 * capitals and with single spaces), or with `null` or nothing (`none`) for the description.
 */
export const ProjectsListed = z.enum(['whole', 'short', 'null', 'none']);

/** What can go wrong with one request. "Commit" is the moment at which the call has its effect. */
export const FAULTS = [
  /** Commits, then destroys the connection. */
  'replyLost',
  /** Destroys the connection at once and commits `commitAfterMs` later. */
  'cutThenCommit',
  /** Destroys the connection; the call has no effect. */
  'cutBeforeCommit',
  /** Waits `delayMs`, then commits and answers. */
  'delay',
  /** Commits, waits `delayMs`, then answers. */
  'delayReply',
  /** Answers `status` with a JSON error; the call has no effect. */
  'status',
  /** Commits, then answers `status` with a JSON error. */
  'statusAfterCommit',
  /** Answers 502 with an HTML page, as a proxy would; the call has no effect. */
  'html',
  /** Commits, then answers 2xx with half of a JSON body. */
  'garbage',
  /** Commits, then answers 2xx with nothing. */
  'empty',
  /** Answers 200 with `body`; the call has no effect. */
  'instead',
] as const;

/** How a fault looks; durations in milliseconds, divided by `speed`. */
const faultDetails = {
  delayMs: z.number().nonnegative().default(1000),
  commitAfterMs: z.number().nonnegative().default(1000),
  status: z.int().min(400).max(599).default(500),
  /** Stable code in the JSON error. @default none */
  code: z.string().min(1).optional(),
  /** Real seconds in `Retry-After`; without it there is no such header. */
  retryAfter: z.number().nonnegative().optional(),
  retryAfterForm: z.enum(['seconds', 'date']).default('seconds'),
  body: z.json().default({}),
};

/** A fault for the next requests of one route that pass the gate. Faults of one route happen in the order of queueing. */
export const FaultRule = z.strictObject({
  route: RouteNameSchema,
  fault: z.enum(FAULTS),
  times: z.int().positive().default(1),
  /** Requests of the route to leave alone first. */
  after: z.int().nonnegative().default(0),
  /**
   * Only requests about this: the identifier in the path, the client's name of the project that it or its job names, a text
   * in the capture that it names, the name of the document, or a text in the body. @default all of the route
   */
  about: z.string().min(1).optional(),
  ...faultDetails,
});
export type FaultRule = z.output<typeof FaultRule>;

/** Random faults, seeded, on a share of the requests of some routes. */
export const FaultRate = z.strictObject({
  share: z.number().min(0).max(1),
  routes: z.array(RouteNameSchema).min(1),
  /** An answer of somebody's own has to be made for its routes. @default all but `instead` */
  faults: z
    .array(z.enum(FAULTS))
    .min(1)
    .default(FAULTS.filter((fault) => fault !== 'instead')),
  ...faultDetails,
});
export type FaultRate = z.output<typeof FaultRate>;

const Limit = z.union([
  z.literal('off'),
  z.strictObject({ max: z.int().positive().optional(), windowMs: z.number().positive().optional() }),
]);
const duration = (ms: number) => z.number().nonnegative().default(ms);
const routeAccess = z.enum(['allowed', 'refused']).default('allowed');

/** One answered (or cut) request; no body, no token, no query. */
export interface LogLine {
  at: string;
  method: string;
  /** A route's name, or `unknown`. */
  route: string;
  /** The identifier in the path, where there is one. */
  id?: string;
  /** Absent when the connection was destroyed instead of an answer. */
  status?: number;
  ms: number;
  fault?: string;
}

/** Options of `startSandbox`, all with defaults. */
export const SandboxOptions = z.strictObject({
  /** Port of the service; 0 takes a free one. */
  port: z.int().min(0).max(65_535).default(0),
  /** Port of the control surface; 0 takes a free one. */
  controlPort: z.int().min(0).max(65_535).default(0),
  host: z.string().min(1).default('127.0.0.1'),
  /** Every window and every duration is divided by this. */
  speed: z.number().positive().default(1),
  /** Added to the service's clock, milliseconds: time stamps and the `Date` header. */
  clockSkewMs: z.number().default(0),
  /** Added to the `Date` header alone, milliseconds: a server in front whose clock is another. */
  dateSkewMs: z.number().default(0),
  /** Which shapes to use where the document shows none: `a` as audit-runner guesses by default, `b` otherwise. */
  variant: z.enum(['a', 'b']).default('a'),
  /**
   * How the project list is paged: by `offset`, by the number of the `page` (20 a page, and the reply says which), or not at
   * all: the `first` 20 and nothing that says so.
   */
  projectsPaging: z.enum(['offset', 'page', 'first']).default('offset'),
  projectsListed: ProjectsListed.default('whole'),
  /** What lists and records show of descriptions, notes and documents' names. */
  marks: Marks.prefault({}),
  /** Rate limits that differ from the documented ones, by class; `off` lifts them (requests are still counted). */
  limits: z
    .union([
      z.literal('off'),
      // Audits have none of their own unless it is given.
      z.strictObject(perClass(() => Limit.optional())),
    ])
    .default({}),
  /** Decides data, identifiers, tokens and random faults. */
  seed: z.int().default(1),
  /** How many leads, projects and captures the first user has. */
  leads: z.int().nonnegative().default(25),
  projects: z.int().nonnegative().default(3),
  captures: z.int().nonnegative().default(5),
  /** The first user's balance. */
  credits: z.number().nonnegative().default(50_000),
  /** How old the balance is that GET /api/user/credits shows, milliseconds divided by `speed`: a replica that lags behind. */
  balanceLagMs: z.number().nonnegative().default(0),
  tier: Tier.default('team'),
  /** Whether a token may upload documents (the document leaves this route off its allowlist). */
  documentsRoute: routeAccess,
  /** Whether a token may submit notes (the allowlist names `captures`, the route is `capture/note`). */
  noteRoute: routeAccess,
  /** Analyses that the plan allows for one project. */
  analysesPerProject: z.int().positive().default(10),
  /** What `auditId` in the reply of a conversion is: the new project's ID, or some other ID. */
  auditId: z.enum(['project', 'other']).default('project'),
  /**
   * When a conversion looks at the lead's `surveyStatus`: as it commits (so a lead is paid for once), or as the request
   * arrives (so two requests in flight at the same time both pay).
   */
  convertCheck: z.enum(['atCommit', 'atArrival']).default('atCommit'),
  /** Whether a synchronous audit that ran into its time limit still completes, or fails. */
  timedOutAudit: z.enum(['completes', 'fails']).default('completes'),
  /** Largest JSON body and largest document, bytes; more is answered with 413. */
  bodyLimit: z
    .int()
    .positive()
    .default(1024 * 1024),
  documentLimit: z
    .int()
    .positive()
    .default(50 * 1024 * 1024),
  /** How long things take, milliseconds. */
  durations: z
    .strictObject({
      convert: duration(1000),
      createProject: duration(500),
      /** A document's `uploadStatus` from `pending` to `uploaded`. */
      upload: duration(2000),
      /** From the first uploaded document to `hasAnalysis`. */
      documentAnalysis: duration(20_000),
      /** From the project's creation to `hasInterviewAnalysis`; `control`: only the control surface completes it. */
      interviewAnalysis: z.union([z.literal('control'), z.number().nonnegative()]).default('control'),
      audit: duration(60_000),
      /** A capture in `pending`, and again in `processing`. */
      extraction: duration(3000),
      /** Between two attempts to deliver a webhook event. */
      webhookRetry: duration(5000),
    })
    .prefault({}),
  faults: z.array(FaultRule).default([]),
  faultRate: FaultRate.optional(),
  /** Cookie value (`session=…`) of the first user's browser session; the second user's has `-2` appended. */
  session: z.string().min(1).default('sandbox-session'),
  /** How webhook receivers' certificates are checked: by the usual authorities, by these (PEM), or not at all. */
  webhookTls: z.strictObject({ ca: z.string().optional(), insecure: z.boolean().default(false) }).prefault({}),
  log: z.custom<(line: LogLine) => void>((value) => typeof value === 'function').optional(),
});
export type SandboxOptions = z.input<typeof SandboxOptions>;
/** {@link SandboxOptions} with every default filled in. */
export type Settings = z.output<typeof SandboxOptions>;
