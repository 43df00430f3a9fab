import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const HOST = '127.0.0.1';

/** A loopback port that nobody listens on. Somebody else may take it before it is used: be ready to ask again. */
export async function freePort(host = HOST): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

/** Does anybody accept connections there? */
export function isListening(port: number, host = HOST): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
