/** What was spent beside what may be: of a day, of each calendar month, of one run. */
import type { Markup } from '../../text/printable';
import { type AccountSpending, sum } from './facts';
import { figures, share } from './tables';
import { credits } from './words';

interface Row {
  readonly what: string;
  /** Null: no limit. */
  readonly cap: number | null;
  /** Undefined: nothing tells. */
  readonly spent: number | undefined;
  /** It may have been more. */
  readonly atLeast?: boolean;
}

export function caps(one: AccountSpending): Markup {
  const rows = [...dayRows(one), ...monthRows(one), ...runRows(one)];
  return figures({
    head: ['Cap', 'Spent', 'At most', 'Of the cap', ''],
    words: [4],
    rows: rows.map(({ what, cap, spent, atLeast }) => {
      const part = cap === null || cap === 0 || spent === undefined ? undefined : (100 * spent) / cap;
      return [
        what,
        spent === undefined ? 'not known' : `${atLeast ? 'at least ' : ''}${credits(spent)}`,
        cap === null ? 'no cap' : credits(cap),
        part === undefined ? '–' : `${Math.round(part)} %`,
        part === undefined ? '' : share(part),
      ];
    }),
  });
}

function dayRows({ days, perDay }: AccountSpending): Row[] {
  const highest = days.reduce((most, { booked }) => Math.max(most, booked ?? 0), 0);
  const day = days.findLast(({ booked }) => booked !== null && booked > 0 && booked === highest)?.day;
  const isAll = days.every(({ booked }) => booked !== null);
  return [
    { what: 'Today', cap: perDay, spent: days.at(-1)?.booked ?? undefined },
    {
      what: day === undefined ? 'The highest day' : `The highest day, ${day}`,
      cap: perDay,
      spent: highest,
      atLeast: !isAll,
    },
  ];
}

function monthRows({ days, perMonth }: AccountSpending): Row[] {
  if (perMonth === undefined) return [];
  const months = [...new Set(days.map(({ day }) => day.slice(0, 7)))];
  return months.map((month) => {
    const own = days.filter(({ day }) => day.startsWith(month));
    const isWhole = own[0]?.day === `${month}-01` && own.every(({ booked }) => booked !== null);
    const spent = sum(own.map(({ booked }) => booked ?? 0));
    return { what: `The month ${month}`, cap: perMonth, spent, atLeast: !isWhole };
  });
}

function runRows({ pipelines, batches, perRun }: AccountSpending): Row[] {
  if (perRun === undefined) return [];
  const known = [
    ...pipelines.flatMap(({ dearest }) => dearest ?? []),
    ...batches.flatMap(({ credits: spent }) => spent ?? []),
  ];
  return [
    {
      what: 'The dearest pipeline run or batch',
      cap: perRun,
      spent: known.length === 0 ? undefined : Math.max(...known),
    },
  ];
}

/** Whether there is anything to compare with. */
export const hasCaps = ({ perDay, perMonth = null, perRun = null }: AccountSpending): boolean =>
  perDay !== null || perMonth !== null || perRun !== null;
