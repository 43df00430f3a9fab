/** What `doctor` sees of the machine that it runs on: Node, and who else may read a token. */
import { join } from 'node:path';
import { tokenFileAccess } from '../../config/token-file';
import { packageRoot } from '../../temporal/package-root';
import { area, type Check } from './check';

/** Plain JavaScript, since it also refuses a Node that cannot read the rest. */
const nodeVersion = (): typeof import('../../../bin/node-version') =>
  require(join(packageRoot(), 'bin', 'node-version.js'));

/** @param version of Node, such as `20.19.0` */
export function checkNode(version = process.versions.node): Check {
  const { ok, wrong } = area('this machine');
  const { wanted, nodeProblem } = nodeVersion();
  if (nodeProblem(version) === undefined) return ok('node', `${version}; ${wanted} or later is needed`);
  return wrong('node', `${version}; ${wanted} or later is needed`, 'install a later Node (https://nodejs.org)');
}

/** None where it cannot be told. */
export function checkTokenFile(account: string, file: string | undefined): Check[] {
  const access = tokenFileAccess(file);
  if (access === undefined) return [];
  const { ok, wrong } = area(`account ${account}`);
  const { found, mend } = access;
  return [mend === undefined ? ok('token file', found) : wrong('token file', found, mend)];
}
