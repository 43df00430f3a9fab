import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TypedSearchAttributes } from '@temporalio/common';
import { stringify } from 'yaml';
import { connectClient } from '../temporal/connect';
import type { Env } from '../temporal/environment';
import { searchAttributeKeys } from '../temporal/search-attribute-keys';
import { registerSearchAttributes } from '../temporal/search-attributes';
import { childEnv } from './child-env';
import { isListening } from './free-port';
import { guard } from './guard';
import type { HiddenPlace } from './ui-proxy';

/**
 * One partition, or 20 a minute would come as 4 at once every 12 s; the matcher that knows priority and fairness keys.
 * Room for the messages of many workers to one ledger: with the default of 10 in flight several processes make each
 * other's updates fail again and again. docker-compose starts its server with the same five.
 */
export const DYNAMIC_CONFIG = [
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'matching.useNewMatcher=true',
  'matching.enableFairness=true',
  'history.maxInFlightUpdates=1000',
] as const;

/**
 * The server's HTTP API asks nobody who they are, and takes what any web page in this machine's browser may post (a form, as
 * `text/plain`): no request names this host, so it takes none. We and the Web UI use gRPC.
 */
const NO_HTTP_API = 'frontend.httpAllowedHosts=["none.invalid"]';

const READY_TIMEOUT_MS = 60_000;
/** After this a server that was asked to end is killed, milliseconds. */
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** What a server process is started with. */
export interface ServerSettings {
  executable: string;
  namespace: string;
  port: number;
  /** Where its own Web UI listens, which answers to anybody. Absent: it has none. */
  ui?: HiddenPlace;
  /** Where the Web UI has data decrypted. Absent: nowhere. */
  codecEndpoint?: string;
  /** The SQLite file that outlives the server. Absent: everything is in memory. */
  persist?: string;
  /** Without {@link DYNAMIC_CONFIG}, as a server that somebody else runs may be. @default false */
  bare?: boolean;
  /** Settings as `name=value`, beside {@link DYNAMIC_CONFIG}. */
  dynamicConfig?: readonly string[];
  env: Env;
}

/** The port was taken between looking for a free one and using it. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/** A `temporal server start-dev` of ours. */
export class ServerProcess {
  /** It says so on standard output when it has its ports; until then another server may answer on them. */
  private announced = false;

  private constructor(
    readonly settings: ServerSettings,
    private readonly child: ChildProcess,
    readonly pid: number,
  ) {}

  /** Starts one and waits until it answers, with its namespace and search attributes there. Throws with its last words. */
  static async start(settings: ServerSettings): Promise<ServerProcess> {
    if (settings.persist !== undefined)
      await mkdir(path.dirname(path.resolve(settings.persist)), { recursive: true, mode: 0o700 });
    const told =
      settings.ui && settings.codecEndpoint !== undefined ? await whisper(settings.codecEndpoint) : undefined;
    const child = privately(() =>
      spawn(settings.executable, [...commandLine(settings), ...(told?.args ?? [])], {
        env: childEnv(settings.env),
        stdio: ['ignore', 'pipe', 'pipe'],
        // A process group of its own: Ctrl-C is for us, who stop the workers first and then the server.
        detached: true,
      }),
    );
    let lastWords = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        lastWords = `${lastWords}${chunk}`.slice(-2_000);
      });
      if (stream instanceof Socket) stream.unref();
    }
    const closed = once(child, 'close').then(() => {
      const taken = /address already in use|port \d+ is not free/i.test(lastWords);
      throw new (taken ? PortTaken : Error)(`the Temporal server ended while it started: ${lastWords.trim()}`);
    });
    // Its end is an error while it starts, and what stop() waits for afterwards.
    closed.catch(() => undefined);
    child.unref();
    if (child.pid === undefined) {
      await told?.remove();
      return closed;
    }
    const watch = guard(child.pid, settings.persist === undefined ? 'KILL' : 'TERM');
    child.once('exit', () => watch.release());
    const server = new ServerProcess(settings, child, child.pid);
    child.stdout.once('data', () => {
      server.announced = true;
    });
    const timeLimit = AbortSignal.timeout(READY_TIMEOUT_MS);
    const started = new AbortController();
    try {
      await Promise.race([closed, server.untilReady(AbortSignal.any([timeLimit, started.signal]))]);
      return server;
    } catch (error) {
      await server.end('SIGKILL');
      throw timeLimit.aborted
        ? new Error(`the Temporal server does not answer within ${READY_TIMEOUT_MS / 1_000} s`, { cause: error })
        : error;
    } finally {
      started.abort();
      await told?.remove();
    }
  }

  get address(): string {
    return `127.0.0.1:${this.settings.port}`;
  }

  /** Ends the server: with a moment to finish what it writes when that outlives it, at once when nothing does. */
  stop(): Promise<void> {
    return this.end(this.settings.persist === undefined ? 'SIGKILL' : 'SIGTERM');
  }

  /** Ends the server as a crash would. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  private get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.ended) return;
    this.child.ref();
    const gone = once(this.child, 'exit');
    const impatience = setTimeout(() => this.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    this.child.kill(signal);
    await gone;
    clearTimeout(impatience);
  }

  private async untilReady(signal: AbortSignal): Promise<void> {
    const { port, ui, namespace } = this.settings;
    for (const { port: needed, host } of [{ port, host: undefined }, ...(ui ? [ui] : [])])
      while (!this.announced || !(await isListening(needed, host))) await sleep(POLL_MS, undefined, { signal });
    const config = { address: this.address, namespace };
    const { connection, close } = await connectClient({ config, env: {}, wait: true, signal });
    try {
      await registerSearchAttributes(connection, namespace);
    } finally {
      await close();
    }
  }
}

/** What a program writes that is started in here, a database for example, is its user's alone. */
function privately<T>(start: () => T): T {
  const before = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}

/** A secret is in it, and everybody on this machine sees the arguments of a process: `temporal` reads it from a file instead. */
async function whisper(codecEndpoint: string): Promise<{ args: string[]; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'audit-runner-'));
  const file = path.join(folder, 'temporal.yaml');
  const name = 'audit-runner';
  await writeFile(file, stringify({ env: { [name]: { 'ui-codec-endpoint': codecEndpoint } } }), { mode: 0o600 });
  return {
    args: ['--env-file', file, '--env', name],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function commandLine({ namespace, port, ui, persist, bare, dynamicConfig = [] }: ServerSettings): string[] {
  const attributes = Object.values(searchAttributeKeys).map(
    ({ name, type }) => `${name}=${TypedSearchAttributes.toMetadataType(type)}`,
  );
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--namespace', namespace],
    ...(ui ? ['--ui-ip', ui.host, '--ui-port', String(ui.port)] : ['--headless']),
    ...(persist === undefined ? [] : ['--db-filename', persist]),
    ...['--log-level', 'error'],
    ...[...(bare ? [] : DYNAMIC_CONFIG), NO_HTTP_API, ...dynamicConfig].flatMap((value) => [
      '--dynamic-config-value',
      value,
    ]),
    ...attributes.flatMap((value) => ['--search-attribute', value]),
  ];
}
