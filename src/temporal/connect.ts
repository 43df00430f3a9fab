/** Connecting to the Temporal server that the environment, a profile or a command line names. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { createClient } from './client';
import { type Env, type Log, setVariables } from './environment';
import { GRPC, grpcStatus, rootMessage } from './grpc-status';

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

/** The configured connection; `address` is undefined when nobody gave one. Throws on a profile that does not exist. */
export function configuredConnection({
  env = process.env,
  address,
  namespace,
  profile,
}: ConnectionSource = {}): Omit<ConnectionConfig, 'address'> & { address: string | undefined } {
  const found = loadClientConnectConfig({
    overrideEnvVars: setVariables(env),
    ...(profile !== undefined && { profile }),
  });
  const { tls, apiKey, metadata } = found.connectionOptions;
  return {
    address: address ?? found.connectionOptions.address,
    namespace: namespace ?? found.namespace ?? 'default',
    ...(tls != null && { tls }),
    ...(apiKey !== undefined && { apiKey }),
    ...(metadata !== undefined && { metadata: texts(metadata) }),
  };
}

/** @default address 127.0.0.1:7233, the usual place of a server on this machine */
export const connectionConfig = (source: ConnectionSource = {}): ConnectionConfig => {
  const { address = '127.0.0.1:7233', ...rest } = configuredConnection(source);
  return { address, ...rest };
};

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

/** Temporal cannot be used as configured. The message says where, why, and what a person can do. */
export class TemporalUnreachable extends Error {
  override readonly name = 'TemporalUnreachable';
}

const ATTEMPT_MS = 5_000;
const BETWEEN_MS = 500;
const TELL_MS = 5_000;

/** A client for starting and asking workflows. Throws {@link TemporalUnreachable}. */
export async function connectClient(options: ConnectOptions = {}): Promise<Connected> {
  const env = options.env ?? process.env;
  const config = options.config ?? connectionConfig({ env });
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
      const { reason, mayCome } = explain(config, error);
      if (!wait || !mayCome || signal?.aborted) throw new TemporalUnreachable(reason, { cause: error });
      if (performance.now() - toldAt >= TELL_MS) {
        log?.(`waiting for Temporal: ${reason}`);
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

function explain({ address, namespace }: ConnectionConfig, error: unknown): { reason: string; mayCome: boolean } {
  const status = grpcStatus(error);
  if (status === GRPC.NOT_FOUND)
    return {
      reason: `the Temporal server at ${address} has no namespace '${namespace}'; set TEMPORAL_NAMESPACE, or create it`,
      mayCome: true,
    };
  if (status === undefined || status === GRPC.UNAVAILABLE || status === GRPC.DEADLINE_EXCEEDED)
    return {
      reason: `no Temporal server answers at ${address}; start it, or set TEMPORAL_ADDRESS (and TEMPORAL_TLS where it needs TLS)`,
      mayCome: true,
    };
  if (status === GRPC.UNAUTHENTICATED || status === GRPC.PERMISSION_DENIED)
    return {
      reason: `the Temporal server at ${address} refuses us in namespace '${namespace}'; check TEMPORAL_API_KEY or the TLS certificate`,
      mayCome: false,
    };
  return { reason: `the Temporal server at ${address} cannot be used: ${rootMessage(error)}`, mayCome: false };
}

function texts(metadata: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, String(value)]));
}
