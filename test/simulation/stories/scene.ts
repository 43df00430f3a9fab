/** Everything that a story plays in: server, workers, service, storage, in a world of their own. */

import { defaultPayloadConverter } from '@temporalio/common';
import type { Limit } from '../../../src/agent-api/limiter';
import { queueClasses, type RateClass } from '../../../src/agent-api/rate-class';
import { LIMITS } from '../../../src/agent-api/routes';
import { toAccount } from '../../../src/config/account';
import type { Ceilings } from '../../../src/config/ceilings';
import { AccountFile } from '../../../src/config/schema';
import type { LedgerState } from '../../../src/ledger';
import { agentServer } from '../../../src/sandbox/agent-server';
import { type Control, createControl } from '../../../src/sandbox/control';
import { SandboxOptions } from '../../../src/sandbox/options';
import { newToken } from '../../../src/sandbox/seed';
import { Service } from '../../../src/sandbox/service';
import { Statistics } from '../../../src/sandbox/statistics';
import { variantOverrides } from '../../../src/sandbox/wire-names';
import { createClient } from '../../../src/temporal/client';
import { ledgerId } from '../../../src/temporal/ledger-id';
import { rateOf } from '../../../src/temporal/queue-limits';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import { Mishaps } from '../engine/mishaps';
import { NAMESPACE } from '../engine/proto';
import type { Run } from '../engine/run';
import { Server } from '../engine/server';
import { createService } from '../engine/service';
import type { Build } from '../worker/bundle';
import { connect } from '../worker/connection';
import type { Pages } from '../worker/pages';
import { WorkerProcess } from '../worker/process';
import { MemoryStorage } from '../worker/storage';
import { type Departure, type Watch, Wire } from '../worker/transport';
import { enter } from '../world/install';
import type { Process } from '../world/world';
import { World } from '../world/world';
import { SHAPES } from './shapes';

const BASE_URL = 'http://127.0.0.1:8080';
/** A worker that was killed is replaced after this at most, milliseconds. */
const REPLACED_WITHIN_MS = 40_000;

/** Whole numbers for each of four partitions. */
const NARROW = { reads: { max: 16, windowMs: 60_000 }, polls: { max: 8, windowMs: 60_000 } };

const PAID = /^POST \S*(?:\/leads\/([^/]+)\/convert|\/api\/projects)$/;

export interface SceneOptions {
  leads: number;
  credits?: number;
  /** Of the configuration. @default no ceilings */
  budget?: Partial<Ceilings['budget']>;
  /** What the conversion of a lead costs by the configuration. @default what the service takes */
  price?: number;
  /** @default a Monday morning */
  beginsAt?: number;
  sandbox?: SandboxOptions;
  /** Few requests a minute, by the service and by the configuration. */
  isNarrow?: boolean;
  /** How its lists are put. @default as the sandbox does */
  pages?: Pages;
  workers?: number;
  /** The clock of each worker is so far ahead or behind at most, milliseconds. */
  skewMs?: number;
  /** Milliseconds from the beginning: from then on a new build of the workflows works beside the one before, then alone. */
  rollout?: { readonly from: number; readonly to: number } | undefined;
  /** With so many events the server suggests to continue as new. @default its own number */
  suggestsAt?: number;
}

export class Scene {
  readonly world: World;
  readonly server: Server;
  readonly misfortunes: Mishaps;
  readonly service: Service;
  readonly control: Control;
  readonly ledgerId: string;
  readonly storage: MemoryStorage;
  readonly token: string;
  /** What all workers' configuration allows now. */
  budget: Ceilings['budget'];
  /** Told of each request that costs, as it arrives, and of which lead. */
  onPaidRequest: (leadId: string | undefined) => void = () => undefined;
  /** Told of each request of a worker, as it leaves, and of each 429 as a worker hears it. */
  onDeparture: (departure: Departure) => void = () => undefined;
  onRefusal: Watch['refuses'] = () => undefined;
  /** Times that a run was replayed. */
  replays = 0;
  /** Each request of a worker, as it left. */
  readonly departures: Departure[] = [];
  /** When a person ended all pauses after a 429 last. */
  pausesEndedAt = Number.NEGATIVE_INFINITY;
  /** When what workers were at was lost: one was killed, or the server was restarted. */
  readonly losses: number[] = [];
  /** When the ledger may have forgotten which turns and which permits it has given. */
  readonly lapses: { turns: number[]; permits: number[] } = { turns: [], permits: [] };
  readonly #account;
  readonly #wire: Wire;
  readonly #connection;
  /** Of people and their tools. */
  readonly client;
  #born = 0;

  constructor(
    seed: number,
    readonly options: SceneOptions,
  ) {
    this.world = new World(seed, options.beginsAt);
    enter(this.world);
    this.misfortunes = new Mishaps(this.world);
    this.misfortunes.kill = (process, at) => this.kill(process, at);
    const { price, budget } = options;
    const credits = price === undefined ? {} : { 'leads.convert': price };
    const isOther = options.sandbox?.variant === 'b';
    if (isOther) this.misfortunes.note(SHAPES[0]);
    const undocumented = isOther ? variantOverrides : {};
    const limits: Partial<Record<RateClass, Limit>> = options.isNarrow ? NARROW : {};
    const file = AccountFile.parse({ baseUrl: BASE_URL, tokenEnv: 'TOKEN', credits, budget, undocumented, limits });
    this.budget = file.budget;
    // Of a server with our settings, or with its own.
    const partitions = seed % 2 === 0 ? 1 : 4;
    const rates = new Map<string, number>(
      queueClasses.map((each) => [each, rateOf(each, { ...LIMITS[each], ...limits[each] }, partitions)]),
    );
    const spacing = (queue: string) => Math.ceil(1_000 / (rates.get(queue.split('.').at(-1) ?? '') ?? 1_000));
    this.server = new Server(this.misfortunes, spacing);
    this.server.suggestsAt = options.suggestsAt ?? this.server.suggestsAt;
    const settings = SandboxOptions.parse({
      ...{ seed, leads: options.leads, projects: 2, captures: 1, credits: options.credits ?? 50_000 },
      ...{ limits, ...options.sandbox },
    });
    this.service = new Service(settings);
    const { store, random, clock, owner } = this.service;
    this.token = newToken(store, random, clock, owner, { label: 'simulated', scopes: ['read', 'write'] }).plaintext;
    const statistics = new Statistics(this.service);
    this.control = createControl(this.service, statistics);
    this.ledgerId = ledgerId(owner.id);
    this.storage = new MemoryStorage(this.misfortunes);
    const watch: Watch = {
      arrives: (method, path) => {
        const paid = PAID.exec(`${method} ${path}`);
        if (paid) this.onPaidRequest(paid[1]);
      },
      departs: (departure) => {
        this.departures.push(departure);
        this.onDeparture(departure);
      },
      refuses: (refusal) => this.onRefusal(refusal),
    };
    this.#wire = new Wire(this.misfortunes, agentServer(this.service, statistics), watch, options.pages);
    this.#connection = connect(this.misfortunes, () => this.server.latency(), createService(this.server));
    this.client = createClient({ connection: this.#connection, namespace: NAMESPACE }, {});
    this.#account = toAccount('default', file, { TOKEN: this.token }, '/');
    for (let n = 0; n < (options.workers ?? 2); n++) this.startWorker();
    if (!options.rollout) return;
    this.world.after(options.rollout.from, () => this.#replace(1));
    this.world.after(options.rollout.to, () => this.#replace());
  }

  /** By the configuration. */
  get limits(): Readonly<Record<RateClass, Limit>> {
    return this.#account.limits;
  }

  get lostAt(): number {
    return this.losses.at(-1) ?? 0;
  }

  set lostAt(now: number) {
    this.losses.push(now);
  }

  startWorker(): void {
    const name = `worker-${++this.#born}`;
    const { skewMs: most = 0 } = this.options;
    const skewMs = most > 0 ? this.world.random.between(-most, most) : 0;
    this.world.tell(`${name} starts${skewMs === 0 ? '' : `, its clock ${skewMs} ms apart`}`);
    this.server.addWorker(
      new WorkerProcess(name, skewMs, this.#build(), {
        server: this.server,
        account: this.#account,
        connection: this.#connection,
        storage: this.storage.storage,
        ceilings: () => ({ budget: this.budget, timeZone: 'UTC' }),
        open: () => this.#wire,
        onReplay: () => this.replays++,
      }),
    );
  }

  #build(): Build {
    const { from, to } = this.options.rollout ?? { from: 0, to: 0 };
    const { elapsed, random } = this.world;
    if (elapsed >= to) return 'now';
    return elapsed < from || random.chance(0.5) ? 'before' : 'now';
  }

  /** It ended while there were workers with the build before, which reports some things otherwise. */
  isBeforeRollout({ closedAt = 0 }: Run): boolean {
    const { rollout } = this.options;
    return rollout !== undefined && closedAt < this.world.now - this.world.elapsed + rollout.to;
  }

  /** Ends so many of the workers that have the build before; others take their places. @param most @default all */
  #replace(most?: number): void {
    const old = this.server.workers.filter((worker) => worker.alive && (worker as WorkerProcess).build === 'before');
    for (const worker of old.slice(0, most)) this.kill(worker, 'the rollout');
    this.misfortunes.note('rollout');
  }

  /** When the service was paid, by the Temporal server's clock, which days go by: the service writes its own. */
  momentOf({ at }: { readonly at: string }): string {
    return new Date(Date.parse(at) - (this.options.sandbox?.clockSkewMs ?? 0)).toISOString();
  }

  kill(process: Process, at: string): void {
    this.world.tell(`${process.name} is killed at ${at}`);
    this.lostAt = this.world.now;
    process.alive = false;
    this.world.after(this.world.random.between(1_000, REPLACED_WITHIN_MS), () => this.startWorker());
  }

  /** By the configuration. */
  priceOf(subject: string): number {
    return this.#account.credits(subject.startsWith('lead:') ? 'leads.convert' : 'projects.create');
  }

  /** As somebody in the Web UI does; refused where one of the same ID is under way. */
  start(type: string, workflowId: string, input?: unknown): void {
    if (this.server.current(workflowId)?.isOpen) return;
    this.server.start({
      ...{ workflowId, type, taskQueue: WORKFLOW_QUEUE, searchAttributes: {}, requestId: this.world.random.uuid() },
      input: input === undefined ? [] : [defaultPayloadConverter.toPayload(input)],
    });
  }

  /** What the ledger knows, where one runs and answers. */
  async ledgerState(): Promise<LedgerState | undefined> {
    const ledger = this.server.current(this.ledgerId);
    return ledger?.isOpen ? this.ask<LedgerState>(ledger, 'state') : undefined;
  }

  inputOf(run: Run): unknown {
    const [first] = run.start.input;
    return first && defaultPayloadConverter.fromPayload(first);
  }

  resultOf(run: Run): unknown {
    return run.status === 'COMPLETED' && run.result ? defaultPayloadConverter.fromPayload(run.result) : undefined;
  }

  /** Asks a run as a person would, but without any effect on the course of things. */
  async ask<T>(run: Run, queryType: string): Promise<T | undefined> {
    const worker = run.tasks.worker ?? this.server.workers.find(({ alive }) => alive);
    if (!worker || run.tasks.current || run.episodes.length === 0) return undefined;
    const { succeeded } = await worker.query(run, { queryId: 'oracle', queryType, arguments: [] });
    return succeeded?.response ? defaultPayloadConverter.fromPayload<T>(succeeded.response) : undefined;
  }

  /** What a run says of itself in the Web UI. */
  async detailsOf(run: Run): Promise<string | undefined> {
    return (await this.ask<{ currentDetails?: string }>(run, '__temporal_workflow_metadata'))?.currentDetails;
  }

  get leads(): { id: string; surveyStatus: string }[] {
    return this.control.leads() as { id: string; surveyStatus: string }[];
  }

  close(): void {
    this.service.close();
    for (const worker of this.server.workers) {
      worker.forget();
      worker.alive = false;
    }
    enter(undefined);
  }
}
