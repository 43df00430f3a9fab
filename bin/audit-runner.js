#!/usr/bin/env node
// biome-ignore-all lint/style/useNodejsImportProtocol: unknown to Node 12, which is to be refused with a sentence.
const { existsSync } = require('fs');
const { join } = require('path');
const { refuseOldNode } = require('./node-version');

refuseOldNode();
const main = join(__dirname, '..', 'dist', 'src', 'cli', 'main.js');
if (existsSync(main)) require(main).main();
else {
  process.stderr.write('audit-runner is not built yet: run `npm install` and `npm run build` first.\n');
  process.exitCode = 1;
}
