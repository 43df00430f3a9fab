/**
 * A codec server: decrypts what Temporal stores, for the stock Web UI and the `temporal` command. Whoever may ask it reads
 * everything, so a request needs its secret, and a page has to be one of the Web UI.
 */
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Payload } from '@temporalio/common';
import type { Logger } from 'pino';
import { ZodError } from 'zod';
import { admit, idle, type Pace } from '../agent-api/limiter';
import { CannotDecrypt, type EncryptionCodec, encryptedWith } from '../temporal/encryption';
import { payloadsBody, payloadsIn } from './payloads';
import { type SparingLog, sparing } from './sparing-log';

/** Far more than one payload, of which Temporal takes two megabytes; a page of the Web UI asks for many at once. */
const MAX_BYTES = 16 * 1024 * 1024;
/** A page of a long history asks for every event. */
const PER_SECOND = 200;
const REQUEST_WITHIN_MS = 10_000;
/** What the Web UI and the `temporal` command send. */
const HEADERS = 'authorization, content-type, x-namespace';

export interface CodecServerOptions {
  readonly codec: EncryptionCodec;
  /** For which data are encrypted where a request names none. */
  readonly namespace: string;
  /** In the address, or as the bearer token of the header `Authorization`. */
  readonly secret: string;
  /** Whose pages may ask: `http://127.0.0.1:8233`. Asked with each request. */
  origins(): readonly string[];
  /** Encrypt what forms of the Web UI and `temporal` send. Else that goes on as it is. @default false */
  readonly encode?: boolean;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default a free one */
  readonly port?: number;
  /** Most requests; after a pause twice as many at once. @default 200 */
  readonly perSecond?: number;
  readonly log: Logger;
}

export interface CodecServer {
  /** Where it listens. */
  readonly port: number;
  /** What the Web UI and `temporal` are given: the secret is in it. */
  readonly endpoint: string;
  close(): Promise<void>;
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** @throws the socket's error for a port that is taken */
export async function openCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const { secret, host = '127.0.0.1', port = 0, perSecond = PER_SECOND } = options;
  const log = sparing(options.log);
  const most: Pace = { burst: 2 * perSecond, ratePerMs: perSecond / 1_000 };
  let pace = idle;
  const server = createServer({
    requestTimeout: REQUEST_WITHIN_MS,
    headersTimeout: REQUEST_WITHIN_MS,
    connectionsCheckingInterval: REQUEST_WITHIN_MS / 5,
  });
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const direction = entered(request, response, options);
      if (direction === undefined) return;
      const now = performance.now();
      const admitted = admit(pace, now, most);
      if (admitted.at > now) throw new Refusal(429, 'Too many requests: try again in a second');
      pace = admitted.state;
      await answer(request, response, direction, { ...options, log });
    } catch (error) {
      const [status, sentence] = error instanceof Refusal ? [error.status, error.message] : [500, 'It failed'];
      // S4: neither what was asked nor who says what in it.
      log.warn(
        { status, ...(status === 500 && { kind: error instanceof Error ? error.name : typeof error }) },
        sentence,
      );
      refuse(response, status, sentence);
    }
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : port;
  return {
    port: own,
    endpoint: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${own}/${secret}`,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Direction = 'decode' | 'encode';

interface Answering extends Omit<CodecServerOptions, 'log'> {
  log: SparingLog;
}

/**
 * Who may not ask takes nothing from those who may: it is seen to before the rate is.
 * @returns undefined where that was all
 * @throws Refusal
 */
function entered(
  request: IncomingMessage,
  response: ServerResponse,
  options: CodecServerOptions,
): Direction | undefined {
  const { method, url = '', headers } = request;
  if (method === 'GET' && url === '/healthz') return void response.writeHead(200).end('ok\n');
  const { origin } = headers;
  // A browser names the page's origin with every POST; other programs name none.
  if (origin !== undefined) {
    if (!options.origins().includes(origin.toLowerCase()))
      throw new Refusal(403, 'Only pages of the Web UI are answered: its origin is given by --ui-origin');
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Vary', 'Origin');
  }
  if (method === 'OPTIONS') {
    const allowed = { 'Access-Control-Allow-Methods': 'POST', 'Access-Control-Allow-Headers': HEADERS };
    return void response.writeHead(204, { ...allowed, 'Access-Control-Max-Age': '600' }).end();
  }
  const direction = directionOf(request, options.secret);
  if (method !== 'POST') throw new Refusal(405, 'Use POST');
  if (!/^application\/json(?=[\s;]|$)/i.test(headers['content-type'] ?? ''))
    throw new Refusal(415, 'Content-Type must be application/json');
  return direction;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  direction: Direction,
  options: Answering,
): Promise<void> {
  const given = await payloadsOf(request);
  const namespace = namespaceOf(request) ?? options.namespace;
  const made = direction === 'decode' ? opened(given, options) : sealed(given, namespace, options);
  options.log.debug({ direction, payloads: given.length }, 'answered');
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(payloadsBody(made)));
}

/** @throws Refusal 401 without the secret, 404 for anything else */
function directionOf({ url = '', headers }: IncomingMessage, secret: string): Direction {
  const [path = ''] = url.split('?');
  const parts = path.split('/').filter((part) => part !== '');
  const direction = parts.pop();
  const said = parts.pop() ?? /^bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  if (!isEqual(said, secret))
    throw new Refusal(401, "The secret is missing or wrong: it stands in the address, or in 'Authorization: Bearer …'");
  if (parts.length > 0 || (direction !== 'decode' && direction !== 'encode'))
    throw new Refusal(404, 'There is /decode and /encode');
  return direction;
}

/** In a time that tells nothing of the secret. */
function isEqual(said: string, secret: string): boolean {
  const [one, other] = [Buffer.from(said), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** @throws Refusal 400, 413 */
async function payloadsOf(request: IncomingMessage): Promise<Payload[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Refusal(413, `The body is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return payloadsIn(JSON.parse(Buffer.concat(chunks).toString()));
  } catch (error) {
    if (error instanceof ZodError) throw new Refusal(400, 'The body has to be {"payloads": […]}, bytes in base64');
    throw new Refusal(400, 'The body is not valid JSON');
  }
}

/** The Web UI and `temporal` name it; a name that none can have is not taken for one. */
function namespaceOf({ headers }: IncomingMessage): string | undefined {
  const said = headers['x-namespace'];
  return typeof said === 'string' && /^[\w.-]{1,255}$/.test(said) ? said : undefined;
}

/**
 * Whatever run it is for: nobody says which one it is shown in. What cannot be read stays as it is, and keeps nothing else of
 * the page from being read.
 */
function opened(payloads: readonly Payload[], { codec, log }: Answering): Payload[] {
  const unread = new Set<string>();
  const read = payloads.map((payload) => {
    try {
      return codec.open(payload).payload;
    } catch (error) {
      if (!(error instanceof CannotDecrypt)) throw error;
      unread.add(error.message);
      return payload;
    }
  });
  for (const why of unread) log.warn({}, why);
  return read;
}

/** For the namespace alone: nobody says for which run. What is encrypted already stays as it is. */
const sealed = (payloads: readonly Payload[], namespace: string, { codec, encode = false }: Answering) =>
  payloads.map((payload) =>
    encode && encryptedWith(payload) === undefined ? codec.seal(payload, { namespace, at: Date.now() }) : payload,
  );

function refuse(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent) return void response.destroy();
  // Closed, so that nothing of what is still being sent is read.
  const more = status === 429 ? { 'Retry-After': '1' } : {};
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close', ...more });
  response.end(JSON.stringify({ message: sentence }));
}
