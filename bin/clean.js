// Empties dist/ before a build: what is left of a file that has moved would be found before the file in its new place.
// biome-ignore-all lint/style/useNodejsImportProtocol: unknown to Node 12, which is to be refused with a sentence.
const { rmSync } = require('fs');
const { join } = require('path');
const { refuseOldNode } = require('./node-version');

// Everything in a checkout begins with a build: the tests too.
refuseOldNode();
rmSync(join(__dirname, '..', 'dist'), { recursive: true, force: true });
