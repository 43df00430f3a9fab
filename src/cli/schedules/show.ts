/** The difference, for a person. */
import type { ScheduleDefinition } from '../../temporal/schedule-definition';
import { given } from '../given';
import { styled } from '../output';
import type { Wanted } from './definition';
import type { Change, FieldChange } from './diff';

const MARKS = {
  create: styled('green', '+ create   '),
  change: styled('yellow', '~ change   '),
  unchanged: '= unchanged',
  remove: styled('red', '- remove   '),
  leftOver: '? left     ',
  refused: styled('red', '! refused  '),
} as const;

/** One line for each schedule, below it what differs and what is to be known. */
export function showChanges(changes: readonly Change[], wanted: readonly Wanted[]): string {
  if (changes.length === 0) return 'There are no pipelines in the file, and no schedules of any.';
  const lines = changes.flatMap(({ pipeline, action, fields, notes }) => {
    const one = wanted.find((candidate) => candidate.pipeline === pipeline);
    const made = action === 'create' && one ? `: ${outline(one.definition)}${one.paused ? ', paused' : ''}` : '';
    const left = action === 'leftOver' ? ': not in the file any more; --prune removes it' : '';
    return [
      `${MARKS[action]}  ${pipeline}${made}${left}`,
      ...fields.map((field) => `      ${difference(field)}`),
      ...notes.map((note) => styled('yellow', `      note: ${note}`)),
    ];
  });
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const sums = `${count('create')} to create, ${count('change')} to change, ${count('remove')} to remove, ${count('unchanged')} unchanged`;
  return [...lines, '', `${sums}.`].join('\n');
}

const difference = ({ field, from, to }: FieldChange) => `${field}: ${shown(from)} -> ${shown(to)}`;

/** Short, and without what might be personal data (S4). */
const shown = (value: unknown): string => (value === undefined ? '(none)' : given(value));

/** 'leadPipeline at 0 7 * * MON-FRI (Europe/Berlin)'. */
export const outline = ({ workflow, cron, every, offset, timeZone }: ScheduleDefinition): string =>
  every === undefined
    ? `${workflow} at ${cron.join(' and ')} (${timeZone})`
    : `${workflow} every ${every}${offset === undefined ? '' : `, offset ${offset}`}`;
