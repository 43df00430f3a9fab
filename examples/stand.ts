/** Puts up what an example stands on: a Temporal server, the sandbox and a worker, all on this machine and ended with it. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { destination } from 'pino';
import { parseDocument } from 'yaml';
import { LOCAL_FOLDER, localWorker } from '../src/cli/local';
import { print, tell } from '../src/cli/output';
import { openSandbox } from '../src/cli/sandbox';
import { loadConfig } from '../src/config';
import { startServer } from '../src/dev-server/server';
import { createLogger } from '../src/log';
import type { Sandbox } from '../src/sandbox';
import { packageRoot } from '../src/temporal/package-root';
import { installSdkRuntime } from '../src/temporal/sdk-runtime';
import type { Example } from './example';
import { Programs } from './programs';

/** How many times faster than real time the sandbox and the account's limits and timings run. */
const SPEED = 30;

/** What a person's environment says of real servers and accounts must not reach an example. */
const REAL = /^(TEMPORAL_|AGENT_API_|AUDIT_RUNNER_|STORAGE_URL$|LOG_LEVEL$)/;
const RUNNER = join(packageRoot(), 'bin', 'audit-runner.js');
const TOKEN = 'SANDBOX_TOKEN';

/** Puts up the stand, plays on it, and takes it down again whatever happens. */
export async function onStand(name: string, example: Example): Promise<void> {
  const folder = resolve(LOCAL_FOLDER, 'examples', name);
  const storage = await example.storage?.();
  if (storage?.env) {
    for (const variable of Object.keys(process.env)) if (variable.startsWith('AWS_')) delete process.env[variable];
    Object.assign(process.env, storage.env);
  }
  for (const variable of Object.keys(process.env)) if (REAL.test(variable)) delete process.env[variable];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const log = createLogger({ output: destination({ dest: join(folder, 'worker.log'), sync: true }), pretty: false });
  installSdkRuntime(log);

  const closing: (() => Promise<void> | undefined)[] = [() => storage?.close?.()];
  try {
    const server = await startServer({ log: tell });
    closing.unshift(() => server.stop());
    const sandbox = await openSandbox({ speed: SPEED, ...example.sandbox });
    closing.unshift(() => sandbox.close());
    const file = sandboxFile(join(packageRoot(), 'examples', name, 'audit-runner.yaml'), folder, sandbox);
    const env = {
      ...process.env,
      TEMPORAL_ADDRESS: server.address,
      // A profile of the Temporal CLI may ask for TLS or an API key.
      TEMPORAL_CONFIG_FILE: join(folder, 'none.toml'),
      [TOKEN]: sandbox.token,
      // A bucket of the file is not there.
      ...(example.storage && { STORAGE_URL: storage?.url ?? join(folder, 'storage') }),
    };
    const config = loadConfig({ env, file, cwd: folder });
    const worker = await localWorker(server, config, log);
    closing.unshift(() => worker.close());
    tell(`Sandbox at ${sandbox.baseUrl}, ${SPEED} times as fast as real time; the worker's log is in ${folder}`);
    const programs = new Programs(folder, env);
    // Of others than audit-runner, none needs the token.
    const own = new Programs(folder, { ...env, [TOKEN]: undefined });
    closing.unshift(async () => [programs, own].forEach((some) => void some.kill()));
    await example.play({
      ...{ sandbox, folder, storageUrl: config.storageUrl, own },
      command: (args, code = 0) =>
        programs.run(`npx audit-runner ${args.map(quoted).join(' ')}`, [RUNNER, ...args], { code }),
      bring(file, to = file) {
        print(`\n$ cp ${join('examples', name, file)} ${to}`);
        cpSync(join(packageRoot(), 'examples', name, file), join(folder, to));
      },
      show(file) {
        const text = readFileSync(join(folder, file), 'utf8');
        print(`\n$ cat ${file}\n${text.trimEnd()}`);
        return text;
      },
      keep(file, text) {
        writeFileSync(join(folder, file), text);
        return join(folder, file);
      },
    });
  } finally {
    for (const close of closing) await close();
  }
}

/** The example's configuration file with the sandbox in the place of the real service. */
function sandboxFile(file: string, folder: string, { baseUrl }: Sandbox): string {
  const document = parseDocument(readFileSync(file, 'utf8'));
  const account = ['accounts', 'default'];
  document.setIn([...account, 'baseUrl'], baseUrl);
  document.deleteIn([...account, 'tokenFile']);
  document.setIn([...account, 'tokenEnv'], TOKEN);
  document.setIn([...account, 'speed'], SPEED);
  const copy = join(folder, 'audit-runner.yaml');
  writeFileSync(copy, document.toString());
  return copy;
}

const quoted = (arg: string): string => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`);
