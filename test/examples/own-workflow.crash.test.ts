import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { played } from './played';

test('own-workflow is built, bundled and run on what the package exports, and pays and tells once', async () => {
  const { stdout, folder } = await played('own-workflow');
  expect(existsSync(join(folder, 'package', 'dist', 'workflows.js'))).toBe(true);
  expect(stdout).toContain('worker of best-lead is running');
  expect(stdout.match(/^Best lead of the week: \S+, score \d+(\.\d)?, now project \S{36}$/gm)).toHaveLength(2);
  expect(stdout).toContain('The receiver of notifications got {"text":"Best lead of the week: ');
  expect(stdout).toMatch(/lead:\S+ +1,000 +lead-pipeline\.best-lead\./);
  expect(stdout).toContain('seen: started again in the same week, it did nothing');
});
