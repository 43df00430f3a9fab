/** What was spent: by day, by pipeline, by batch. */

import { clip, html, type Markup } from '../../text/printable';
import { formatDuration } from '../../time/duration';
import { utc } from '../../time/utc';
import { type AccountSpending, type DaySpending, sum } from './facts';
import { partsOf } from './parts';
import { figures, missing } from './tables';
import { credits, spelled } from './words';

export const isAnything = ({ booked, sources }: DaySpending) => booked === null || booked !== 0 || sources.length > 0;

/** A row for each day on which something was spent, the latest first. */
export function dayTable({ days, perDay }: AccountSpending): Markup {
  const parts = partsOf(days);
  const ofCap = (booked: number | null) =>
    perDay === null || perDay === 0 || booked === null ? [] : [`${Math.round((100 * booked) / perDay)} %`];
  const hasCap = perDay !== null && perDay > 0;
  const some = (value: number) => (value === 0 ? html`<span class="ok">–</span>` : credits(value));
  const rows = days
    .filter(isAnything)
    .map((day) => [
      html`<span class="day">${day.day}</span>`,
      html`<b>${day.booked === null ? 'not known' : credits(day.booked)}</b>`,
      ...(hasCap ? [ofCap(day.booked)[0] ?? '–'] : []),
      ...parts.map(({ of }) => some(of(day))),
      some(day.conversions),
    ]);
  return figures({
    look: 'tight',
    head: [
      'Day',
      'Credits',
      ...(hasCap ? ['Of the cap'] : []),
      ...parts.map(({ name }) => html`<span class="name">${clip(name, 40)}</span>`),
      'Conversions',
    ],
    rows: rows.reverse(),
    foot: [
      'Sum',
      credits(sum(days.map(({ booked }) => booked ?? 0))),
      ...(hasCap ? [''] : []),
      ...parts.map(({ of }) => credits(sum(days.map(of)))),
      credits(sum(days.map(({ conversions }) => conversions))),
    ],
  });
}

export function pipelines({ pipelines: all }: AccountSpending): Markup {
  if (all.length === 0) return missing('No pipeline ran in the period.');
  return figures({
    head: ['Pipeline', 'Runs', 'Under way', 'Converted', 'Credits', 'Credits a conversion'],
    rows: all.map(({ name, runs, underWay, read, converted, credits: spent }) => {
      const isAll = read === runs;
      return [
        name === undefined ? 'started by hand' : html`<b>${clip(name, 80)}</b>`,
        ...[credits(runs), credits(underWay), `${isAll ? '' : 'at least '}${credits(converted)}`, credits(spent)],
        isAll && converted > 0 ? credits(Math.round(spent / converted)) : '–',
      ];
    }),
  });
}

export function batches({ batches: all }: AccountSpending): Markup {
  if (all.length === 0) return missing('No batch ran in the period.');
  return figures({
    look: 'first-wide',
    head: ['Batch', 'Ended', 'Items', 'What became of them', 'Credits'],
    words: [1, 3],
    rows: all.map(({ id, operation, startedAt, endedAt, ended, items, counts, credits: spent }) => [
      html`<span class="id">${clip(id, 120)}</span><br><span class="ok">${operation === undefined ? undefined : html`${operation}, `}<span class="day">begun ${utc(startedAt)}</span></span>`,
      html`${spelled(ended)}${endedAt === undefined ? undefined : html`<br><span class="ok day">after ${formatDuration(endedAt - startedAt)}</span>`}`,
      items === undefined ? '–' : credits(items),
      Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([outcome, count]) => `${credits(count)} ${spelled(outcome)}`)
        .join(', ') || '–',
      spent === undefined ? '–' : credits(spent),
    ]),
  });
}
