/** How this program is called here, so that a command which it prints can be pasted. */
import { basename } from 'node:path';

/** Run by `npx`, or out of a package or a clone: then the name alone is on nobody's PATH. */
export const PROGRAM =
  basename(process.argv[1] ?? '') === 'audit-runner' && !process.argv[1]?.includes('node_modules')
    ? 'audit-runner'
    : 'npx audit-runner';
