/** The Temporal server of docker-compose.yml and its tool for schemas as programs of this machine, built once with Go. */
import path from 'node:path';
import { buildPrograms } from '../../../src/dev-server/build-server';
import { isExecutable } from '../../../src/dev-server/executable';
import { cacheFolder } from '../../../src/dev-server/find-server';
import { withLock } from '../../../src/dev-server/lock';
import type { Log } from '../../../src/temporal/environment';
import { service } from '../../deploy/support';

const MODULE = 'go.temporal.io/server';

/** The version that docker-compose.yml starts. */
export function productionVersion(): string {
  const { TEMPORAL_VERSION } = process.env;
  if (TEMPORAL_VERSION) return TEMPORAL_VERSION;
  const { image } = service('temporal');
  const [, version] = /^temporalio\/server:\$\{TEMPORAL_VERSION:-(\d+\.\d+\.\d+)\}$/.exec(image) ?? [];
  if (version === undefined)
    throw new Error(`docker-compose.yml names no version of the Temporal server in '${image}'`);
  return version;
}

/** Builds them unless they are there. @returns the folder with `temporal-server` and `temporal-sql-tool` */
export async function installProduction(log: Log): Promise<string> {
  const version = productionVersion();
  const folder = path.join(path.dirname(cacheFolder(process.env)), `temporal-server-${version}`);
  const programs = {
    'temporal-sql-tool': `${MODULE}/cmd/tools/sql@v${version}`,
    // The last one: where it is, both are.
    'temporal-server': `${MODULE}/cmd/server@v${version}`,
  };
  const isThere = () => isExecutable(path.join(folder, 'temporal-server'));
  if (await isThere()) return folder;
  const name = `Temporal server ${version} for PostgreSQL`;
  await withLock(`${folder}.lock`, async () => {
    if (await isThere()) return;
    await buildPrograms({ folder, name, duration: 'about five minutes', programs }, process.env, log);
  });
  return folder;
}
