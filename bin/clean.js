// Empties dist/ before a build: what is left of a file that has moved would be found before the file in its new place.
const { rmSync } = require('node:fs');
const { join } = require('node:path');

rmSync(join(__dirname, '..', 'dist'), { recursive: true, force: true });
