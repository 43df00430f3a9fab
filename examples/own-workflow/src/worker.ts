/** The worker of this package: its own queue, its own activities, and no token of the service. */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, Worker } from '@temporalio/worker';
import { dataConverter } from 'audit-runner/encryption';
import * as activities from './activities.js';
import { QUEUE } from './queue.js';

async function main(): Promise<void> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = await NativeConnection.connect(connectionOptions);
  try {
    const workflowsPath = require.resolve('./workflows');
    // Undefined where there is no key.
    const converter = dataConverter(process.env, namespace);
    const worker = await Worker.create({
      ...{ connection, namespace, taskQueue: QUEUE, workflowsPath, activities },
      ...(converter && { dataConverter: converter }),
    });
    console.log(`worker of ${QUEUE} is running`);
    // Until SIGTERM or Ctrl-C.
    await worker.run();
  } finally {
    await connection.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
