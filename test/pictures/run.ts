/** `npm run pictures`: makes the pictures of `docs/pictures/` anew. Needs Chromium. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PICTURES, picturesFolder } from './names';
import { takeAll } from './pictures';

async function write(): Promise<void> {
  const made = new Map<string, Buffer>();
  await takeAll((file, bytes) => made.set(file, bytes));
  const folder = picturesFolder();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of PICTURES) {
    const bytes = made.get(file);
    if (bytes === undefined) throw new Error(`nothing made ${file}`);
    writeFileSync(join(folder, file), bytes);
    console.log(`${file}: ${Math.ceil(bytes.length / 1_024)} KiB`);
  }
}

write().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
