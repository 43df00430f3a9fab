import { existsSync, readFileSync } from 'node:fs';
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

/** The version of this package. */
export const packageVersion = (): string =>
  String(JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')).version);
