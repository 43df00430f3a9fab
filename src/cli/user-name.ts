import { userInfo } from 'node:os';

/** Who runs this command, as the system has it; a system without user names is no reason to fail. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
