/** What `doctor` sees of the machine that it runs on: Node, and who else may read a token. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
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

const OTHERS = 0o077;
/** Where containers have their secrets: whoever made the container says who may read them, and their modes say nothing. */
const CONTAINER_SECRETS = '/run/secrets/';

/** None where it cannot be told: Windows has no such modes, and of a file that somebody else provides we change nothing. */
export function checkTokenFile(account: string, file: string | undefined): Check[] {
  if (file === undefined || process.getuid === undefined) return [];
  const { ok, wrong } = area(`account ${account}`);
  if (file.startsWith(CONTAINER_SECRETS)) return [ok('token file', `${file} is a secret of this container`)];
  try {
    const { mode, uid } = statSync(file);
    if (uid !== process.getuid())
      return [ok('token file', `${file} belongs to another user, who says who may read it`)];
    if ((mode & OTHERS) === 0) return [ok('token file', `only its owner may use ${file}`)];
    return [wrong('token file', `others than its owner may use ${file} (mode ${octal(mode)})`, `chmod 600 ${file}`)];
  } catch {
    // That it cannot be read is told where the configuration is read.
    return [];
  }
}

const octal = (mode: number) => (mode & 0o777).toString(8);
