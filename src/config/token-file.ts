/** Who may use a token file, by its mode: `doctor` tells it, and a worker warns at its start (S4). */
import { statSync } from 'node:fs';
import { asArgument } from '../text/command';

const OTHERS = 0o077;
/** Where containers have their secrets: whoever made the container says who may read them, and their modes say nothing. */
const CONTAINER_SECRETS = '/run/secrets/';

/** What is known of it, for a person; `mend` is the command that takes it from the others. */
export interface TokenFileAccess {
  readonly found: string;
  readonly mend?: string;
}

/**
 * @param file absent where the token comes from elsewhere
 * @returns undefined where it cannot be told: Windows has no such modes, and that a file cannot be read is told where the
 * configuration is read
 */
export function tokenFileAccess(file: string | undefined): TokenFileAccess | undefined {
  if (file === undefined || process.getuid === undefined) return undefined;
  if (file.startsWith(CONTAINER_SECRETS)) return { found: `${file} is a secret of this container` };
  const stats = statOf(file);
  if (stats === undefined) return undefined;
  const { mode, uid } = stats;
  // Of a file that somebody else provides we change nothing.
  if (uid !== process.getuid()) return { found: `${file} belongs to another user, who says who may read it` };
  if ((mode & OTHERS) === 0) return { found: `only its owner may use ${file}` };
  const octal = (mode & 0o777).toString(8);
  return {
    found: `others than its owner may use ${file} (mode ${octal})`,
    mend: `chmod 600 ${asArgument(file, '<file>')}`,
  };
}

function statOf(file: string) {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}
