/**
 * Is this Node one that package.json (`engines`) asks for? For the command line, the build and `doctor` alike. Plain old
 * JavaScript, and file names without `node:`: a Node of years ago must be able to read it to be refused.
 */
// biome-ignore-all lint/style/useNodejsImportProtocol: unknown to Node 12.
const path = require('path');

const { engines } = require(path.join(__dirname, '..', 'package.json'));

/** The oldest Node that will do, such as `20.19`. */
const wanted = engines.node.replace('>=', '');

/** @returns a sentence for a person; undefined where this version will do */
function nodeProblem(version) {
  const [major, minor] = version.split('.').map(Number);
  const [wantedMajor, wantedMinor] = wanted.split('.').map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return undefined;
  return `audit-runner needs Node ${wanted} or later, and this is ${version}: install a later one (https://nodejs.org), or put it first on the PATH`;
}

/** Ends the process, code 2, where this Node is too old. */
function refuseOldNode() {
  const problem = nodeProblem(process.versions.node);
  if (problem === undefined) return;
  process.stderr.write(`${problem}.\n`);
  process.exit(2);
}

module.exports = { wanted, nodeProblem, refuseOldNode };
