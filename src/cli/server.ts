/** Which Temporal server a command talks to, and where its Web UI is. */
import { type ConnectionConfig, configuredConnection, connectionConfig } from '../temporal/connect';

export { linkTo } from '../temporal/ui';

import { runningServer } from '../temporal/running-server';

/** The database of the server that `dev` starts in the current folder. */
export const DEV_DATABASE = '.audit-runner/temporal.db';

export interface KnownServer {
  config: ConnectionConfig;
  /** Where the Web UI is, when that is known. */
  uiUrl?: string;
}

/** The configured server; else the one that `dev` runs in this folder; else the usual place, 127.0.0.1:7233. */
export async function knownServer(): Promise<KnownServer> {
  const { address, namespace } = configuredConnection();
  const ui = process.env.TEMPORAL_UI_URL;
  const running = address === undefined ? await runningServer(DEV_DATABASE) : undefined;
  if (!running) return { config: connectionConfig(), ...(ui && { uiUrl: ui.replace(/\/+$/, '') }) };
  const { port, uiPort } = running;
  return {
    config: { address: `127.0.0.1:${port}`, namespace },
    ...(uiPort !== undefined && { uiUrl: `http://127.0.0.1:${uiPort}` }),
  };
}
