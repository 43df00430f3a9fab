/** PostgreSQL of Debian's packages, as the service `postgres` has it: the same role, database, password and options. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, isListening } from '../../../src/dev-server/free-port';
import { service } from '../../deploy/support';
import { Server } from './process';

const DEBIAN = '/usr/lib/postgresql';
const HOST = '127.0.0.1';

/** The newest that is installed. */
function binaries(): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folder = versions.map((version) => join(DEBIAN, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
  if (folder === undefined) throw new Error(`there is no PostgreSQL in ${DEBIAN}: install Debian's package postgresql`);
  return folder;
}

/** It refuses to run as root: then the user that its package makes. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export interface Postgres {
  readonly port: number;
  readonly server: Server;
  /** What a query gives, as `psql` writes rows: columns between `|`. @throws Error with its words */
  ask(database: string, query: string): string;
}

/** Started, with its database. @param folder of its own, not there yet @param passwordFile the secret of the compose file */
export async function startPostgres(folder: string, passwordFile: string): Promise<Postgres> {
  const bin = binaries();
  const user = unprivileged();
  const {
    environment: { POSTGRES_USER = '' },
    command: [, ...options],
  } = service('postgres');
  const [data, password] = [join(folder, 'data'), join(folder, 'password')];
  mkdirSync(folder, { recursive: true });
  mkdirSync(data);
  copyFileSync(passwordFile, password);
  chmodSync(password, 0o600);
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [folder, data, password]) chownSync(path, user.uid, user.gid);
  const env = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' };
  execFileSync(
    join(bin, 'initdb'),
    [`--pgdata=${data}`, `--username=${POSTGRES_USER}`, `--pwfile=${password}`, '--auth=scram-sha-256', '--no-sync'],
    { ...user, env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const port = await freePort();
  const word = readFileSync(passwordFile, 'utf8').trim();
  const ask = (database: string, query: string): string =>
    execFileSync(
      join(bin, 'psql'),
      [...['-h', HOST, '-p', String(port), '-U', POSTGRES_USER, '-d', database], ...['-X', '-At', '-c', query]],
      { env: { ...env, PGPASSWORD: word }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    ).trim();
  const server = new Server({
    argv: [
      ...[join(bin, 'postgres'), '-D', data, '-p', String(port), '-c', `listen_addresses=${HOST}`],
      ...['-c', 'unix_socket_directories=', ...options],
    ],
    ...{ env, ...user, log: join(folder, 'postgres.log') },
    isReady: async () => {
      if (!(await isListening(port))) return false;
      try {
        ask('postgres', 'SELECT 1');
        return true;
      } catch {
        return false;
      }
    },
    // Its fast shutdown.
    stopSignal: 'SIGINT',
  });
  await server.start();
  // As the image does with an empty folder.
  ask('postgres', `CREATE DATABASE ${POSTGRES_USER}`);
  return { port, server, ask };
}
