/**
 * Makes `npx audit-runner` work in a checkout at once: npm links the binaries of dependencies, not a project's own, and for a
 * project that declares one npx first installs and builds the project again, into its cache. Run by
 * `prepare`; does nothing where there is no node_modules folder, as in a published package.
 */
const { existsSync, mkdirSync, rmSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');

const modules = join(__dirname, '..', 'node_modules');
if (existsSync(modules)) {
  const link = join(modules, '.bin', 'audit-runner');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join('..', '..', 'bin', 'audit-runner.js'), link);
}
