/** Meanings that stand as comments, where code that must stay small would else hold them as text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';

/** The comments of one line before what a pattern matches, by the name that its first group has. */
export function commented(file: string, entry: RegExp): ReadonlyMap<string, string> {
  const source = readFileSync(join(packageRoot(), file), 'utf8');
  const pattern = new RegExp(`/\\*\\* ([^\\n]+?) \\*/\\n +${entry.source}`, 'g');
  return new Map([...source.matchAll(pattern)].map(([, meaning = '', name = '']) => [name, meaning]));
}
