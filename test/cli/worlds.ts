/** What a command may find where it looks for a Temporal server, beside a server. */
import { once } from 'node:events';
import { createServer as createHttp2 } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface World {
  address: string;
  close(): Promise<void>;
}

async function open(server: Server): Promise<World> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Something that is no gRPC server, and says so in its own words. */
export const garbage = (): Promise<World> =>
  open(createServer((socket) => void socket.end('HTTP/1.0 400 Bad Request\r\n\r\nno\r\n')));

/** Takes connections and never says anything. */
export const blackHole = (): Promise<World> => open(createServer(() => undefined));

/** A status of gRPC with its message. */
export type Refusal = readonly [status: number, message: string];

/** Answers every request of gRPC: with what the function says, or else with an empty reply. */
export const answers = (refusal: (path: string) => Refusal | undefined): Promise<World> =>
  open(
    createHttp2().on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      const [status, message] = refusal(String(headers[':path'])) ?? [0, ''];
      const trailers = { 'grpc-status': String(status), 'grpc-message': message };
      const begin = { ':status': 200, 'content-type': 'application/grpc' };
      if (status !== 0) return stream.respond({ ...begin, ...trailers }, { endStream: true });
      stream.respond(begin, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      stream.end(EMPTY);
    }),
  );

/** A message without fields, in its frame. */
const EMPTY = Buffer.alloc(5);
