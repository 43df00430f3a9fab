import { existsSync } from 'node:fs';
import path from 'node:path';

/** The package's own folder: the same whether this file runs from `src/` (tests) or from `dist/src/` (everybody else). */
export function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(path.join(folder, 'package.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder)
      throw new Error(`audit-runner is not installed as a package: no package.json above ${__dirname}`);
    folder = parent;
  }
  return folder;
}
