import type { Category } from '../audits/categories';
import { html, type Markup } from '../text/printable';

/** A category as a report shows it: told apart by its shape, its fill and its word, not by colour alone. */
interface Look {
  readonly label: string;
  readonly className: string;
  readonly shape: 'circle' | 'square' | 'diamond';
}

const LOOKS: Record<Category, Look> = {
  quick_wins: { label: 'Quick wins', className: 'quick', shape: 'circle' },
  big_swings: { label: 'Big swings', className: 'big', shape: 'square' },
  nice_to_haves: { label: 'Nice to haves', className: 'nice', shape: 'diamond' },
  deprioritize: { label: 'Deprioritize', className: 'less', shape: 'circle' },
};
const NONE: Look = { label: 'No category given', className: 'none', shape: 'square' };

export const lookOf = (category: Category | undefined): Look => (category === undefined ? NONE : LOOKS[category]);

/** Colours of the shapes: a number has a contrast of 4.5 or more to its shape, a shape of 3 or more to the paper. */
export const GLYPH_STYLE = `
.g-quick{fill:#00796b}.g-big{fill:#4b3fb5}.g-nice{fill:#b8500a}
.g-less,.g-none{fill:#fff;stroke:#56606e;stroke-width:2}.g-none{stroke-dasharray:3 2.5}
.g-text{fill:#fff;font-weight:700;text-anchor:middle}
.g-text-less,.g-text-none{fill:#3d4653}
@media screen and (prefers-color-scheme:dark){
.g-quick{fill:#45c2ad}.g-big{fill:#a79dff}.g-nice{fill:#f0a05c}.g-text{fill:#12161b}
.g-less,.g-none{fill:#1b2027;stroke:#a9b3bf}.g-text-less,.g-text-none{fill:#d6dce3}}`;

/** A numbered shape around a point of an SVG; `radius` is half of its width. */
export function glyph(category: Category | undefined, label: string, x: number, y: number, radius: number): Markup {
  const { className, shape } = lookOf(category);
  const kind = `g-${className}`;
  const size = Math.round(radius * (label.length < 2 ? 1.15 : label.length < 3 ? 1.05 : 0.74) * 10) / 10;
  return html`${shapeOf(shape, kind, x, y, radius)}<text class="g-text g-text-${className}" x="${x}" y="${y}" dy=".36em" font-size="${size}">${label}</text>`;
}

function shapeOf(shape: Look['shape'], kind: string, x: number, y: number, radius: number): Markup {
  if (shape === 'circle') return html`<circle class="${kind}" cx="${x}" cy="${y}" r="${radius * 0.95}"/>`;
  const half = shape === 'square' ? radius * 0.87 : radius * 0.72;
  const turn = shape === 'diamond' ? html` transform="rotate(45 ${x} ${y})"` : undefined;
  return html`<rect class="${kind}" x="${x - half}" y="${y - half}" width="${2 * half}" height="${2 * half}" rx="${radius * 0.2}"${turn}/>`;
}
