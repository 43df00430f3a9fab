import { randomUUID } from 'node:crypto';
import type { Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { DefaultLogger, type NativeConnection, Runtime } from '@temporalio/worker';
import { type ConnectionConfig, connectClient } from '../../src/temporal/connect';
import { connectNative } from '../../src/temporal/connect-worker';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';

/** A namespace of a test's own on the real Temporal server of this run, and connections to it. */
export interface TestTemporal {
  readonly config: ConnectionConfig;
  readonly address: string;
  readonly namespace: string;
  readonly connection: Connection;
  readonly client: Client;
  readonly nativeConnection: NativeConnection;
  /** Closes the connections. Stop the workers first. */
  close(): Promise<void>;
}

/** The server that `temporal-up.ts` started. */
export function testServer(): string {
  const address = process.env.TEST_TEMPORAL_ADDRESS;
  if (address === undefined)
    throw new Error('this test needs the Temporal server of the run: end its file name in .server.test.ts');
  return address;
}

/**
 * A new namespace, with the project's search attributes unless `bare`. It costs a hundredth of a server: what tests leave in
 * one is seen by no other.
 */
export async function newNamespace({ bare = false }: { bare?: boolean } = {}): Promise<ConnectionConfig> {
  const address = testServer();
  const namespace = `test-${randomUUID()}`;
  const { connection, close } = await connectClient({ config: { address, namespace: 'default' }, env: {} });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
    // A server learns of a new namespace within seconds.
    await (await connectClient({ config: { address, namespace }, env: {}, wait: true })).close();
    if (!bare) await registerSearchAttributes(connection, namespace);
  } finally {
    await close();
  }
  return { address, namespace };
}

/** What names it to a command, in its environment. */
export const temporalEnv = ({ address, namespace }: ConnectionConfig) => ({
  TEMPORAL_ADDRESS: address,
  TEMPORAL_NAMESPACE: namespace,
});

let isQuiet = false;
/** Workers say only what went wrong with themselves; that a run failed is for the test to look at. */
function quietRuntime(): void {
  if (!isQuiet) Runtime.install({ logger: new DefaultLogger('ERROR') });
  isQuiet = true;
}

/** Whatever Temporal the machine's environment names is not touched. */
export async function startTestTemporal(): Promise<TestTemporal> {
  quietRuntime();
  const config = await newNamespace();
  const { connection, client } = await connectClient({ config });
  const { connection: nativeConnection } = await connectNative({ config });
  return {
    ...{ config, ...config, connection, client, nativeConnection },
    close: async () => {
      await nativeConnection.close();
      await connection.close();
    },
  };
}
