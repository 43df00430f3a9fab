/** `exit-codes.md`. */
import { EXIT, EXIT_MEANINGS } from '../../src/cli/exit';
import { page, table } from './markdown';
import { sentence } from './words';

export const exitCodes = (): string =>
  page(
    'Exit codes',
    'How a command ends. Where a command means something else by a code, [its help](commands.md) says so: `status`, `doctor`, `schedules plan` and `schedules apply` do.',
    table(
      ['Code', 'Meaning'],
      Object.entries(EXIT).map(([name, code]) => [String(code), sentence(EXIT_MEANINGS[name as keyof typeof EXIT])]),
    ),
  );
