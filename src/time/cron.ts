/**
 * Cron expressions as calendars. Own code because a schedule is sent as calendars, which the Temporal server gives back
 * as they were, while it rewrites cron expressions: only so can the file be compared with what the server has. The
 * dialects of libraries (L, #, ?) have no such calendar. Pure.
 */

/** The values start, start + step, … up to end. */
export interface Range {
  start: number;
  end: number;
  step: number;
}

/** When all fields match. Days of the week are 0 (Sunday) to 6. */
export interface Calendar {
  minute: Range[];
  hour: Range[];
  dayOfMonth: Range[];
  month: Range[];
  dayOfWeek: Range[];
}

/** A text that is no cron expression; the message is a sentence. */
export class CronError extends Error {
  override readonly name = 'CronError';
}

interface Field {
  key: keyof Calendar;
  noun: string;
  min: number;
  max: number;
  names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { key: 'minute', noun: 'minute', min: 0, max: 59 },
  { key: 'hour', noun: 'hour', min: 0, max: 23 },
  { key: 'dayOfMonth', noun: 'day of the month', min: 1, max: 31 },
  {
    ...{ key: 'month', noun: 'month', min: 1, max: 12 },
    names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  {
    ...{ key: 'dayOfWeek', noun: 'day of the week', min: 0, max: 6 },
    names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  },
];

const SHORTHANDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

/**
 * The calendar of `minute hour day-of-month month day-of-week`: numbers, names (JAN, MON), `*`, ranges `a-b`, steps `/n`,
 * lists; or one of `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. Sunday is 0 or 7. Where both days are named, both
 * must match, as Temporal reads it; the cron of Unix takes either.
 * @throws {CronError}
 */
export function parseCron(text: string): Calendar {
  const expression = text.trim();
  if (/^@every\b/i.test(expression)) throw new CronError("'@every' is written as every: 10m, without cron");
  if (/^(CRON_)?TZ=/i.test(expression)) throw new CronError('the time zone is a setting of its own: timeZone');
  const fields = (SHORTHANDS[expression.toLowerCase()] ?? expression).split(/\s+/);
  if (fields.length !== FIELDS.length)
    throw new CronError(
      `'${text}' is no cron expression of five fields: minute, hour, day of the month, month, day of the week; ` +
        "for example '0 7 * * MON-FRI'",
    );
  const ranges = FIELDS.map((field, i) => parseField(field, fields[i] ?? ''));
  const [minute = [], hour = [], dayOfMonth = [], month = [], dayOfWeek = []] = ranges;
  return { minute, hour, dayOfMonth, month, dayOfWeek };
}

/** Whether a calendar names days of the month and of the week, which crons understand differently. */
export const namesBothDays = ({ dayOfMonth, dayOfWeek }: Calendar): boolean =>
  !isAny(dayOfMonth, 1, 31) && !isAny(dayOfWeek, 0, 6);

const isAny = (ranges: readonly Range[], min: number, max: number) =>
  ranges.some(({ start, end, step }) => start === min && end === max && step === 1);

const parseField = (field: Field, text: string): Range[] => text.split(',').flatMap((part) => parsePart(field, part));

function parsePart(field: Field, part: string): Range[] {
  const [, span = '', from = '', to, step = '1'] = /^(\*|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(part) ?? [];
  const stepped = part.includes('/');
  if (span === '' || Number(step) < 1) throw wrong(field, part);
  // A lone start with a step goes on to the end of the field, as everywhere.
  const last = to ?? (stepped ? undefined : from);
  const start = span === '*' ? field.min : value(field, from, part);
  const end = span === '*' || last === undefined ? field.max : value(field, last, part);
  if (end < start) throw wrong(field, part);
  return withinWeek(field, { start, end, step: Number(step) });
}

function value(field: Field, text: string, part: string): number {
  const named = field.names?.indexOf(text.toUpperCase()) ?? -1;
  const number = named >= 0 ? named + field.min : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  const max = field.key === 'dayOfWeek' ? 7 : field.max;
  if (!(number >= field.min && number <= max)) throw wrong(field, part);
  return number;
}

/** Sunday as 7 becomes 0. */
function withinWeek(field: Field, range: Range): Range[] {
  if (range.end <= field.max) return [range];
  const sunday = (range.end - range.start) % range.step === 0 ? [{ start: 0, end: 0, step: 1 }] : [];
  return range.start > field.max ? sunday : [{ ...range, end: field.max }, ...sunday];
}

function wrong({ noun, min, max, names }: Field, part: string): CronError {
  const named = names ? ` or ${names[0]} to ${names.at(-1)}` : '';
  return new CronError(
    `'${part}' is no ${noun}; allowed are ${min} to ${max}${named}, *, ranges such as ${names?.slice(1, 3).join('-') ?? '1-5'}, ` +
      'steps such as */2, and lists of them',
  );
}
