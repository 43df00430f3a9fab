import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';
import { guards as shapes } from './shapes/guards';

test.each(Object.entries(shapes))(
  "the guard '%s' of the shapes stands where its negative control looks for it",
  (_, { file, find }) => {
    const code = readFileSync(path.join(packageRoot(), 'dist', file), 'utf8');
    expect(code.split(find)).toHaveLength(2);
  },
);
