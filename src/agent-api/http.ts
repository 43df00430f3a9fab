/**
 * One HTTP exchange over undici, with exact knowledge of whether the request was written. undici calls `onRequestStart`
 * synchronously before it writes, each time it writes, so that is the one place that decides: what did not pass it never
 * left, and a second passage (undici takes a request up again in some cases when a socket closes) is refused. (S1, S2)
 */
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { steadyNow } from '../steady-clock';

/**
 * A body that is read as it goes out. Its length is sent before it, since many servers refuse a request without one; a
 * stream that turns out to be longer or shorter ends the request as a failure.
 */
export interface StreamedBody {
  readonly stream: Readable;
  /** Bytes. */
  readonly length: number;
}

/** A request and its limits. Durations in milliseconds. */
export interface HttpRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly origin: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: Buffer | StreamedBody;
  /** Longest time until the request is written. */
  readonly connectMs: number;
  /** Longest time from the writing of the request to the end of the reply. */
  readonly timeoutMs: number;
  /** A moment of `steadyNow()`: the request is written before it or not at all. */
  readonly writeBy?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly maxResponseBytes: number;
  /** Called once, immediately before the first byte goes out. */
  readonly onWrite: () => void;
}

/** The status line and headers of a reply. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** How an exchange ended. */
export type Ending =
  | { kind: 'complete'; body: Buffer }
  | { kind: 'tooLarge' | 'tooLate' | 'timeout' | 'aborted' }
  /** `code` as Node, OpenSSL or undici names it. */
  | { kind: 'lost'; code: string };

/** What became of a request. Times are wall-clock milliseconds. */
export interface Exchange {
  /** When it was written; absent when it provably never left. */
  readonly sentAt?: number;
  readonly endedAt: number;
  /** Present once the head of a final reply (not 1xx) has arrived, even if the rest did not. */
  readonly head?: ResponseHead;
  readonly ending: Ending;
}

const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';
const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name);

class Conversation implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #streamed: StreamedBody | undefined;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #head: ResponseHead | undefined;
  #sentAt: number | undefined;
  #ended = false;
  #timer: NodeJS.Timeout;

  constructor(request: HttpRequest, resolve: (exchange: Exchange) => void) {
    this.#request = request;
    this.#streamed = Buffer.isBuffer(request.body) ? undefined : request.body;
    this.#resolve = resolve;
    const untilWriteBy = (request.writeBy ?? Number.POSITIVE_INFINITY) - steadyNow();
    this.#timer =
      untilWriteBy < request.connectMs
        ? setTimeout(() => this.#end({ kind: 'tooLate' }), Math.max(0, untilWriteBy))
        : setTimeout(() => this.#end({ kind: 'lost', code: CONNECT_TIMEOUT }), request.connectMs);
    request.signal?.addEventListener('abort', this.#abort);
  }

  start(dispatcher: Dispatcher): void {
    const { method, origin, path, body, signal } = this.#request;
    const { stream, length } = this.#streamed ?? {};
    if (signal?.aborted) this.#abort();
    if (this.#ended) return;
    dispatcher.dispatch(
      {
        method,
        origin,
        path,
        // undici holds the stream to this length.
        headers: { ...this.#request.headers, ...(stream && { 'content-length': String(length) }) },
        body: stream ? Readable.from(this.#pieces(stream), { objectMode: false }) : Buffer.isBuffer(body) ? body : null,
        // One limit from the writing to the end is kept here; undici's two are for the gaps in between.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const again = this.#controller !== undefined;
    this.#controller = controller;
    if (again) this.#end({ kind: 'lost', code: 'WRITTEN_BEFORE' });
    // A streamed body takes the head of the request with its first chunk.
    else if (this.#streamed === undefined) this.#beginWriting();
    if (this.#ended) controller.abort(new Error('not to be written'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHead['headers']): void {
    if (status >= 200) this.#head = { status, headers };
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#request.maxResponseBytes) this.#end({ kind: 'tooLarge' });
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end({ kind: 'complete', body: Buffer.concat(this.#chunks) });
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#end({ kind: 'lost', code: codeOf(error) });
  }

  #beginWriting(): boolean {
    if (!this.#ended && steadyNow() >= (this.#request.writeBy ?? Number.POSITIVE_INFINITY))
      this.#end({ kind: 'tooLate' });
    if (this.#ended) return false;
    this.#request.onWrite();
    this.#sentAt = Date.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end({ kind: 'timeout' }), this.#request.timeoutMs);
    return true;
  }

  async *#pieces(source: Readable): AsyncGenerator<Buffer | string> {
    let begun = false;
    try {
      for await (const chunk of source) {
        // Ending the stream here would send an empty body.
        if (!begun && !this.#beginWriting()) throw new Error('not to be written');
        begun = true;
        yield chunk;
      }
      if (!begun && !this.#beginWriting()) throw new Error('not to be written');
    } catch (error) {
      this.#end({ kind: 'aborted' });
      throw error;
    }
  }

  readonly #abort = (): void => this.#end({ kind: 'aborted' });

  #end(ending: Ending): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#abort);
    this.#resolve({
      endedAt: Date.now(),
      ending,
      ...(this.#sentAt !== undefined && { sentAt: this.#sentAt }),
      ...(this.#head !== undefined && { head: this.#head }),
    });
    if (ending.kind === 'complete') return;
    this.#streamed?.stream.destroy();
    this.#controller?.abort(new Error(ending.kind));
  }
}

/** Sends one request, once at most, and says what became of it. Never rejects, never retries. */
export const exchange = (dispatcher: Dispatcher, request: HttpRequest): Promise<Exchange> =>
  new Promise((resolve) => new Conversation(request, resolve).start(dispatcher));
