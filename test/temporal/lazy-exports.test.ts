import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lazyExports } from '../../src/temporal/lazy-exports';
import * as workflows from '../../workflows';

test('a run loads the modules of its own workflow alone', () => {
  const loaded: string[] = [];
  const load = (name: string) => {
    loaded.push(name);
    return { convertLead: 'it' };
  };
  const exported: Record<string, unknown> = {};
  const code = lazyExports(readFileSync(join(__dirname, '../../dist/workflows/index.js'), 'utf8'));
  new Function('exports', 'require', code)(exported, load);
  expect(Object.keys(exported).sort()).toEqual(Object.keys(workflows).sort());
  expect(loaded).toEqual([]);
  expect(exported.convertLead).toBe('it');
  expect(loaded).toEqual(['./convert-lead']);
});
