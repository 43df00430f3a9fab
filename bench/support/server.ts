/** The Temporal server of a bench, in a process of its own. */
import { type OwnServer, startServer } from '../../src/dev-server/server';
import { type ConnectionConfig, connectionConfig } from '../../src/temporal/connect';
import { startProduction } from '../../test/topology/support/production';

/**
 * `ours`: the development server with our settings. `defaults`: with its own, which divide each queue into four partitions.
 * `postgres`: the server of docker-compose.yml on PostgreSQL, without containers and without TLS.
 */
export const SERVERS = ['ours', 'defaults', 'postgres'] as const;
export type ServerKind = (typeof SERVERS)[number];

export interface BenchServer {
  readonly config: ConnectionConfig;
  readonly address: string;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @param persist the file that keeps the data of a development server, so that it can be killed and started again */
export async function startBenchServer(kind: ServerKind, persist?: string): Promise<BenchServer> {
  return kind === 'postgres' ? onPostgres() : ofDevelopment(await startServer({ bare: kind === 'defaults', persist }));
}

function ofDevelopment(first: OwnServer): BenchServer {
  let server = first;
  return {
    config: first.config,
    address: first.address,
    kill: () => server.kill(),
    async restart() {
      server = await server.restart();
    },
    stop: () => server.stop(),
  };
}

async function onPostgres(): Promise<BenchServer> {
  const { address, server, stop } = await startProduction();
  return {
    config: connectionConfig({ env: { TEMPORAL_ADDRESS: address } }),
    address,
    kill: () => server.kill(),
    restart: () => server.start(),
    stop,
  };
}
