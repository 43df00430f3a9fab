/** A worker's connection. In a file of its own: commands that only ask start without loading the worker's engine. */
import { NativeConnection } from '@temporalio/worker';
import { type ConnectOptions, connectClient, connectionConfig } from './connect';
import { explain, unreachable } from './unreachable';

/** The connection of a worker; a Client can use it too. Throws `TemporalUnreachable`. */
export async function connectNative(
  options: ConnectOptions = {},
): Promise<{ connection: NativeConnection; namespace: string }> {
  const config = options.config ?? connectionConfig({ env: options.env });
  const { namespace, ...rest } = config;
  await (await connectClient({ ...options, config })).close();
  const connection = await NativeConnection.connect(rest).catch((error: unknown) => {
    throw unreachable(explain(config, error), error);
  });
  return { connection, namespace };
}

/** After a failure, which is what is told: workers that were made, or still run, keep their connection from being closed. */
export const closeIfUnused = (connection: NativeConnection): Promise<void> => connection.close().catch(() => undefined);
