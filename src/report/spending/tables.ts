import { html, type Markup } from '../../text/printable';

type Cell = string | Markup;

export interface Figures {
  /** A class of the page. */
  readonly look?: 'tight' | 'first-wide';
  readonly head: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  readonly foot?: readonly Cell[];
  /** Columns of words beside the first: all others are figures, on the right. */
  readonly words?: readonly number[];
}

/** A table whose first column names the row. */
export function figures({ look = 'tight', head, rows, foot, words = [] }: Figures): Markup {
  const classOf = (column: number) => (column === 0 || words.includes(column) ? '' : 'n');
  const cells = (row: readonly Cell[]) =>
    row.map((value, column) => html`<td class="${classOf(column)}">${value}</td>`);
  return html`<div class="scroll"><table class="figures ${look}"><thead><tr>${head.map((name, column) => html`<th scope="col" class="${name === '' ? 'c-share' : classOf(column)}">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>${cells(row)}</tr>
`,
  )}</tbody>${foot === undefined ? undefined : html`<tfoot><tr>${cells(foot)}</tr></tfoot>`}</table></div>`;
}

/** A bar of so many hundredths of its cell. */
export const share = (hundredths: number): Markup =>
  html`<span class="share" style="--share:${Math.round(10 * Math.min(100, Math.max(0, hundredths))) / 10}"></span>`;

/** Instead of an empty table. */
export const missing = (sentence: string): Markup => html`<p class="missing">${sentence}</p>`;
