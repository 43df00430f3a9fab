import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { foreignRequest } from '../foreign-request';
import { agentServer } from './agent-server';
import { type Control, createControl } from './control';
import { controlServer } from './control-server';
import { SandboxOptions } from './options';
import { newToken } from './seed';
import { Service } from './service';
import { Statistics } from './statistics';

/** A running stand-in for the service. */
export interface Sandbox {
  /** Base address of the Agent API. */
  readonly baseUrl: string;
  /** Base address of the control surface. */
  readonly controlUrl: string;
  /** The first user, a token of hers with `read` and `write`, and one with `read` only. */
  readonly userId: string;
  readonly token: string;
  readonly readToken: string;
  /** The second user, and a token with `read` and `write`. */
  readonly otherUserId: string;
  readonly otherToken: string;
  /** The control surface, typed and in the process. */
  readonly control: Control;
  /** Closes both ports and every connection; pending work and deliveries are dropped. */
  close(): Promise<void>;
}

/**
 * Starts a faithful stand-in for the service of agent-api.md: real HTTP, state in memory.
 * @throws z.ZodError for a wrong option; the socket's error for a port that is taken.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = SandboxOptions.parse(options);
  const service = new Service(settings);
  const { store, random, clock, owner, other } = service;
  const write = (user: typeof owner) =>
    newToken(store, random, clock, user, { label: 'sandbox', scopes: ['read', 'write'] }).plaintext;
  const [token, otherToken] = [write(owner), write(other)];
  const readToken = newToken(store, random, clock, owner, { label: 'sandbox (read)', scopes: ['read'] }).plaintext;
  const statistics = new Statistics(service);
  const control = createControl(service, statistics);
  const api = await listen(agentServer(service, statistics), settings.port, settings.host);
  const side = await listen(controlServer(control), settings.controlPort, settings.host).catch(
    async (error: unknown) => {
      await stop(api.server);
      throw error;
    },
  );
  return {
    baseUrl: api.url,
    controlUrl: side.url,
    userId: owner.id,
    token,
    readToken,
    otherUserId: other.id,
    otherToken,
    control,
    close: async () => {
      service.close();
      await Promise.all([stop(api.server), stop(side.server)]);
    },
  };
}

async function listen(listener: RequestListener, port: number, host: string): Promise<{ server: Server; url: string }> {
  const server = createServer();
  // Longer than clients keep idle connections, so that no reuse meets a connection that is being closed.
  server.keepAliveTimeout = 120_000;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  server.on('request', (request, response) => {
    const problem = foreignRequest(request, { host });
    if (problem === undefined) return listener(request, response);
    const headers = { 'Content-Type': 'application/json; charset=utf-8', Connection: 'close' };
    response.writeHead(403, headers).end(JSON.stringify({ error: problem }));
  });
  return { server, url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}` };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
