import { userInfo } from 'node:os';

/** Who runs this command, as far as the system says; a system without user names is no reason to fail. */
export function userName(): string | undefined {
  const { USER, USERNAME } = process.env;
  if (USER || USERNAME) return USER || USERNAME;
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
