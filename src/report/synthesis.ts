import { clean, clip, html, type Markup } from '../text/printable';

/** The stored JSON has everything; a page shows what a person may want to read. */
const MOST = { depth: 6, entries: 600, characters: 2000 };

/** Any JSON as nested lists, bounded in depth and size; what is left out is counted. */
export function tree(value: unknown): Markup {
  const budget = { left: MOST.entries, omitted: 0 };
  const list = branch(value, 1, budget);
  const rest = budget.omitted > 0 ? html`<p class="missing">Not shown here: ${budget.omitted} more.</p>` : undefined;
  return html`${list}${rest}`;
}

function branch(value: unknown, depth: number, budget: { left: number; omitted: number }): Markup {
  if (typeof value !== 'object' || value === null)
    return html`<span dir="auto">${clip(clean(String(value)), MOST.characters)}</span>`;
  const entries = Object.entries(value);
  if (entries.length === 0) return html`<span class="missing">empty</span>`;
  const shown = depth > MOST.depth ? [] : entries.slice(0, budget.left);
  budget.left -= shown.length;
  budget.omitted += entries.length - shown.length;
  if (shown.length === 0) return html`…`;
  const items = shown.map(([key, inner]) => {
    const name = Array.isArray(value)
      ? undefined
      : html`<span class="label" dir="auto">${clip(words(key), 100)}:</span> `;
    return html`<li>${name}${branch(inner, depth + 1, budget)}</li>`;
  });
  return html`<ul>${items}</ul>`;
}

/** `quickWins` and `quick_wins` as `quick wins`. */
const words = (key: string) =>
  clean(key)
    .replaceAll('_', ' ')
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
