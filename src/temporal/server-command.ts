/** Commands of Temporal's own CLI as people read them, so that they reach the server and the namespace that they are about. */
import { type Client, Connection } from '@temporalio/client';
import { asArgument } from '../text/command';

/** Where the CLI looks where it is not told. */
const USUAL_NAMESPACE = 'default';
const USUAL_PORT = '7233';

/** A server on this machine that nobody finds by default: `dev` lets the system choose its ports. */
const LOCAL = /^(?:127\.0\.0\.1|localhost|\[::1\]):(\d+)$/;

/**
 * The address of a server elsewhere is not part of it: it may be one that only the workers' network knows, and
 * `TEMPORAL_ADDRESS` and the CLI's profiles give it to both programs, with keys and certificates.
 * @param client of the server that it is about
 * @param ours words of the command, as they stand, without the program's name
 */
export function serverCommand({ connection, options: { namespace } }: Client, ours: string): string {
  const address = connection instanceof Connection ? connection.options.address : '';
  const [, port = USUAL_PORT] = LOCAL.exec(address) ?? [];
  return [
    `temporal ${ours}`,
    ...(port === USUAL_PORT ? [] : [`--address ${address}`]),
    ...(namespace === USUAL_NAMESPACE ? [] : [`--namespace ${asArgument(namespace, '<namespace>')}`]),
  ].join(' ');
}
