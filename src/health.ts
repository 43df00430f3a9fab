/** Probes over HTTP, for Kubernetes and the like: whether a worker process lives, and whether it takes work. */
import { createServer, type Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { RunningWorker } from './worker';

/** A server that has not answered for so long is away. */
const FRESH_MS = 30_000;
const ASKED_EVERY_MS = 10_000;
/** Longer than a server takes to restart, as a rule: a worker that is killed for nothing cuts calls off. */
const AWAY_MS = 120_000;

/** What a probe is told. */
export interface Health {
  /**
   * What keeps the process from taking work: a sentence without secrets; undefined where nothing does. Holds of accounts and a
   * storage that is away do not count: another process would wait for the same.
   */
  notReady(): string | undefined;
  /** A fault that only a new process ends. */
  fault(): string | undefined;
}

/** How a worker process comes to work, and ends. */
export class WorkerHealth implements Health {
  #doing: 'connecting' | 'running' | 'stopping' = 'connecting';
  #worker: Pick<RunningWorker, 'state'> | undefined;
  #refused: string | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #asking: NodeJS.Timeout | undefined;
  readonly #begunAt: number;

  /**
   * @param isRenewed whether the certificate or key of the connection is another one by now: the connection shows the old
   * one to the end
   * @param now milliseconds of a clock that only goes forward
   */
  constructor(
    private readonly isRenewed: () => boolean = () => false,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#begunAt = now();
  }

  /** @param ask fails where the Temporal server does not answer; answers in which words it refuses to give work, if it does */
  runs(worker: Pick<RunningWorker, 'state'>, ask: () => Promise<string | undefined>): void {
    this.#doing = 'running';
    this.#worker = worker;
    const once = () =>
      ask().then(
        (refused) => {
          this.#refused = refused;
          this.#answeredAt = this.now();
        },
        () => undefined,
      );
    void once();
    this.#asking = setInterval(() => void once(), ASKED_EVERY_MS).unref();
  }

  stops(): void {
    this.#doing = 'stopping';
    clearInterval(this.#asking);
  }

  notReady(): string | undefined {
    if (this.#doing === 'connecting') return 'connecting to the Temporal server';
    if (this.#isStopping) return 'finishing the calls in flight';
    if (this.now() - this.#answeredAt > FRESH_MS) return 'the Temporal server does not answer';
    if (this.#refused !== undefined) return `the Temporal server refuses workers that ask for work (${this.#refused})`;
    return this.fault();
  }

  /** By a signal, or since its configuration cannot be worked with. */
  get #isStopping(): boolean {
    return this.#doing === 'stopping' || this.#worker?.state() === 'stopping';
  }

  fault(): string | undefined {
    if (this.#worker?.state() === 'failed') return 'a part of the worker has failed';
    if (this.#isStopping || this.now() - Math.max(this.#answeredAt, this.#begunAt) <= AWAY_MS) return undefined;
    return this.isRenewed()
      ? 'the Temporal server does not answer, and the certificate or key for it was renewed, which is read at the start'
      : undefined;
  }
}

/**
 * Serves `/healthz`, 200 while the process lives and has no fault that only a restart ends, and `/readyz`, 200 while it
 * takes work; else 503 with the reason.
 * @param address such as `0.0.0.0:8080`
 * @throws where it is no such address, or nothing can listen there
 */
export async function serveHealth(address: string, health: Health): Promise<Server> {
  const server = createServer((request, response) => {
    const why = { '/healthz': () => health.fault(), '/readyz': () => health.notReady() }[request.url ?? ''];
    if (why === undefined || request.method !== 'GET') return void response.writeHead(404).end();
    const found = why();
    response
      .writeHead(found === undefined ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' })
      .end(`${found ?? 'ok'}\n`);
  });
  const [, host, port] = /^(.*):(\d+)$/.exec(address) ?? [];
  if (host === undefined) throw new Error('it is no host:port such as 0.0.0.0:8080');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), host.replace(/^\[|\]$/g, ''), resolve);
  });
  // It keeps no process alive.
  server.unref();
  return server;
}
