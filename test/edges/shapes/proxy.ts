/** A reverse proxy in front of the sandbox that rewrites what it says into a form, over real HTTP. */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Point } from './points';
import { Answer, type Asking, type Json, type JsonObject, type Wire } from './wire';

/** Part of every record of a form; no sentence of a run may quote it. */
export const CANARY = 'canary-4711-remark';

export interface Front {
  readonly baseUrl: string;
  /** The outermost keys of the successes at the point that was last answered. */
  keys(): string[];
  /** Requests at the point. */
  readonly met: { count: number };
  close(): Promise<void>;
}

interface Upstream {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** @param target base address of the sandbox */
export async function startProxy(target: string, point: Point, wire: Wire): Promise<Front> {
  let keys: string[] = [];
  const met = { count: 0 };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const asking = await read(incoming);
    const isPoint = point.path === undefined || (point.path.test(asking.path) && asking.method === point.method);
    if (!isPoint) return write(response, await forward(target, asking));
    met.count++;
    const arrived: Asking = { ...asking, query: new URLSearchParams(asking.query) };
    const taken = wire.request?.(asking) ?? asking;
    if (taken instanceof Answer) return write(response, answered(taken));
    if (point.list !== undefined && wire.reply !== undefined) {
      taken.query.set('limit', String(point.list));
      taken.query.set('offset', '0');
    }
    // A cut connection stays one: the caller sees its own cut.
    const upstream = await forward(target, taken);
    const body = parsed(upstream.body);
    if (upstream.status >= 400) {
      const sentence = String((body as JsonObject | undefined)?.error ?? '');
      const refusal = wire.refusal?.(upstream.status, sentence, arrived);
      return write(response, refusal === undefined ? upstream : answered(refusal, upstream.status, upstream.headers));
    }
    if (body === undefined) return write(response, upstream);
    const plain = marked(point.plain?.(body) ?? body);
    const put = wire.reply ? wire.reply(plain, arrived) : body;
    const shown = put instanceof Answer ? put.body : put;
    keys =
      shown !== null && typeof shown === 'object' && !Array.isArray(shown) && !Buffer.isBuffer(shown)
        ? Object.keys(shown)
        : [];
    return write(response, answered(put, upstream.status, upstream.headers));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: () => keys,
    met,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(incoming: IncomingMessage): Promise<Asking> {
  const url = new URL(incoming.url ?? '/', 'http://service');
  const body = await buffer(incoming);
  const contentType = incoming.headers['content-type'] ?? '';
  const json = contentType.startsWith('application/json') ? parsed(body) : undefined;
  return {
    ...{ method: incoming.method ?? 'GET', path: url.pathname, query: url.searchParams },
    ...{ headers: incoming.headers, body, contentType, ...(json !== undefined && { json }) },
  };
}

function parsed(body: Buffer): Json | undefined {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** @throws where the sandbox cuts the connection */
function forward(target: string, asking: Asking): Promise<Upstream> {
  const { method, path, query, headers, json, contentType } = asking;
  const body = json === undefined ? asking.body : Buffer.from(JSON.stringify(json));
  const search = query.size === 0 ? '' : `?${query}`;
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${target}${path}${search}`, {
      method,
      agent: false,
      headers: {
        ...(headers.authorization !== undefined && { authorization: String(headers.authorization) }),
        ...(body.length > 0 && { 'content-type': contentType || 'application/json', 'content-length': body.length }),
      },
    });
    outgoing.on('error', reject).on('response', (incoming) => {
      const kept = ['date', 'retry-after'].flatMap((name) =>
        incoming.headers[name] ? [[name, String(incoming.headers[name])]] : [],
      );
      buffer(incoming).then(
        (whole) => resolve({ status: incoming.statusCode ?? 0, headers: Object.fromEntries(kept), body: whole }),
        reject,
      );
    });
    outgoing.end(body);
  });
}

/** The record, or each of a list, with a remark that no document shows. */
function marked(plain: Json): Json {
  if (Array.isArray(plain)) return plain.map(marked);
  return plain !== null && typeof plain === 'object' ? { ...plain, remark: CANARY } : plain;
}

function answered(put: Json | Answer, status = 200, headers: Record<string, string> = {}): Upstream {
  if (!(put instanceof Answer)) return { status, headers, body: Buffer.from(JSON.stringify(put)) };
  const { body } = put;
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  return { status: put.status, headers: { ...headers, ...put.headers }, body: bytes };
}

function write(response: ServerResponse, { status, headers, body }: Upstream): void {
  const type = body.length > 0 && { 'content-type': 'application/json' };
  response.sendDate = headers.date === undefined;
  response.writeHead(status, { ...type, ...(status !== 204 && { 'content-length': String(body.length) }), ...headers });
  response.end(body);
}
