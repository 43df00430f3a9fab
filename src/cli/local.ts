/** A sandbox and a worker for it in this process: for `dev` and `demo`. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from '../config';
import { type Account, toAccount } from '../config/account';
import { AccountFile, ConfigFile } from '../config/schema';
import type { TemporalServer } from '../dev-server/server';
import type { Sandbox } from '../sandbox';
import { closeIfUnused, connectNative } from '../temporal/connect-worker';
import { explained } from '../temporal/unreachable';
import { type RunningWorker, startWorker } from '../worker';

/** The database of `dev --real`, and the results and logs of `dev` and `demo`, in the current folder. */
export const LOCAL_FOLDER = '.audit-runner';

/** A folder for the books and results of one sandbox. The service is new each time, and so must they be. @returns its URL */
export const newStorage = (command: 'dev' | 'demo'): string =>
  pathToFileURL(resolve(LOCAL_FOLDER, `${command}-${new Date().toISOString().replace(/\D/g, '-')}${process.pid}`)).href;

/** The account `default` of a sandbox. Its limits and timings run as fast as the sandbox's clock. */
export function sandboxAccount({ baseUrl, token }: Pick<Sandbox, 'baseUrl' | 'token'>, speed: number): Account {
  const tokenEnv = 'SANDBOX_TOKEN';
  return toAccount('default', AccountFile.parse({ baseUrl, tokenEnv, speed }), { [tokenEnv]: token }, '.');
}

/**
 * The configuration for a sandbox.
 * @param storageUrl that of {@link newStorage}: by the books of another sandbox all leads may be paid for
 */
export function sandboxConfig(sandbox: Sandbox, speed: number, storageUrl: string): Config {
  const { log, workers, encryption } = ConfigFile.parse({});
  return {
    ...{ accounts: { default: sandboxAccount(sandbox, speed) }, pipelines: {} },
    ...{ storageUrl, log, workers, encryption, notices: [] },
  };
}

/** A worker on its own connection. */
export interface LocalWorker extends RunningWorker {
  /** Lets the calls in flight end, then closes the connection. */
  close(): Promise<void>;
}

export async function localWorker(server: TemporalServer, config: Config, log: Logger): Promise<LocalWorker> {
  const { connection, namespace } = await connectNative({ config: server.config });
  const { uiUrl } = server;
  const worker = await startWorker({ config, connection, namespace, log, uiUrl, startHere: true }).catch(
    async (error: unknown) => {
      await closeIfUnused(connection);
      throw await explained(server.config, error);
    },
  );
  return {
    ...worker,
    async close() {
      worker.stop();
      await worker.done;
      await connection.close();
    },
  };
}
