/** Which Temporal server a command talks to, and where its Web UI is. */

import { type Config, loadConfig } from '../config';
import { ConfigError } from '../config/problems';
import { runningServer } from '../dev-server/running-server';
import {
  type Connected,
  type ConnectionConfig,
  configuredConnection,
  connectClient,
  connectionConfig,
} from '../temporal/connect';
import { unlikeFleet } from '../temporal/fleet-keys';
import { isUnprepared } from '../temporal/grpc-status';
import { registerSearchAttributes } from '../temporal/search-attributes';
import { linkTo } from '../temporal/ui';
import { uiUrlOf } from '../temporal/ui-url';
import { explained } from '../temporal/unreachable';
import { PROGRAM } from '../text/command';
import { EXIT, Exit } from './exit';
import { tell } from './output';

/** The database of the server that `dev --real` starts in the current folder; by it commands find that of a sandbox, too. */
export const DEV_DATABASE = '.audit-runner/temporal.db';

export interface KnownServer {
  config: ConnectionConfig;
  /** Where the Web UI is, when that is known. */
  uiUrl?: string;
  /** Of the server that `dev` runs for its sandbox: where that has its books and results, a URL. */
  sandboxStorage?: string;
}

const isHere = (address: string, port: number): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].some((host) => address === `${host}:${port}`);

/** The configured server; else the one that `dev` runs in this folder; else the usual place, 127.0.0.1:7233. */
export async function knownServer(): Promise<KnownServer> {
  const { address, namespace } = configuredConnection();
  const running = await runningServer(DEV_DATABASE);
  if (!running || (address !== undefined && !isHere(address, running.port))) {
    const uiUrl = uiUrlOf(process.env);
    return { config: connectionConfig(), ...(uiUrl !== undefined && { uiUrl }) };
  }
  const { port, uiPort, sandboxStorage } = running;
  return {
    // A sandbox's runs are in a namespace of their own.
    config: { address: `127.0.0.1:${port}`, namespace: sandboxStorage === undefined ? namespace : running.namespace },
    ...(uiPort !== undefined && { uiUrl: `http://127.0.0.1:${uiPort}` }),
    ...(sandboxStorage !== undefined && { sandboxStorage }),
  };
}

/**
 * The configuration that a command goes by: while `dev` runs its sandbox in this folder, with the sandbox's storage, and
 * without the configured accounts.
 * @throws ConfigError
 */
export async function configHere(file: string | undefined, options: { tokens?: boolean } = {}): Promise<Config> {
  const config = loadConfig({ ...options, env: process.env, file });
  // Without a running one, what reads a storage alone needs no settings of a Temporal server.
  if ((await runningServer(DEV_DATABASE))?.sandboxStorage === undefined) return config;
  const { sandboxStorage } = await knownServer();
  if (sandboxStorage === undefined) return config;
  if (config.file !== undefined || Object.keys(config.accounts).length > 0)
    tell(
      `\`${PROGRAM} dev\` runs its sandbox in this folder: this is about the sandbox, and not about what is configured.`,
    );
  return { ...config, accounts: {}, storageUrl: sandboxStorage };
}

/** A server that answers, and what is known of it. */
export interface Reached extends Connected {
  server: KnownServer;
  /** The server lets nobody register search attributes: a sentence. They may be there all the same. */
  unregistered?: string | undefined;
}

/** What it takes to follow a run, and to say where its page is. */
export type Followed = Pick<Reached, 'client' | 'namespace' | 'server'>;

/** The page on which a run says what it does, or without its run ID that of the newest run of this ID; undefined where nobody has said where the Web UI is. */
export const pageOf = (
  { server: { uiUrl }, namespace }: Pick<Followed, 'server' | 'namespace'>,
  workflowId: string,
  runId?: string,
): string | undefined => uiUrl && linkTo(uiUrl, namespace, workflowId, runId);

/**
 * Does something with the Temporal server. What goes wrong with it, also later, becomes a sentence with its address.
 * @param use `writes` prepares the namespace as a worker does; `reads` leaves everything as it is
 * @throws TemporalUnreachable
 * @throws ConfigError where the workers have other encryption keys
 */
export async function withServer<T>(use: 'reads' | 'writes', work: (reached: Reached) => Promise<T>): Promise<T> {
  const server = await knownServer();
  const connected = await connectClient({ config: server.config });
  let unregistered: string | undefined;
  try {
    const unlike = await unlikeFleet(connected.client, process.env);
    if (unlike !== undefined) throw new ConfigError([unlike]);
    if (use === 'writes') unregistered = await registerSearchAttributes(connected.connection, connected.namespace);
    return await work({ ...connected, server, unregistered });
  } catch (error) {
    if (unregistered !== undefined && isUnprepared(error)) throw new Exit(EXIT.noServer, unregistered);
    throw await explained(server.config, error);
  } finally {
    await connected.close();
  }
}
