/**
 * PostgreSQL and a Temporal server on it, as docker-compose.yml has them, without containers: the schema is set up by the
 * service `temporal-schema`, the server starts as `temporal` does, the namespace is made by `temporal-namespace`.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { promisify } from 'node:util';
import { findServer } from '../../../src/dev-server/find-server';
import { freePort, isListening } from '../../../src/dev-server/free-port';
import type { Log } from '../../../src/temporal/environment';
import { type Service, service } from '../../deploy/support';
import { installProduction } from './install';
import { type NativeService, natively } from './natively';
import { type Postgres, startPostgres } from './postgres';
import { Server } from './process';

const HOST = '127.0.0.1';
/** Written into the database, in a column that has no room for the ports that the system gives out. */
const MEMBERSHIP_PORTS = { from: 20_000, below: 32_000 };
const PARTS = ['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'];
const ENTRYPOINT = '/etc/temporal/entrypoint.sh';
const STEP_MS = 120_000;

export interface ProductionOptions {
  log?: Log;
  /** Variables that an override of the compose file adds to services. */
  override?: Readonly<Record<string, { environment: Readonly<Record<string, string>> }>>;
  /** Paths of the containers, and what this machine has in their places. */
  paths?: Readonly<Record<string, string>>;
}

export interface Production {
  /** Others may read in it, as the users of the containers read the secrets. */
  readonly folder: string;
  readonly secrets: string;
  readonly address: string;
  readonly postgres: Postgres;
  readonly server: Server;
  /** Runs a step of the compose file, such as `temporal-schema`, to its end. @returns what it wrote @throws Error with that */
  step(name: string): Promise<string>;
  /** What starts a service here. @param its in the place of what the compose file has under that name */
  natively(name: string, its?: Service): NativeService;
  stop(): Promise<void>;
}

/** PostgreSQL alone; the Temporal server is started when its schema has been set up. */
export async function openProduction({
  log = () => undefined,
  override = {},
  paths = {},
}: ProductionOptions): Promise<Production> {
  const [programs, { file: cli }] = await Promise.all([installProduction(log), findServer(process.env, log)]);
  const folder = mkdtempSync(join(tmpdir(), 'audit-runner-production-'));
  chmodSync(folder, 0o755);
  const [secrets, bin] = [join(folder, 'secrets'), join(folder, 'bin')];
  for (const one of [secrets, bin]) mkdirSync(one);
  // By the names that the containers have; in the folder of the checkout they have hyphens.
  writeFileSync(join(secrets, 'postgres_password'), `${randomBytes(24).toString('hex')}\n`);
  // The image's own asks for the address of its container, which is given here.
  const entrypoint = join(bin, 'entrypoint.sh');
  writeFileSync(entrypoint, '#!/bin/sh\nexec temporal-server start\n', { mode: 0o755 });
  const PATH = [programs, path.dirname(cli), process.env.PATH].join(path.delimiter);

  const postgres = await startPostgres(join(folder, 'postgres'), join(secrets, 'postgres_password'));
  const port = await freePort();
  const address = `${HOST}:${port}`;
  const ports = await portsOfParts(port);
  const places: Record<string, Record<string, string>> = {
    'temporal-schema': { SQL_HOST: HOST, SQL_PORT: String(postgres.port) },
    temporal: { POSTGRES_SEEDS: HOST, DB_PORT: String(postgres.port), BIND_ON_IP: HOST, ...ports },
  };
  const here = (name: string, its: Service = service(name)) =>
    natively(
      { ...its, environment: { ...its.environment, ...override[name]?.environment } },
      {
        secrets,
        paths: { ...paths, [ENTRYPOINT]: entrypoint, 'temporal:7233': address },
        env: { PATH, HOME: folder, ...places[name] },
      },
    );
  const server = new Server({
    ...here('temporal'),
    log: join(folder, 'temporal.log'),
    isReady: () => isListening(port),
  });
  return {
    ...{ folder, secrets, address, postgres, server, natively: here },
    async step(name) {
      const { argv, env } = here(name);
      const [program = '', ...args] = argv;
      const { stdout, stderr } = await promisify(execFile)(program, args, {
        ...{ env, cwd: folder, timeout: STEP_MS, maxBuffer: 2 ** 26 },
      });
      return `${stdout}${stderr}`;
    },
    async stop() {
      await server.stop();
      await postgres.server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** All of it, with the namespace `default`. */
export async function startProduction(options: ProductionOptions = {}): Promise<Production> {
  const production = await openProduction(options);
  try {
    await production.step('temporal-schema');
    await production.server.start();
    await production.step('temporal-namespace');
    return production;
  } catch (error) {
    await production.stop();
    throw error;
  }
}

/** Variables for what several servers on one machine would both listen on. */
async function portsOfParts(frontend: number): Promise<Record<string, string>> {
  const ports: [string, number][] = [
    ['FRONTEND_GRPC_PORT', frontend],
    ['FRONTEND_HTTP_PORT', await freePort()],
  ];
  for (const part of PARTS) {
    if (part !== 'FRONTEND') ports.push([`${part}_GRPC_PORT`, await freePort()]);
    ports.push([`${part}_MEMBERSHIP_PORT`, await membershipPort(ports.map(([, taken]) => taken))]);
  }
  return Object.fromEntries(ports.map(([name, port]) => [name, String(port)]));
}

async function membershipPort(taken: readonly number[]): Promise<number> {
  const { from, below } = MEMBERSHIP_PORTS;
  for (;;) {
    const port = from + Math.floor(Math.random() * (below - from));
    if (!taken.includes(port) && !(await isListening(port))) return port;
  }
}
