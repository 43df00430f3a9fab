/** A Temporal server to work with: the one that is configured, or one of our own. */
import { errorCode } from '../system';
import { type ConnectionConfig, type ConnectionSource, configuredConnection } from '../temporal/connect';
import type { Env, Log } from '../temporal/environment';
import { findServer } from './find-server';
import { freePort } from './free-port';
import { withLock } from './lock';
import { forgetServer, noteServer, type RunningServer, runningServer } from './running-server';
import { PortTaken, ServerProcess, type ServerSettings } from './server-process';
import { openUiProxy, type UiProxy } from './ui-proxy';

export interface TemporalServer {
  /** For `connectClient` and `connectNative`. */
  readonly config: ConnectionConfig;
  readonly address: string;
  readonly namespace: string;
  /** Where the Web UI of a server of our own is. */
  readonly uiUrl?: string;
  /** `given`: configured by the user. `shared`: another audit-runner started it on this file. `own`: ours to stop. */
  readonly kind: 'given' | 'shared' | 'own';
  /** See {@link OwnServerOptions.sandboxStorage}. */
  readonly sandboxStorage?: string;
  /** Stops a server of our own; leaves any other alone. It also ends when this process does, however that ends. */
  stop(): Promise<void>;
}

/** A server that this process started. */
export interface OwnServer extends TemporalServer {
  readonly kind: 'own';
  readonly pid: number;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** A new process on the same ports and the same file, after `stop` or `kill`. In memory, nothing is left of the old. */
  restart(): Promise<OwnServer>;
}

export interface OwnServerOptions {
  env?: Env | undefined;
  log?: Log | undefined;
  /** @default `TEMPORAL_NAMESPACE`, or `default` */
  namespace?: string | undefined;
  /** The SQLite file that keeps everything, and by which others find the server. @default in memory, found by nobody */
  persist?: string | undefined;
  /**
   * URL of a sandbox's books and results, where the server is for a sandbox: others find both by the `persist` file. The
   * server keeps nothing in it, as the sandbox keeps nothing: what was begun for one must never go on for real accounts.
   */
  sandboxStorage?: string | undefined;
  /** Without the settings that audit-runner needs. @default false */
  bare?: boolean | undefined;
  /** Settings of the server as `name=value`, beside those that audit-runner needs. */
  dynamicConfig?: readonly string[] | undefined;
  /** With the Web UI. @default false */
  ui?: boolean | undefined;
  /** Where the Web UI has data decrypted: see `codec-server/`. @default nowhere */
  codecEndpoint?: string | undefined;
  /** @default a free one */
  port?: number | undefined;
  /** Of the proxy before the Web UI. @default a free one */
  uiPort?: number | undefined;
}

/** Another process may take a free port before we do; it is not tried for ever. */
const PORT_TRIES = 5;

/**
 * The configured server; or else one of our own, from the `temporal` that {@link findServer} finds. On a `persist` file
 * that another process's server has open, that one is shared. Throws `NoTemporalServer`, or an Error with the server's
 * last words.
 */
export async function ensureTemporal(options: OwnServerOptions & ConnectionSource = {}): Promise<TemporalServer> {
  const { address, ...config } = configuredConnection(options);
  if (address !== undefined) return given({ address, ...config });
  const own = { ...options, namespace: options.namespace ?? config.namespace };
  const { persist } = own;
  if (persist === undefined) return startServer(own);
  return withLock(
    `${persist}.lock`,
    async () => {
      const running = await runningServer(persist);
      return running ? shared(running) : startServer(own);
    },
    (pid) => options.log?.(`another audit-runner (process ${pid}) is starting the Temporal server: waiting for it`),
  );
}

/** Starts a server of our own, whatever is configured. Throws as {@link ensureTemporal} does. */
export async function startServer(options: OwnServerOptions = {}): Promise<OwnServer> {
  const {
    env = process.env,
    log = () => undefined,
    namespace = 'default',
    persist,
    sandboxStorage,
    ui = false,
    dynamicConfig,
  } = options;
  const { file, serverVersion } = await findServer(env, log);
  for (let tries = 1; ; tries++) {
    try {
      const server = await startOwn(
        {
          executable: file,
          namespace,
          env,
          port: options.port ?? (await freePort()),
          ...(persist !== undefined && sandboxStorage === undefined && { persist }),
          ...(options.bare && { bare: true }),
          ...(dynamicConfig && { dynamicConfig }),
          ...(options.codecEndpoint !== undefined && { codecEndpoint: options.codecEndpoint }),
        },
        { file: persist, sandboxStorage },
        ui ? await openUi(options.uiPort) : undefined,
      );
      log(`Temporal server ${serverVersion} at ${server.address}${server.uiUrl ? `, Web UI at ${server.uiUrl}` : ''}`);
      return server;
    } catch (error) {
      if (!(error instanceof PortTaken) || tries === PORT_TRIES || options.port !== undefined) throw error;
    }
  }
}

async function openUi(port: number | undefined): Promise<UiProxy> {
  try {
    return await openUiProxy(port);
  } catch (error) {
    throw errorCode(error) === 'EADDRINUSE' ? new PortTaken(`the Web UI's port ${port} is taken`) : error;
  }
}

/** The file by which a server is found, and what is told there. */
interface Noted {
  file: string | undefined;
  sandboxStorage: string | undefined;
}

async function startOwn(settings: ServerSettings, noted: Noted, ui: UiProxy | undefined): Promise<OwnServer> {
  const { port, namespace } = settings;
  const { file, sandboxStorage } = noted;
  const server = await ServerProcess.start({ ...settings, ...(ui && { ui: ui.hidden }) }).catch(async (error) => {
    await ui?.close();
    throw error;
  });
  const place = {
    ...{ port, namespace },
    ...(ui && { uiPort: ui.port }),
    ...(sandboxStorage !== undefined && { sandboxStorage }),
  };
  if (file !== undefined) await noteServer(file, { pid: server.pid, ...place });
  const ended = async () => {
    await ui?.close();
    if (file !== undefined) await forgetServer(file);
  };
  return {
    ...described(place),
    kind: 'own',
    pid: server.pid,
    stop: () => server.stop().then(ended),
    kill: () => server.kill(),
    restart: () => server.stop().then(() => startOwn(settings, noted, ui)),
  };
}

const given = (config: ConnectionConfig): TemporalServer => ({
  config,
  address: config.address,
  namespace: config.namespace,
  kind: 'given',
  stop: async () => undefined,
});

const shared = (running: RunningServer): TemporalServer => ({
  ...described(running),
  kind: 'shared',
  stop: async () => undefined,
});

function described({ port, uiPort, namespace, sandboxStorage }: Omit<RunningServer, 'pid'>) {
  const address = `127.0.0.1:${port}`;
  return {
    config: { address, namespace },
    address,
    namespace,
    ...(uiPort !== undefined && { uiUrl: `http://127.0.0.1:${uiPort}` }),
    ...(sandboxStorage !== undefined && { sandboxStorage }),
  };
}
