/** Connecting to the Temporal server that the environment, a profile or a command line names. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { ConfigError } from '../config/problems';
import { looksLikePath } from '../redact';
import { errorCode } from '../system';
import { createClient } from './client';
import { dataConverter } from './encryption';
import { type Env, type Log, setVariables } from './environment';
import { repeated } from './repeated';
import { checkTls } from './tls';
import { explain, listens, unreachable } from './unreachable';

export { TemporalUnreachable } from './unreachable';

/** How to reach a server, and the namespace there. */
export interface ConnectionConfig {
  /** `host:port` */
  address: string;
  namespace: string;
  /** @default no TLS, unless there is an API key */
  tls?: NonNullable<ConnectionOptions['tls']>;
  apiKey?: string;
  metadata?: Record<string, string>;
}

/** Where a {@link ConnectionConfig} comes from; what is given here wins over the environment, and that over the profile. */
export interface ConnectionSource {
  /** @default process.env: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, `TEMPORAL_API_KEY`, `TEMPORAL_TLS…`, `TEMPORAL_PROFILE` */
  env?: Env | undefined;
  address?: string | undefined;
  namespace?: string | undefined;
  /** A profile of the Temporal CLI's configuration file. @default `TEMPORAL_PROFILE`, else `default` */
  profile?: string | undefined;
}

/** The configured connection; `address` is undefined when nobody gave one. @throws ConfigError */
export function configuredConnection({
  env = process.env,
  address,
  namespace,
  profile,
}: ConnectionSource = {}): Omit<ConnectionConfig, 'address'> & { address: string | undefined } {
  const found = load({ overrideEnvVars: setVariables(env), ...(profile !== undefined && { profile }) });
  const { tls, apiKey, metadata } = found.connectionOptions;
  checkTls(tls, env);
  for (const [what, value] of Object.entries({ TEMPORAL_API_KEY: apiKey, ...texts(metadata ?? {}) }))
    if (value !== undefined && !SENDABLE.test(value))
      throw new ConfigError([`${what}: it has a line break or another character that cannot be sent`]);
  // A variable that is set to nothing says nothing.
  const where = address ?? (found.connectionOptions.address || undefined);
  if (where?.includes('@'))
    throw new ConfigError([
      'TEMPORAL_ADDRESS: no user or password belongs in it; it is host:port such as 127.0.0.1:7233',
    ]);
  if (where !== undefined && !/^[^\s/]+$/.test(where))
    throw new ConfigError([`TEMPORAL_ADDRESS: '${where}' is no host:port such as 127.0.0.1:7233`]);
  return {
    address: where,
    namespace: namespace ?? found.namespace ?? 'default',
    ...(tls != null && { tls }),
    ...(apiKey !== undefined && { apiKey }),
    ...(metadata !== undefined && { metadata: texts(metadata) }),
  };
}

/** What gRPC takes as a value; of another its own message quotes all (S4). */
const SENDABLE = /^[\x20-\x7e]*$/;

/** @throws ConfigError */
function load(options: Parameters<typeof loadClientConnectConfig>[0]): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig(options);
  } catch (error) {
    // Only the first line, and no cause: the rest of a parser's message quotes the file, in which a key may be (S4).
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    const path = typeof error === 'object' && error !== null && 'path' in error ? error.path : undefined;
    const said =
      typeof path === 'string' && !looksLikePath(path)
        ? `what stands in the place of a file's name is none that can be read: ${errorCode(error)}`
        : line;
    throw new ConfigError([
      `the connection to Temporal: ${said} (see TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE and TEMPORAL_TLS…)`,
    ]);
  }
}

/** @default address 127.0.0.1:7233, the usual place of a server on this machine */
export const connectionConfig = (source: ConnectionSource = {}): ConnectionConfig => {
  const { address = '127.0.0.1:7233', ...rest } = configuredConnection(source);
  return { address, ...rest };
};

/**
 * Watches what a connection shows to the server: it reads the files of certificates and keys once, and goes on with that.
 * @returns whether they say something else than at this call; false while they cannot be read, or only one is renewed
 * @throws ConfigError where they cannot be read now
 */
export function credentialsWatch(env: Env = process.env): () => boolean {
  const read = () => {
    const { tls, apiKey } = configuredConnection({ env });
    return { tls, apiKey };
  };
  const before = read();
  return () => {
    try {
      return !isDeepStrictEqual(read(), before);
    } catch {
      return false;
    }
  };
}

export interface ConnectOptions {
  /** @default {@link connectionConfig} of `env` */
  config?: ConnectionConfig | undefined;
  env?: Env | undefined;
  /** Wait for a server or a namespace that is not there yet, for as long as it takes. @default false */
  wait?: boolean | undefined;
  /** Told every 5 s what is waited for. */
  log?: Log | undefined;
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
}

export interface Connected {
  connection: Connection;
  /** Encrypts when a key is set: see `encryption.ts`. */
  client: Client;
  namespace: string;
  close(): Promise<void>;
}

const ATTEMPT_MS = 5_000;
const BETWEEN_MS = 500;
const TELL_MS = 5_000;

/** A client for starting and asking workflows. Throws {@link TemporalUnreachable}. */
export async function connectClient(options: ConnectOptions = {}): Promise<Connected> {
  const env = options.env ?? process.env;
  const config = options.config ?? connectionConfig({ env });
  // A key that cannot be used is told before anything is connected.
  dataConverter(env, config.namespace);
  const connection = await untilReached(config, options);
  const { namespace } = config;
  const client = createClient({ connection, namespace }, env);
  return { connection, client, namespace, close: () => connection.close() };
}

async function untilReached(config: ConnectionConfig, { wait, log, signal }: ConnectOptions): Promise<Connection> {
  let toldAt = performance.now();
  for (;;) {
    try {
      return await reach(config);
    } catch (error) {
      const reason = explain(config, error, await listens(config.address));
      if (!wait || !reason.mayCome || signal?.aborted) throw unreachable(reason, error);
      if (performance.now() - toldAt >= TELL_MS) {
        log?.(`waiting for Temporal: ${reason.found}; ${reason.mend}`);
        toldAt = performance.now();
      }
      await sleep(BETWEEN_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Connects and asks for the namespace, which a server that has just started makes last. */
async function reach({ namespace, address, tls, apiKey, metadata }: ConnectionConfig): Promise<Connection> {
  const connection = Connection.lazy({
    address,
    ...(tls !== undefined && { tls }),
    ...(apiKey !== undefined && { apiKey }),
    ...(metadata !== undefined && { metadata }),
    connectTimeout: ATTEMPT_MS,
    // As a worker's own connection does. Left to itself grpc-js obeys `http_proxy` and its like.
    channelArgs: { 'grpc.enable_http_proxy': 0 },
    interceptors: [repeated],
  });
  try {
    await connection.ensureConnected();
    await connection.withDeadline(Date.now() + ATTEMPT_MS, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function texts(metadata: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, String(value)]));
}
