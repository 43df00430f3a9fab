import { z } from 'zod';
import { convert, refuseConverted } from './conversion';
import { detailOf } from './handlers/projects';
import { Marks } from './marks';
import { FaultRate, FaultRule, ProjectsListed, Tier } from './options';
import { found } from './refusal';
import type { User } from './rows';
import type { Service } from './service';
import { shownCapture, shownLead } from './shapes';
import type { Statistics } from './statistics';
import { setBalance } from './user-balance';

/** An operation, typed in the process and parsed when it comes over HTTP. */
export interface Operation<S extends z.ZodType, R> {
  /** It only looks: a GET may ask for it. */
  readonly isReading: boolean;
  (...input: undefined extends z.input<S> ? [input?: z.input<S>] : [input: z.input<S>]): R;
  /** @throws z.ZodError for a body that is not the operation's input */
  fromJson(body: unknown): R;
}

function operation<S extends z.ZodType, R>(
  schema: S,
  run: (input: z.output<S>) => R,
  isReading = false,
): Operation<S, R> {
  const fromJson = (body: unknown) => run(schema.parse(body));
  return Object.assign((...[input]: [input?: z.input<S>]) => fromJson(input), { fromJson, isReading });
}

const reading = <S extends z.ZodType, R>(schema: S, run: (input: z.output<S>) => R) => operation(schema, run, true);

/** The first user, unless another one is named by ID. */
const user = z.string().optional();
const forUser = z.strictObject({ user }).prefault({});
const nothing = z.strictObject({}).prefault({});
const surveyStatus = z.enum(['pending', 'completed', 'converted', 'archived']);

/**
 * What an operator, a person in the web app and a test can do that a token cannot. Over HTTP: `POST /{operation}` on the
 * control port with the input as JSON body.
 */
export function createControl(service: Service, statistics: Statistics) {
  const { store, faults, switches, audits, clock } = service;
  const userOf = (id: string | undefined): User =>
    id === undefined ? service.owner : found(store.users.get(id), 'User');
  const lead = (id: string | undefined, leadId: string) => found(store.leads.get(userOf(id).id, leadId), 'Lead');
  const token = (plaintext: string) => found(store.token(plaintext), 'Token');
  const done = { done: true };

  return {
    stats: reading(nothing, () => statistics.now()),

    setCredits: operation(z.strictObject({ user, credits: z.number().nonnegative() }), (input) => {
      setBalance(userOf(input.user), input.credits, clock.wall());
      return done;
    }),
    credits: reading(forUser, (input) => ({ credits: userOf(input.user).credits })),
    setTier: operation(z.strictObject({ user, tier: Tier }), (input) => {
      userOf(input.user).tier = input.tier;
      return done;
    }),
    /** The kill switch: disabled answers 503 `PAT_DISABLED`. */
    setAgentApi: operation(z.strictObject({ enabled: z.boolean() }), (input) => {
      switches.agentApi = input.enabled;
      return done;
    }),
    /** Whether the service's AI provider key works. */
    setAiKey: operation(z.strictObject({ present: z.boolean() }), (input) => {
      switches.aiKey = input.present;
      return done;
    }),
    revokeToken: operation(z.strictObject({ token: z.string() }), (input) => {
      token(input.token).revokedAt = clock.iso();
      return done;
    }),
    restoreToken: operation(z.strictObject({ token: z.string() }), (input) => {
      token(input.token).revokedAt = null;
      return done;
    }),

    leads: reading(forUser, (input) => store.leads.all(userOf(input.user).id).map(shownLead)),
    addLeads: operation(z.strictObject({ user, count: z.int().positive() }), (input) => {
      service.seeder.leads(userOf(input.user).id, input.count);
      return done;
    }),
    /** Changes nothing but the status. */
    setSurveyStatus: operation(z.strictObject({ user, leadId: z.string(), surveyStatus }), (input) => {
      store.leads.setStatus(lead(input.user, input.leadId), input.surveyStatus, clock.iso());
      return done;
    }),
    /** A person converts a lead in the web app, with all effects, the credits included. */
    convertLead: operation(z.strictObject({ user, leadId: z.string() }), (input) => {
      const row = lead(input.user, input.leadId);
      refuseConverted(row);
      return { projectId: convert(service, userOf(input.user), row, 'person').project.id };
    }),

    projects: reading(forUser, (input) => store.projects.all(userOf(input.user).id).map(detailOf)),
    /** What the project list shows from now on. */
    setProjectsListed: operation(z.strictObject({ how: ProjectsListed }), (input) => {
      switches.projectsListed = input.how;
      return done;
    }),
    /** What is shown of descriptions, notes and documents' names from now on. */
    setMarks: operation(Marks, (marks) => {
      switches.marks = marks;
      return done;
    }),
    completeInterviews: operation(z.strictObject({ user, projectId: z.string() }), (input) => {
      audits.completeInterviews(userOf(input.user).id, input.projectId);
      return done;
    }),
    analyses: reading(z.strictObject({ user, projectId: z.string() }), (input) =>
      found(store.projects.get(userOf(input.user).id, input.projectId), 'Project').analyses.map(
        ({ id, status, createdAt }) => ({ id, status, createdAt }),
      ),
    ),
    /** A person adds a document in the web app. */
    addDocument: operation(
      z.strictObject({ user, projectId: z.string(), fileName: z.string(), fileType: z.string(), fileSize: z.int() }),
      ({ projectId, user: id, ...file }) => {
        audits.addDocument(found(store.projects.get(userOf(id).id, projectId), 'Project'), file);
        return done;
      },
    ),
    /** Uploads, analyses, extractions and deliveries stand still, or go on with what became due meanwhile. */
    setBackgroundWork: operation(z.strictObject({ stands: z.boolean() }), (input) => {
      clock.stand(input.stands);
      return done;
    }),
    /** Fails the analyses that are started next. */
    failNextJob: operation(z.strictObject({ times: z.int().positive().default(1) }).prefault({}), (input) => {
      audits.failNext(input.times);
      return done;
    }),
    captures: reading(forUser, (input) => store.captures.all(userOf(input.user).id).map(shownCapture)),

    addFault: operation(FaultRule, (rule) => {
      faults.add(rule);
      return done;
    }),
    setFaultRate: operation(FaultRate, (rate) => {
      faults.setRate(rate);
      return done;
    }),
    /** Requests that wait, by a delay or since the call takes its time, go on at once. */
    endDelays: operation(nothing, () => {
      clock.wake();
      return done;
    }),
    /** Forgets queued faults and the rate, or only the faults about something. */
    clearFaults: operation(z.strictObject({ about: z.string().min(1).optional() }).prefault({}), ({ about }) => {
      faults.clear(about);
      return done;
    }),
  };
}

export type Control = ReturnType<typeof createControl>;
