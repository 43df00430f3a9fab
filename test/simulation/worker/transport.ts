/** HTTP between the real API client and the sandbox's real handlers, without a socket. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { asyncLocalStorage } from '@temporalio/activity';
import { Dispatcher } from 'undici';
import type { RateClass } from '../../../src/agent-api/rate-class';
import { match } from '../../../src/sandbox/router';
import type { Mishaps } from '../engine/mishaps';
import { here, type Process } from '../world/world';
import { type Pages, paged } from './pages';

type Options = Dispatcher.DispatchOptions;
type Handler = Dispatcher.DispatchHandler;

/** A request that leaves a process. */
export interface Departure {
  by: Process;
  rateClass: RateClass;
  path: string;
  at: number;
  /** When the process handed it over: the connection takes its time. */
  askedAt: number;
  /** When its queue gave away the activity that sends it. */
  takenAt?: number | undefined;
}

/** When the queue gave away an activity, by what that knows of itself. */
export const takenAtOf = new WeakMap<object, number | undefined>();

/** A 429 that reaches who has sent the request. */
export interface Refusal {
  by: Process;
  rateClass: RateClass;
  path: string;
  /** The header, where there is one. */
  retryAfter: string | undefined;
}

/** Whom the wire tells what passes. */
export interface Watch {
  arrives(method: string, path: string): void;
  departs(departure: Departure): void;
  refuses(refusal: Refusal): void;
}

function classOf(method: string, path: string): RateClass | undefined {
  const target = match(method, path.replace(/\?.*/, ''));
  return target?.kind === 'agent' ? target.rateClass : undefined;
}

const cut = (code: string) => Object.assign(new Error(code), { code });

/** One connection's worth of undici: asks the handler just before it writes, as undici does, and never writes twice. */
export class Wire extends Dispatcher {
  constructor(
    private readonly mishaps: Mishaps,
    private readonly listener: RequestListener,
    private readonly watch: Watch,
    private readonly pages?: Pages,
  ) {
    super();
  }

  override dispatch(options: Options, handler: Handler): boolean {
    const { world } = this.mishaps;
    const process = here.getStore();
    const askedAt = world.now;
    const info = asyncLocalStorage.getStore()?.info;
    const takenAt = info && takenAtOf.get(info);
    const rateClass = classOf(options.method, options.path);
    let isAborted = false;
    let isAnswered = false;
    const controller = {
      aborted: false,
      paused: false,
      reason: null,
      abort(reason: Error) {
        if (isAborted || isAnswered) return;
        isAborted = true;
        request?.destroy();
        handler.onResponseError?.(controller as never, reason);
      },
      pause: () => undefined,
      resume: () => undefined,
    };
    let request: (Readable & { destroy(): unknown }) | undefined;
    const fail = (code: string) => {
      if (isAborted || isAnswered) return;
      isAnswered = true;
      handler.onResponseError?.(controller as never, cut(code));
    };
    const answer = (status: number, headers: Record<string, string>, body: string) => {
      if (isAborted || isAnswered) return;
      if (process && !this.mishaps.crossing(process, 'reply')) return;
      isAnswered = true;
      if (status === 429 && process && rateClass)
        this.watch.refuses({ by: process, rateClass, path: options.path, retryAfter: headers['retry-after'] });
      handler.onResponseStart?.(controller as never, status, headers, '');
      handler.onResponseData?.(controller as never, Buffer.from(body));
      handler.onResponseEnd?.(controller as never, {});
    };
    const back = (then: () => void) => void world.after(this.#latency(), then, process);
    const isRefused = this.mishaps.happens('connectionRefused');
    world.after(
      this.#latency(),
      () => {
        if (isAborted || (process && !this.mishaps.crossing(process, 'request'))) return;
        if (isRefused) return fail('ECONNREFUSED');
        handler.onRequestStart?.(controller as never, {});
        if (isAborted) return;
        if (process && rateClass) {
          const { path } = options;
          this.watch.departs({ by: process, rateClass, path, at: world.now, askedAt, takenAt });
        }
        // What has left arrives, whatever becomes of its sender.
        world.after(this.#latency(), () =>
          here.exit(() => {
            const { method, path } = options;
            const list = this.pages && paged(this.pages, method, path, (what) => this.mishaps.note(what));
            request = incoming({ ...options, ...(list && { path: list.path }) }, () => back(() => fail('ECONNRESET')));
            this.watch.arrives(method, path);
            this.listener(
              request as IncomingMessage & Readable,
              outgoing((status, headers, body) => {
                const put = status === 200 ? list?.put(body) : undefined;
                back(() => answer(status, headers, put ?? body));
              }),
            );
          }),
        );
      },
      process,
    );
    return true;
  }

  #latency(): number {
    const { random } = this.mishaps.world;
    return this.mishaps.happens('slow') ? random.between(50, 6_000) : random.between(2, 30);
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override destroy(): Promise<void> {
    return Promise.resolve();
  }
}

/** A request as the sandbox reads it. */
function incoming({ method, path, headers, body }: Options, onCut: () => void): Readable {
  const content =
    body === null || body === undefined
      ? []
      : Buffer.isBuffer(body) || typeof body === 'string'
        ? [Buffer.from(body)]
        : body;
  const stream = Readable.from(content as Iterable<Buffer>, { objectMode: false });
  // The client's end of a connection that is cut closes the body, too, but it has been read by then.
  stream.on('error', () => undefined);
  return Object.assign(stream, {
    method,
    url: path,
    headers: headers as Record<string, string>,
    socket: { destroy: onCut },
  });
}

/** A response as the sandbox writes it. */
function outgoing(
  send: (status: number, headers: Record<string, string>, body: string) => void,
): ServerResponse & { req: IncomingMessage } {
  let head: { status: number; headers: Record<string, string> } = { status: 200, headers: {} };
  const response = {
    sendDate: true,
    writeHead(status: number, headers: Record<string, string>) {
      head = {
        status,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      };
      return response;
    },
    end(text = '') {
      send(head.status, head.headers, text);
      return response;
    },
  };
  return response as unknown as ServerResponse & { req: IncomingMessage };
}
