/**
 * Builds after `npm install` and `npm ci` and before `npm pack` and `npm publish`. Not for `npx audit-runner` in a
 * checkout: npx links the project into its cache first, some versions at each call, and runs this script each time.
 * Nor with `--ignore-scripts`, which npm 10 does not heed when it packs.
 */
const { execSync } = require('node:child_process');

const { npm_command: command, npm_config_ignore_scripts: ignored } = process.env;
if (command !== 'exec' && ignored !== 'true') execSync('npm run build', { stdio: 'inherit' });
