/** `audit-runner dev`: Temporal server, sandbox and worker in one process, to try things out. */
import { destination, type Logger } from 'pino';
import { openCodecServer } from '../codec-server/server';
import { type Config, loadConfig } from '../config';
import { isListening } from '../dev-server/free-port';
import { ensureTemporal, type TemporalServer } from '../dev-server/server';
import { createLogger } from '../log';
import type { Sandbox } from '../sandbox';
import { ensureStartHere, START_HERE } from '../start-here/keep';
import { openStorage } from '../storage';
import { configuredConnection, connectClient } from '../temporal/connect';
import { encryptionCodec } from '../temporal/encryption';
import { installSdkRuntime } from '../temporal/sdk-runtime';
import { linkTo } from '../temporal/ui';
import { PROGRAM } from '../text/command';
import { newSecret } from './codec-server';
import { EXIT, Exit } from './exit';
import { type LocalWorker, localWorker, newStorage, sandboxConfig } from './local';
import { print, tell } from './output';
import { openSandbox } from './sandbox';
import { DEV_DATABASE, knownServer } from './server';
import { EndSignals } from './signals';
import { workableConfig } from './worker';

export interface DevOptions {
  speed: number;
  leads: number;
  credits: number;
  real?: boolean;
  config?: string;
}

/** Where tools look for a Temporal server and its Web UI when nobody says where they are. */
const USUAL = { port: 7233, uiPort: 8233 };

/** Not `default`, in which a worker of configured accounts looks for work at the usual place. */
const SANDBOX_NAMESPACE = 'sandbox';

const ANOTHER = `another \`${PROGRAM} dev\` runs in this folder; end that one first`;

export async function devCommand({ speed, leads, credits, real = false, config: file }: DevOptions): Promise<number> {
  const configured = real ? workableConfig(file) : forSandbox(file);
  if (real && (await knownServer()).sandboxStorage !== undefined) throw new Exit(EXIT.failed, ANOTHER);
  const signals = new EndSignals();
  const log = createLogger({
    ...(real && { level: configured.log.level }),
    output: destination({ fd: 2, sync: true }),
    pretty: process.stderr.isTTY === true,
  });
  installSdkRuntime(log);

  const namespace = real ? configuredConnection().namespace : SANDBOX_NAMESPACE;
  const sandboxStorage = real ? undefined : newStorage('dev');
  const codec = await ownCodecServer(namespace, log);
  const server = await ensureTemporal({
    ...{ namespace, persist: DEV_DATABASE, sandboxStorage, ui: true, log: tell, codecEndpoint: codec?.endpoint },
    ...(await usualPorts()),
  }).catch(async (error) => {
    await codec?.close();
    throw error;
  });
  if (server.kind === 'own' && server.uiUrl) codec?.answers(server.uiUrl);
  // Whoever has started that one has seen to its Web UI as well.
  else await codec?.close();
  let sandbox: Sandbox | undefined;
  let worker: LocalWorker | undefined;
  try {
    // Several may work for configured accounts; a sandbox has its server for itself.
    // One that has only just started was not there above.
    if (server.kind === 'shared' && (sandboxStorage ?? server.sandboxStorage) !== undefined)
      throw new Exit(EXIT.failed, ANOTHER);
    let config = configured;
    if (sandboxStorage !== undefined) {
      sandbox = await openSandbox({ speed, leads, credits });
      config = { ...sandboxConfig(sandbox, speed, sandboxStorage), encryption: configured.encryption };
    }
    worker = await localWorker(server, config, log);
    print(await introduction(server, sandbox, speed, config.storageUrl, codec !== undefined && server.kind === 'own'));
    await Promise.race([signals.first, worker.done]);
    tell('Ending: calls in flight are finished first; Ctrl-C again ends at once.');
    return EXIT.done;
  } finally {
    await worker?.close();
    await sandbox?.close();
    await server.stop();
    await codec?.close();
  }
}

/** Where there is a key, the Web UI reads with it, and encrypts what is typed into its forms. */
async function ownCodecServer(namespace: string, log: Logger) {
  const codec = encryptionCodec(process.env, namespace);
  if (!codec) return undefined;
  let origins: string[] = [];
  const server = await openCodecServer({
    ...{ codec, namespace, log, encode: true, secret: newSecret(), origins: () => origins },
  });
  return {
    ...server,
    /** Pages of this Web UI may ask, by either name of this machine. */
    answers(uiUrl: string): void {
      origins = [uiUrl, uiUrl.replace('127.0.0.1', 'localhost')];
    },
  };
}

function forSandbox(file: string | undefined): Config {
  sandboxMayStart();
  const found = loadConfig({ env: process.env, file });
  if (Object.keys(found.accounts).length > 0)
    tell('The configured accounts are left alone: this is the sandbox. Use them with --real.');
  return found;
}

/** A sandbox's worker would answer for real accounts on a server that they share, with timings that are far too short. */
function sandboxMayStart(): void {
  const { address } = configuredConnection();
  if (address !== undefined)
    throw new Exit(
      EXIT.badInput,
      `Temporal is configured (${address}), and the sandbox must not share a server with real accounts: unset TEMPORAL_ADDRESS, or use --real.`,
    );
}

async function usualPorts(): Promise<{ port?: number; uiPort?: number }> {
  const { port, uiPort } = USUAL;
  const [taken, uiTaken] = await Promise.all([isListening(port), isListening(uiPort)]);
  return { ...(!taken && { port }), ...(!uiTaken && { uiPort }) };
}

/** Where it is, with its run ID: the tab that has the page. */
async function startPage({ config, namespace, uiUrl = '' }: TemporalServer): Promise<string> {
  const { client, close } = await connectClient({ config });
  try {
    return linkTo(uiUrl, namespace, START_HERE, await ensureStartHere(client));
  } finally {
    await close();
  }
}

async function introduction(
  server: TemporalServer,
  sandbox: Sandbox | undefined,
  speed: number,
  storageUrl: string,
  isDecoded: boolean,
): Promise<string> {
  const lines = [
    ...(server.uiUrl
      ? [`Web UI         ${server.uiUrl}/namespaces/${server.namespace}`, `start here     ${await startPage(server)}`]
      : []),
    `Temporal       ${server.address}, namespace ${server.namespace}`,
    ...(isDecoded ? ['encryption     on; the Web UI shows what is encrypted, until this ends'] : []),
    ...(sandbox ? [`base address   ${sandbox.baseUrl} (sandbox, ${speed} times as fast as real time)`] : []),
    ...(sandbox ? [`sandbox stats  ${sandbox.controlUrl}/stats`] : []),
    `storage        ${openStorage(storageUrl).describe()}`,
    '',
    'Try, in another terminal in this folder:',
    `  ${PROGRAM} run leadPipeline --input '{"dryRun": true}'`,
    `  ${PROGRAM} run leadPipeline --input '{"maxConversions": 5}'`,
    `  ${PROGRAM} status`,
    `  ${PROGRAM} spend`,
    '',
    'Ctrl-C ends everything.',
  ];
  return lines.join('\n');
}
