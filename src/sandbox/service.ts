import type { RouteName } from '../agent-api/routes';
import { Gate, type Switches } from './admission';
import { Audits } from './audits';
import type { Upload } from './body';
import { Clock } from './clock';
import { Extraction } from './extraction';
import { Faults } from './faults';
import { Limits } from './limits';
import type { Settings } from './options';
import { Payments } from './payments';
import { Random } from './random';
import type { Reply } from './refusal';
import { Repeats } from './repeats';
import type { AgentRouteName, BrowserRouteName } from './router';
import type { User } from './rows';
import { Seeder, seed } from './seed';
import { type Shapes, shapesOf } from './shapes';
import { Store } from './store';
import { Webhooks } from './webhooks';
import type { Query } from './wire-names';

/** A request that passed the gate and whose body has been read. */
export interface Call {
  readonly user: User;
  /** The identifier in the path, or an empty string. */
  readonly id: string;
  readonly query: Query;
  readonly body: unknown;
  /** The received document, for the route that takes one. */
  readonly upload?: Upload | undefined;
}

/** Performs a call. What it changes, it changes at once: the moment of the commit. @throws Refusal */
export type Handler = (call: Call) => Reply | Promise<Reply>;
/** The handlers of one noun of the routes table; a missing one is a compile error. */
export type HandlersOf<Noun extends string> = Record<Extract<AgentRouteName & RouteName, `${Noun}.${string}`>, Handler>;
export type BrowserHandlers = Record<BrowserRouteName, Handler>;

/** Everything that a running stand-in consists of, except its sockets. */
export class Service {
  readonly clock: Clock;
  readonly random: Random;
  readonly store = new Store();
  readonly shapes: Shapes;
  readonly switches: Switches;
  readonly limits: Limits;
  readonly gate: Gate;
  readonly faults: Faults;
  readonly payments: Payments;
  readonly webhooks: Webhooks;
  readonly audits: Audits;
  readonly extraction: Extraction;
  /** Documents by project, name and content; notes by project and text. */
  readonly documents = new Repeats<{ projectId: string; fileName: string; sha256: string }>();
  readonly notes = new Repeats<{ userId: string; projectId: string | null; rawContent: string }>();
  readonly seeder: Seeder;
  readonly owner: User;
  readonly other: User;

  constructor(readonly settings: Settings) {
    this.clock = new Clock(settings.speed, settings.clockSkewMs, settings.dateSkewMs);
    this.random = new Random(settings.seed, 1);
    this.switches = { agentApi: true, aiKey: true, projectsListed: settings.projectsListed, marks: settings.marks };
    this.shapes = shapesOf(settings.variant);
    this.limits = new Limits(settings, this.clock);
    this.gate = new Gate(settings, this.store, this.clock, this.limits, this.switches);
    this.faults = new Faults(new Random(settings.seed, 2), this.clock);
    for (const rule of settings.faults) this.faults.add(rule);
    this.faults.setRate(settings.faultRate);
    this.payments = new Payments(this.clock);
    this.webhooks = new Webhooks(settings, this.clock, this.random);
    this.audits = new Audits(settings, this.clock, this.random, this.store, this.webhooks);
    this.extraction = new Extraction(settings, this.clock, this.random, this.webhooks);
    this.seeder = new Seeder(this.store, this.random, this.clock);
    ({ owner: this.owner, other: this.other } = seed(this.store, settings, new Random(settings.seed), this.clock));
  }

  close(): void {
    this.clock.close();
    this.webhooks.close();
  }
}
