/**
 * The Web UI that people open. The one inside `temporal server start-dev` answers under any name and to pages of any origin, so
 * it listens where no page finds it, and this proxy before it lets through only what its own pages ask for.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { pipeline } from 'node:stream';
import { foreignRequest } from '../foreign-request';
import { errorCode } from '../system';
import { freePort } from './free-port';

const HOST = '127.0.0.1';
/** What a run says of itself travels in the address of a GET; the server behind takes a MB of headers. */
const MAX_HEADERS = 1024 * 1024;
/** Of one connection, not of the request. A WebSocket is not opened: the Web UI has none. */
const CONNECTION_HEADERS = ['connection', 'upgrade', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'expect'];

/** Where the server's own Web UI listens. */
export interface HiddenPlace {
  readonly host: string;
  readonly port: number;
}

export interface UiProxy {
  /** Where people and links go. */
  readonly port: number;
  readonly hidden: HiddenPlace;
  /** Closes it and every connection. */
  close(): Promise<void>;
}

/**
 * Listens at once; what is behind it may come and go. It keeps no process alive.
 * @param port @default a free one
 * @throws the socket's error for a port that is taken
 */
export async function openUiProxy(port = 0): Promise<UiProxy> {
  const hidden = await hiddenPlace();
  const server = createServer({ maxHeaderSize: MAX_HEADERS });
  server.on('connection', (socket) => socket.unref());
  server.listen(port, HOST).unref();
  await once(server, 'listening');
  const address = server.address();
  const own = { host: HOST, port: typeof address === 'object' && address !== null ? address.port : port };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const problem = foreignRequest(request, own);
    if (problem === undefined) return forward(request, response, hidden);
    // Closed, so that nothing of what is still being sent is read.
    refuse(response, 403, problem);
  });
  return {
    port: own.port,
    hidden,
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function forward(request: IncomingMessage, response: ServerResponse, { host, port }: HiddenPlace): void {
  const { method, url: path, headers } = request;
  const own = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.includes(name));
  const asked = send({ host, port, method, path, headers: Object.fromEntries(own), agent: false });
  asked.on('response', (answer) => {
    const given = Object.entries(answer.headers).filter(([name]) => !CONNECTION_HEADERS.includes(name));
    response.writeHead(answer.statusCode ?? 502, Object.fromEntries(given));
    pipeline(answer, response, () => asked.destroy());
  });
  asked.on('error', () => refuse(response, 502, 'The Web UI of the Temporal server does not answer'));
  // Its end without an answer is an error of `asked`; an answer may come before the whole request was read.
  pipeline(request, asked, () => undefined);
  response.on('close', () => asked.destroy());
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(`${sentence}\n`);
}

/**
 * A page can try all ports of 127.0.0.1, not those of the 16 million other addresses of loopback. Where the system has only
 * that one (macOS), the port is all that hides it.
 */
async function hiddenPlace(): Promise<HiddenPlace> {
  const host = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  try {
    return { host, port: await freePort(host) };
  } catch (error) {
    if (errorCode(error) !== 'EADDRNOTAVAIL') throw error;
    return { host: HOST, port: await freePort() };
  }
}
