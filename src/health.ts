/** Probes over HTTP, for Kubernetes and the like: whether a worker process lives, and whether it takes work. */
import { createServer, type Server } from 'node:http';
import { performance } from 'node:perf_hooks';

/** A server that has not answered for so long is away. */
const FRESH_MS = 30_000;
const ASKED_EVERY_MS = 10_000;

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
  #worker: { state(): 'running' | 'failed' } | undefined;
  #refused: string | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #asking: NodeJS.Timeout | undefined;

  /** @param ask fails where the Temporal server does not answer; answers in which words it refuses to give work, if it does */
  runs(worker: { state(): 'running' | 'failed' }, ask: () => Promise<string | undefined>): void {
    this.#doing = 'running';
    this.#worker = worker;
    const once = () =>
      ask().then(
        (refused) => {
          this.#refused = refused;
          this.#answeredAt = performance.now();
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
    if (this.#doing === 'stopping') return 'finishing the calls in flight';
    if (performance.now() - this.#answeredAt > FRESH_MS) return 'the Temporal server does not answer';
    if (this.#refused !== undefined) return `the Temporal server refuses workers that ask for work (${this.#refused})`;
    return this.fault();
  }

  fault(): string | undefined {
    return this.#worker?.state() === 'failed' ? 'a part of the worker has failed' : undefined;
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
