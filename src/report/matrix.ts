import { CATEGORIES, type Category } from '../audits/categories';
import { clip, html, type Markup, trusted } from '../text/printable';
import { GLYPH_STYLE, glyph, lookOf } from './glyph';
import { type Entry, isPlaced, type Placed } from './model';

/** The picture, what it has no room for, and what has no place in it. */
export interface Matrix {
  /** A complete SVG that also stands alone as a file; absent when nothing can be placed. */
  readonly svg: Markup | undefined;
  /** Entries behind a `+n`: their place, and all numbers there that are not drawn. */
  readonly crowded: readonly { impact: number; effort: number; numbers: readonly number[] }[];
  readonly unplaced: readonly Entry[];
}

const CELL = { width: 60, height: 54 };
const LEFT = 62;
const TOP = 10;
const WIDTH = 10 * CELL.width;
const HEIGHT = 10 * CELL.height;
/** More at one place would be too small to read. */
const MOST = 9;

/**
 * Impact over effort, 1 to 10 each. Scores are whole numbers by the document: a place is one square of the board, those
 * at the same place stand side by side in it, and a fraction stands in the nearest square.
 */
export function matrixOf(entries: readonly Entry[]): Matrix {
  const placed = entries.filter(isPlaced);
  const unplaced = entries.filter((entry) => !isPlaced(entry));
  if (placed.length === 0) return { svg: undefined, crowded: [], unplaced };
  const squares = new Map<string, Placed[]>();
  for (const entry of placed) {
    const key = `${Math.round(entry.effort)} ${Math.round(entry.impact)}`;
    squares.set(key, [...(squares.get(key) ?? []), entry]);
  }
  const crowded = [...squares.values()]
    .filter(({ length }) => length > MOST)
    .map((square) => ({ ...placeOf(square), numbers: square.slice(MOST - 1).map(({ number }) => number) }));
  return { svg: draw(placed, unplaced.length, [...squares.values()]), crowded, unplaced };
}

const placeOf = ([first]: readonly Placed[]) => ({
  effort: Math.round(first?.effort ?? 1),
  impact: Math.round(first?.impact ?? 1),
});
const xOf = (effort: number) => LEFT + (effort - 0.5) * CELL.width;
const yOf = (impact: number) => TOP + (10.5 - impact) * CELL.height;

const STYLE = `${GLYPH_STYLE}
.m-paper{fill:#fff}.m-line{stroke:#e3e7ec}.m-frame{fill:none;stroke:#aab3be}.m-text{fill:#3d4653}.m-soft{fill:#56606e}
.matrix text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
@media screen and (prefers-color-scheme:dark){.m-paper{fill:#1b2027}.m-line{stroke:#2c333c}.m-frame{stroke:#5a6572}.m-text{fill:#d6dce3}.m-soft{fill:#a9b3bf}}`;

function draw(placed: readonly Placed[], unplaced: number, squares: readonly (readonly Placed[])[]): Markup {
  const used = [...CATEGORIES, undefined].filter((category) => placed.some((entry) => entry.category === category));
  const perRow = used.length > 4 ? 3 : 4;
  const steps = Array.from({ length: 10 }, (_, index) => index + 1);
  const bottom = TOP + HEIGHT;
  const [width, height] = [LEFT + WIDTH + 10, bottom + 70 + 28 * Math.ceil(used.length / perRow)];
  return html`<svg class="matrix" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="matrix-title" aria-describedby="matrix-desc">
<title id="matrix-title">Opportunity matrix: impact over effort</title>
<desc id="matrix-desc">${describe(placed, unplaced)}</desc>
<style>${trusted(STYLE)}</style>
<rect class="m-paper" width="100%" height="100%" rx="6"/>
${steps.slice(1).map((step) => {
  const [x, y] = [xOf(step) - CELL.width / 2, yOf(step) + CELL.height / 2];
  return html`<path class="m-line" d="M${x} ${TOP}V${bottom}M${LEFT} ${y}H${LEFT + WIDTH}"/>`;
})}
<rect class="m-frame" x="${LEFT}" y="${TOP}" width="${WIDTH}" height="${HEIGHT}"/>
<g class="m-soft" font-size="16" text-anchor="middle">
${steps.map((step) => html`<text x="${xOf(step)}" y="${bottom + 21}">${step}</text><text x="${LEFT - 15}" y="${yOf(step)}" dy=".36em">${step}</text>`)}
</g>
<g class="m-text" font-size="17" font-weight="600" text-anchor="middle">
<text x="${LEFT + WIDTH / 2}" y="${bottom + 47}">Effort →</text>
<text transform="translate(20 ${TOP + HEIGHT / 2}) rotate(-90)">Impact →</text>
</g>
${squares.map(drawSquare)}
${legend(used, perRow, bottom + 76)}
</svg>`;
}

/** Columns and rows of a square's shapes, and half of a shape's width. */
function gridOf(count: number): { columns: number; rows: number; radius: number } {
  if (count === 1) return { columns: 1, rows: 1, radius: 18 };
  if (count === 2) return { columns: 2, rows: 1, radius: 14 };
  if (count <= 4) return { columns: 2, rows: 2, radius: 12.5 };
  return { columns: 3, rows: count <= 6 ? 2 : 3, radius: count <= 6 ? 9 : 8 };
}

function drawSquare(square: readonly Placed[]): Markup {
  const { effort, impact } = placeOf(square);
  const shown = square.length > MOST ? square.slice(0, MOST - 1) : square;
  const { columns, rows, radius } = gridOf(square.length);
  const at = (index: number): [number, number] => [
    round(xOf(effort) + (((index % columns) + 0.5) / columns - 0.5) * (CELL.width - 2)),
    round(yOf(impact) + ((Math.floor(index / columns) + 0.5) / rows - 0.5) * (CELL.height - 2)),
  ];
  const points = shown.map((entry, index) => {
    const words = `${entry.number}. ${clip(entry.title, 120)} — impact ${entry.impact}, effort ${entry.effort}, ${lookOf(entry.category).label}`;
    return html`<g class="point"><title>${words}</title>${glyph(entry.category, `${entry.number}`, ...at(index), radius)}</g>
`;
  });
  if (shown.length === square.length) return html`${points}`;
  const [x, y] = at(MOST - 1);
  return html`${points}<text class="m-text" x="${x}" y="${y}" dy=".36em" font-size="9" font-weight="700" text-anchor="middle">+${square.length - shown.length}</text>`;
}

function legend(used: readonly (Category | undefined)[], perRow: number, top: number): Markup {
  return html`<g class="m-text" font-size="16">${used.map((category, index) => {
    const x = 22 + (index % perRow) * ((LEFT + WIDTH) / perRow);
    const y = top + 28 * Math.floor(index / perRow);
    return html`${glyph(category, '', x, y, 10)}<text x="${x + 16}" y="${y}" dy=".36em">${lookOf(category).label}</text>`;
  })}</g>`;
}

function describe(placed: readonly Placed[], unplaced: number): string {
  const shown = placed.slice(0, 40).map(({ number, title, impact, effort }) => {
    return `${number}. ${clip(title, 80)}: impact ${impact}, effort ${effort}`;
  });
  const more = placed.length - shown.length;
  return [
    `Effort from 1 to 10 to the right, impact from 1 to 10 upwards. Placed: ${placed.length}; not placed: ${unplaced}.`,
    ...shown,
    ...(more > 0 ? [`${more} more are in the table of opportunities`] : []),
  ].join('\n');
}

const round = (value: number) => Math.round(value * 10) / 10;
