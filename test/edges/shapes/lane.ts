/** A worker on a namespace of its own, and the cases that are tried at it side by side, each with an account and a service. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { stringify } from 'yaml';
import { ConfigError, loadConfig } from '../../../src/config';
import { type Sandbox, startSandbox } from '../../../src/sandbox';
import { type Connected, connectClient } from '../../../src/temporal/connect';
import { connectNative } from '../../../src/temporal/connect-worker';
import { installSdkRuntime } from '../../../src/temporal/sdk-runtime';
import { startWorker } from '../../../src/worker';
import { newNamespace } from '../../support/temporal';
import { type Case, lostRoute } from './cases';
import type { Seen } from './judge';
import { DOCUMENT, type Play, plays, SLOWER, type Staged, sandboxOptions, upset } from './plays';
import { points } from './points';
import { type Front, startProxy } from './proxy';
import { watch } from './watch';

/** A case, and what stands in the configuration for it. */
export interface Trial {
  readonly one: Case;
  /** Values by their setting's path. */
  readonly settings: Readonly<Record<string, string | null>>;
}

/** What came of a trial. */
export interface Tried {
  play: Play;
  sandbox: Sandbox;
  seen: Seen;
}

/** What takes minutes in production; a call may take as long as this machine needs. */
const TIMING = {
  paidTimeoutMs: Math.ceil(3_000 * SLOWER),
  sendWindowMs: Math.ceil(1_000 * SLOWER),
  settlingMs: 1_000,
  holdProbeMs: 500,
  pollMs: 50,
};
const FAST = { max: 1_000, windowMs: 1_000 };
const LIMITS = { reads: FAST, writes: FAST, polls: FAST };

interface Scene {
  trial: Trial;
  account: string;
  staged: Staged;
  proxy: Front;
  token: string;
}

/** A settings' path as a nested object; a route's name has a dot of its own and stands behind a slash. */
function nested(settings: Trial['settings']): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(settings)) {
    const keys = path.startsWith('credits/') ? path.split('/') : path.split('.');
    keys.reduce((inner, key, i) => {
      inner[key] = i === keys.length - 1 ? value : (inner[key] ?? {});
      return inner[key] as Record<string, unknown>;
    }, root);
  }
  return root;
}

let count = 0;

async function setScene(trial: Trial, folder: string): Promise<Scene> {
  const { one } = trial;
  const number = ++count;
  const sandbox = await startSandbox(sandboxOptions(one.form, number));
  const point = points[one.form.point];
  if (point === undefined) throw new Error(`no such open point: ${one.form.point}`);
  const wire = one.form.wire();
  const proxy = await startProxy(sandbox.baseUrl, point, wire);
  const token = join(folder, `token-${number}`);
  writeFileSync(token, sandbox.token, { mode: 0o600 });
  const account = `case-${number}`;
  const asks = one.form.asks === true || (one.workflow === 'callApi' && one.lost);
  const idOf = (id: string) => wire.idOf?.(id) ?? id;
  return {
    trial,
    account,
    proxy,
    token,
    staged: { form: one.form, lost: one.lost, workflow: one.workflow, account, sandbox, idOf, call: point.call, asks },
  };
}

/** Tries cases side by side, and closes everything behind them. @param done is told of each as it ends */
export async function tryAll(
  trials: readonly Trial[],
  done: (trial: Trial, tried: Tried | Error) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-runner-edges-'));
  const scenes = await Promise.all(trials.map((trial) => setScene(trial, folder)));
  try {
    const address = await newNamespace();
    const temporal = await connectClient({ config: address });
    mkdirSync(join(folder, 'storage'));
    writeFileSync(join(folder, 'storage', DOCUMENT), '# What the client does\n\nQuotes by hand.\n');
    const configured: Scene[] = [];
    for (const scene of scenes) {
      const problem = unusable(folder, [scene]);
      if (problem) await done(scene.trial, problem);
      else configured.push(scene);
    }
    const log = pino({ level: process.env.TEST_LOG ?? 'silent' });
    installSdkRuntime(log);
    const native = await connectNative({ config: address });
    const config = loadConfig({ env: {}, file: fileOf(folder, configured) });
    const worker = await startWorker({ config, connection: native.connection, namespace: native.namespace, log });
    // A worker that ends by itself leaves its cases without an end.
    const over = worker.done.catch(() => undefined);
    try {
      await Promise.all(
        configured.map(async (scene) => done(scene.trial, await play(scene, temporal).catch((error: Error) => error))),
      );
    } finally {
      worker.stop();
      await over;
      await native.connection.close();
      await temporal.close();
    }
  } finally {
    for (const { proxy, staged } of scenes) {
      await proxy.close();
      await staged.sandbox.close();
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

function fileOf(folder: string, scenes: readonly Scene[]): string {
  const accounts = scenes.map(({ account, proxy, token, trial }) => {
    // Where the balance matters it is read before anything is paid.
    const budget = trial.one.form.point === 'account.credits' && { budget: { balanceFloor: 1_000 } };
    const base = { baseUrl: proxy.baseUrl, tokenFile: token, timing: TIMING, limits: LIMITS, ...budget };
    return [account, { ...base, ...nested(trial.settings) }] as const;
  });
  const file = join(folder, 'audit-runner.yaml');
  writeFileSync(file, stringify({ accounts: Object.fromEntries(accounts), storageUrl: `file://${folder}/storage` }));
  return file;
}

/** The settings may be none that there are. */
function unusable(folder: string, scenes: readonly Scene[]): Error | undefined {
  try {
    loadConfig({ env: {}, file: fileOf(folder, scenes) });
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

async function play({ trial: { one }, staged, proxy }: Scene, temporal: Connected): Promise<Tried> {
  const { sandbox } = staged;
  const act = await plays[one.workflow](staged);
  upset(staged);
  const route = one.lost ? lostRoute(one) : undefined;
  if (route !== undefined) sandbox.control.addFault({ route: route as 'leads.convert', fault: 'replyLost' });
  const seen = await watch(temporal.client, staged, act);
  return { play: act, sandbox, seen: { ...seen, keys: proxy.keys(), met: proxy.met.count } };
}
