/** The option `--since`: from when on something is told. */
import { Since } from '../inputs/fields';
import { EXIT, Exit } from './exit';

/** @returns milliseconds since 1970 @throws Exit for what is no moment before now */
export function startOf(text: string, now: number): number {
  const parsed = Since.safeParse(text);
  if (!parsed.success)
    throw new Exit(
      EXIT.badInput,
      '--since: give a duration back from now such as 30d, a date such as 2026-01-31, or a date-time with its zone such as 2026-01-31T08:00:00Z',
    );
  const since = 'at' in parsed.data ? parsed.data.at : now - parsed.data.agoMs;
  if (since >= now) throw new Exit(EXIT.badInput, '--since lies in the future; give a moment before now');
  return since;
}
