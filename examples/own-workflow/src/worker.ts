/** The worker of this package: its own queue, its own activities, and no token of the service. */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, Worker } from '@temporalio/worker';
import * as activities from './activities';
import { QUEUE } from './queue';

async function main(): Promise<void> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = await NativeConnection.connect(connectionOptions);
  try {
    const workflowsPath = require.resolve('./workflows');
    const worker = await Worker.create({ connection, namespace, taskQueue: QUEUE, workflowsPath, activities });
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
