/**
 * Builds after `npm install` and `npm ci` and before `npm pack` and `npm publish`, but not for `npx audit-runner` in a
 * checkout: npx links the project into its cache first, some versions at each call, and runs this script each time.
 */
const { execSync } = require('node:child_process');

if (process.env.npm_command !== 'exec') execSync('npm run build', { stdio: 'inherit' });
