import type { Client, Connection } from '@temporalio/client';
import { DefaultLogger, type NativeConnection, Runtime } from '@temporalio/worker';
import { connectClient } from '../../src/temporal/connect';
import { connectNative } from '../../src/temporal/connect-worker';
import { type OwnServer, startServer } from '../../src/temporal/server';

/** A real Temporal server of a test file's own, with the project's search attributes, and connections to it. */
export interface TestTemporal {
  readonly address: string;
  readonly namespace: string;
  readonly connection: Connection;
  readonly client: Client;
  readonly nativeConnection: NativeConnection;
  readonly server: OwnServer;
  /** Closes the connections and ends the server. Stop the workers first. */
  close(): Promise<void>;
}

let isQuiet = false;
/** Workers say only what went wrong with themselves; that a run failed is for the test to look at. */
function quietRuntime(): void {
  if (!isQuiet) Runtime.install({ logger: new DefaultLogger('ERROR') });
  isQuiet = true;
}

/**
 * Starts it on free ports: in memory, or on `persist` where a test restarts the server. Whatever Temporal the machine's
 * environment names is not touched.
 */
export async function startTestTemporal(options: { persist?: string } = {}): Promise<TestTemporal> {
  quietRuntime();
  const server = await startServer({ ...options, log: (line) => process.stderr.write(`${line}\n`) });
  const { config, address, namespace } = server;
  const { connection, client } = await connectClient({ config });
  const { connection: nativeConnection } = await connectNative({ config });
  return {
    ...{ address, namespace, connection, client, nativeConnection, server },
    close: async () => {
      await nativeConnection.close();
      await connection.close();
      await server.stop();
    },
  };
}
