/** What the example shows on any storage. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Played, played } from './played';

export async function playAudits(env: Readonly<Record<string, string>>, others?: readonly string[]): Promise<Played> {
  const run = await played('audits-with-documents', env, others);
  expect(run.stdout).toMatch(/^items +\w+ \d/m);
  expect(run.stdout).toContain('2 uploaded, 0 there before, 0 by a person');
  expect(run.stdout).toContain('0 uploaded, 2 there before, 0 by a person');
  expect(run.stdout).toContain('seen: one project was paid for, once');
  expect(readFileSync(join(run.folder, 'report.html'), 'utf8')).toContain('Harbour Logistics');
  return run;
}
