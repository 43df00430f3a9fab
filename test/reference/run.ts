/** `npm run reference`: writes `docs/reference/` anew. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages, referenceFolder } from './pages';

async function write(): Promise<void> {
  const made = await pages();
  const folder = referenceFolder();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of made) writeFileSync(join(folder, name), text);
  console.log(`${made.size} pages written to ${folder}`);
}

write().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
