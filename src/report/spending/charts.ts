/** The report's pictures: days as stacked bars, holds on a time line. */

import { clip, html, type Markup } from '../../text/printable';
import { utc } from '../../time/utc';
import { type AccountSpending, type Holds, sum } from './facts';
import { partsOf } from './parts';
import { credits } from './words';

const [WIDTH, HEIGHT, LEFT, TOP] = [880, 230, 64, 14];
const PLOT = WIDTH - LEFT - 8;

/** A round number at or above a value, in fourths that are round too. */
function ceilingOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(4, most)));
  return ([1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8].find((step) => step * power >= most) ?? 10) * power;
}

const round = (value: number) => Math.round(value * 10) / 10;

/** The cap is drawn in scale up to so many times of what was spent; else the bars would be too low to be seen. */
const CAP_IN_SCALE = 3;

/** @param id tells pictures of one page apart */
export function dayChart({ days, perDay }: AccountSpending, id: string): Markup {
  const parts = partsOf(days);
  const bars = days.map((day) => ({
    day,
    segments: parts.map((part) => ({ ...part, spent: part.of(day) })).filter(({ spent }) => spent > 0),
  }));
  const highest = Math.max(0, ...bars.map(({ segments }) => sum(segments.map(({ spent }) => spent))));
  const isCapShown = perDay !== null && perDay > 0 && perDay <= CAP_IN_SCALE * highest;
  const top = ceilingOf(Math.max(highest, isCapShown ? perDay * 1.02 : 0));
  const yOf = (value: number) => round(TOP + HEIGHT * (1 - value / top));
  const step = PLOT / Math.max(1, days.length);
  const width = Math.max(1, Math.min(46, step * 0.72));
  const every = Math.ceil(days.length / 11);
  return html`<figure><svg class="chart" viewBox="0 0 ${WIDTH} ${TOP + HEIGHT + 26}" role="img" aria-labelledby="${id}-title">
<title id="${id}-title">Credits spent by day; the table below has the figures</title>
${[0, 1, 2, 3, 4].map((fourth) => {
  const [value, y] = [(top * fourth) / 4, yOf((top * fourth) / 4)];
  return html`<path class="grid" d="M${LEFT} ${y}H${WIDTH - 8}"/><text class="axis" x="${LEFT - 8}" y="${y}" dy=".34em" text-anchor="end">${credits(value)}</text>`;
})}
${bars.map(({ day, segments }, index) => {
  const x = LEFT + step * (index + 0.5);
  let below = 0;
  const drawn = segments.map(({ look, name, spent }) => {
    const [low, high] = [yOf(below), yOf(below + spent)];
    below += spent;
    return html`<rect class="${look}" x="${round(x - width / 2)}" y="${high}" width="${round(width)}" height="${round(Math.max(0.8, low - high))}"><title>${day.day}, ${clip(name, 80)}: ${credits(spent)}</title></rect>`;
  });
  const label = html`<text class="axis" x="${round(x)}" y="${TOP + HEIGHT + 19}" text-anchor="middle">${shortDay(day.day)}</text>`;
  return html`${drawn}${day.booked === null ? unknownDay(x, yOf(below)) : undefined}${index % every === 0 ? label : undefined}
`;
})}
${isCapShown ? html`<path class="cap" d="M${LEFT} ${yOf(perDay)}H${WIDTH - 8}"/><text class="cap-text" x="${WIDTH - 10}" y="${yOf(perDay) - 6}" text-anchor="end">cap ${credits(perDay)} a day</text>` : undefined}
</svg>
<figcaption>${parts.map(({ look, name }) => html`<span class="key"><svg viewBox="0 0 12 12" aria-hidden="true"><rect class="${look}" width="12" height="12" rx="2"/></svg>${clip(name, 60)}</span>`)}${
    perDay === null
      ? html`<span>No cap on a day.</span>`
      : isCapShown
        ? undefined
        : html`<span>The cap of ${credits(perDay)} a day lies far above the picture.</span>`
  }</figcaption></figure>`;
}

/** What is drawn there is not all. */
const unknownDay = (x: number, bottom: number) =>
  html`<text class="axis" x="${round(x)}" y="${bottom - 6}" text-anchor="middle">?</text>`;

/** `21 Nov`. */
export const shortDay = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const LANE = 30;
/** A hold of a minute in a month is still to be seen. */
const LEAST_WIDTH = 3;

/** A lane for each kind of hold. @param label what a kind is called */
export function holdChart(
  { spans, knownFrom }: Holds,
  [since, until]: readonly [number, number],
  label: (kind: string) => string,
  id: string,
): Markup {
  const kinds = [...new Set(spans.map(({ kind }) => kind))];
  const left = 150;
  const plot = WIDTH - left - 8;
  const xOf = (at: number) =>
    round(left + (plot * (Math.min(until, Math.max(since, at)) - since)) / Math.max(1, until - since));
  const bottom = TOP + LANE * kinds.length;
  const marks = [0, 1, 2, 3, 4].map((fourth) => since + ((until - since) * fourth) / 4);
  const unknownTo = knownFrom === undefined ? until : knownFrom;
  return html`<figure><svg class="chart" viewBox="0 0 ${WIDTH} ${bottom + 26}" role="img" aria-labelledby="${id}-title">
<title id="${id}-title">Holds of the account over time; the table below has them</title>
${unknownTo > since ? html`<rect class="unknown" x="${left}" y="${TOP}" width="${round(Math.max(0, xOf(unknownTo) - left))}" height="${bottom - TOP}"><title>Not known</title></rect>` : undefined}
${marks.map((at, index) => html`<path class="grid" d="M${xOf(at)} ${TOP}V${bottom}"/><text class="axis" x="${xOf(at)}" y="${bottom + 19}" text-anchor="${index === 4 ? 'end' : index === 0 ? 'start' : 'middle'}">${shortDay(utc(at).slice(0, 10))} ${utc(at).slice(11, 16)}</text>`)}
${kinds.map((kind, lane) => {
  const y = TOP + LANE * lane;
  const shown = spans.filter((one) => one.kind === kind);
  return html`<text class="axis" x="${left - 10}" y="${y + LANE / 2}" dy=".34em" text-anchor="end">${clip(label(kind), 24)}</text><path class="grid" d="M${left} ${y + LANE}H${WIDTH - 8}"/>
${shown.map(({ from, to }) => html`<rect class="hold" x="${Math.min(xOf(from), WIDTH - 8 - LEAST_WIDTH)}" y="${y + 6}" width="${round(Math.max(LEAST_WIDTH, xOf(to ?? until) - xOf(from)))}" height="${LANE - 12}" rx="2"><title>${label(kind)}: ${utc(from)} to ${to === undefined ? 'now' : utc(to)} UTC</title></rect>`)}`;
})}
</svg></figure>`;
}
