/**
 * `node sdk-download.js <folder> <version>`: a child process of `download-server.ts`, which explains why. The SDK leaves
 * the file in the folder; the server that it starts from it is stopped at once. Ends with its standard input, that is,
 * when the process that wants the download is gone.
 */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';

async function download(downloadDir: string, version: string): Promise<void> {
  process.stdin.on('end', () => process.exit(1)).resume();
  Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined) });
  const executable = { type: 'cached-download', downloadDir, version: `v${version}` } as const;
  const server = await TestWorkflowEnvironment.createLocal({ server: { executable } });
  await server.teardown();
}

const [, , downloadDir = '', version = ''] = process.argv;
download(downloadDir, version).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`, () => process.exit(1));
  },
);
