/** A sandbox and a worker for it in this process: for `dev` and `demo`. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from '../config';
import { toAccount } from '../config/account';
import { AccountFile, ConfigFile } from '../config/schema';
import type { TemporalServer } from '../dev-server/server';
import type { Sandbox } from '../sandbox';
import { closeIfUnused, connectNative } from '../temporal/connect-worker';
import { explained } from '../temporal/unreachable';
import { type RunningWorker, startWorker } from '../worker';

/** The database, the results and the logs of `dev` and `demo`, in the current folder. */
export const LOCAL_FOLDER = '.audit-runner';

/**
 * The configuration for a sandbox: account `default`, whose limits and timings run as fast as the sandbox's clock.
 * @param how.storage a folder. @default that of `dev`
 */
export function sandboxConfig(
  { baseUrl, token }: Pick<Sandbox, 'baseUrl' | 'token'>,
  speed: number,
  how: { encryption?: Config['encryption']; storage?: string } = {},
): Config {
  const tokenEnv = 'SANDBOX_TOKEN';
  const account = toAccount('default', AccountFile.parse({ baseUrl, tokenEnv, speed }), { [tokenEnv]: token }, '.');
  const { log, workers, encryption: none } = ConfigFile.parse({});
  const { encryption = none, storage = resolve(LOCAL_FOLDER, 'storage') } = how;
  return {
    accounts: { default: account },
    pipelines: {},
    storageUrl: pathToFileURL(storage).href,
    log,
    workers,
    encryption,
    notices: [],
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
