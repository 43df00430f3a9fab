/** A log that strangers cannot fill: of equal lines one in so many seconds, and a few in all. */
import type { Logger } from 'pino';

const EVERY_MS = 10_000;
const MOST_LINES = 20;

export interface SparingLog {
  warn(facts: object, line: string): void;
  debug(facts: object, line: string): void;
}

/** @param now milliseconds of any clock */
export function sparing(log: Logger, now: () => number = () => performance.now()): SparingLog {
  let since = Number.NEGATIVE_INFINITY;
  const said = new Set<string>();
  let unsaid = 0;
  return {
    debug: (facts, line) => log.debug(facts, line),
    warn(facts, line) {
      if (now() - since >= EVERY_MS) {
        said.clear();
        since = now();
      }
      if (said.has(line) || said.size >= MOST_LINES) {
        unsaid++;
        return;
      }
      said.add(line);
      log.warn({ ...facts, ...(unsaid > 0 && { unsaid }) }, line);
      unsaid = 0;
    },
  };
}
