/** A storage in a folder that cannot be used for a while. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A file stands in the folder's place. */
export function takeAway(folder: string): void {
  mkdirSync(folder, { recursive: true });
  renameSync(folder, `${folder}.kept`);
  writeFileSync(folder, '');
}

export function putBack(folder: string): void {
  rmSync(folder);
  renameSync(`${folder}.kept`, folder);
}
