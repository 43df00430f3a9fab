/** A storage in a folder that cannot be used for a while. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A file stands in the folder's place. */
export function takeAway(folder: string): void {
  mkdirSync(folder, { recursive: true });
  renameSync(folder, `${folder}.kept`);
  writeFileSync(folder, '');
}

/** Does nothing where it was not taken away. */
export function putBack(folder: string): void {
  if (!existsSync(`${folder}.kept`)) return;
  rmSync(folder);
  renameSync(`${folder}.kept`, folder);
}
