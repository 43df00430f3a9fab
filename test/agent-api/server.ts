/** A real server on an ephemeral port whose replies, and faults, a test writes itself. It counts what arrives. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { type AgentApi, type AgentApiOptions, createAgentApi, tokenFromText } from '../../src/agent-api';

export const TOKEN = `aky_${'a1B2c3D4'.repeat(4)}`;

/** A request as it arrived. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** Number of the connection that it came by. */
  connection: number;
}

export interface TestServer {
  readonly baseUrl: string;
  readonly seen: Seen[];
  connections(): number;
}

export type Answer = (response: ServerResponse, seen: Seen, socket: Socket) => void;

const opened: (Server | TcpServer)[] = [];
const sockets = new Set<Socket>();
const apis: AgentApi[] = [];

async function listen(server: Server | TcpServer): Promise<string> {
  let count = 0;
  server.on('connection', (socket: Socket) => {
    connectionNumber.set(socket, ++count);
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const connectionNumber = new WeakMap<Socket, number>();

/** An HTTP server; the answer is called when a request has arrived whole. */
export async function serve(answer: Answer): Promise<TestServer> {
  const seen: Seen[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // Broken off by the client: it has not arrived.
      return;
    }
    const { method = '', url = '', headers } = request;
    const entry = {
      method,
      url,
      headers,
      body: Buffer.concat(chunks).toString(),
      connection: connectionNumber.get(request.socket) ?? 0,
    };
    seen.push(entry);
    answer(response, entry, request.socket);
  });
  server.on('connection', () => connections++);
  return { baseUrl: await listen(server), seen, connections: () => connections };
}

/** A TCP server for what is not HTTP. */
export const serveTcp = async (onSocket: (socket: Socket) => void): Promise<string> =>
  listen(createTcpServer({ allowHalfOpen: true }, onSocket));

/** A client of that address with a valid token; closed after the test. */
export function apiOf(baseUrl: string, options: Partial<AgentApiOptions> = {}): AgentApi {
  const api = createAgentApi({ baseUrl, token: tokenFromText(TOKEN), ...options });
  apis.push(api);
  return api;
}

export function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** For `afterEach`: closes the clients, which must not hang, and the servers. */
export async function closeAll(): Promise<void> {
  await Promise.all(apis.splice(0).map((api) => api.close()));
  for (const socket of sockets) socket.destroy();
  await Promise.all(opened.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
}

/** Waits for a condition, looking every few milliseconds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A promise that a test resolves. */
export function latch(): { promise: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
