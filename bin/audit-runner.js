#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const main = join(__dirname, '..', 'dist', 'src', 'cli', 'main.js');
if (existsSync(main)) require(main);
else {
  process.stderr.write('audit-runner is not built yet: run `npm install` and `npm run build` first.\n');
  process.exitCode = 1;
}
