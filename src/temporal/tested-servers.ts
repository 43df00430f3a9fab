/**
 * Which Temporal servers this version is tested on: `.ci/run` plays the same tests on the oldest of them and on that of
 * docker-compose.yml; on the newest they are played by hand, as CONTRIBUTING.md says.
 */

const OLDEST = { major: 1, minor: 29 };
const NEWEST = { major: 1, minor: 32 };
type Minor = typeof OLDEST;

const named = ({ major, minor }: Minor): string => `${major}.${minor}`;
const isBefore = (one: Minor, other: Minor): boolean =>
  one.major < other.major || (one.major === other.major && one.minor < other.minor);

/** `1.29 to 1.32` */
export const TESTED_SERVERS = `${named(OLDEST)} to ${named(NEWEST)}`;

/**
 * What a person should know of a server's version, in a few words; undefined where the version is one of the tested.
 * @param version as the server says it, for example `1.31.2`, `v1.32.0-rc.1` or nothing
 */
export function untestedServer(version: string | null | undefined): string | undefined {
  const [, major, minor] = /^v?(\d+)\.(\d+)(?!\d)/.exec(version ?? '') ?? [];
  const given = { major: Number(major), minor: Number(minor) };
  if (major === undefined || minor === undefined) return `not known to be one of those tested (${TESTED_SERVERS})`;
  if (isBefore(given, OLDEST)) return `older than those tested (${TESTED_SERVERS})`;
  if (isBefore(NEWEST, given)) return `newer than those tested (${TESTED_SERVERS})`;
  return undefined;
}
