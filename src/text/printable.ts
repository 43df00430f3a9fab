/**
 * A text as it can stand in a document: one kind of line end; a control character, half a surrogate pair and a code point
 * that XML does not allow become U+FFFD, so that one sees that something was there. So does what turns the direction of
 * reading, and can make a text say something else than it does. What merely does not show is left out, but for the joiners
 * that belong to some scripts.
 */
export const clean = (text: string): string =>
  text
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n\t]|\p{Cs}|[\u202a-\u202e\u2066-\u2069\uFFFE\uFFFF]/gu, '\uFFFD')
    .replace(/[^\P{Cf}\u200c\u200d]/gu, '');

/** The text as one line that no terminal obeys, and that reads in the order in which it stands. */
export const oneLine = (text: string): string => clean(text.replace(/\p{Cf}/gu, '\uFFFD')).replaceAll('\n', ' ');

/** The text, or its beginning and `…`. Counts code points, so that no character is cut in two. */
export function clip(text: string, max: number): string {
  // At most two code units make a code point.
  const points = [...text.slice(0, 2 * max)];
  return text.length > 2 * max || points.length > max ? `${points.slice(0, max - 1).join('')}…` : text;
}

/** HTML or XML that is safe to place in a document. Only {@link html} and {@link trusted} make it. */
export class Markup {
  constructor(readonly source: string) {}
}

/** Markup from a constant of this project; never from data. */
export const trusted = (source: string): Markup => new Markup(source);

type Piece = string | number | Markup | undefined | readonly (Markup | undefined)[];

/** A template whose interpolated texts are escaped, so that data cannot become markup; `undefined` is left out. */
export const html = (parts: TemplateStringsArray, ...pieces: Piece[]): Markup =>
  new Markup(parts.reduce((before, part, index) => before + sourceOf(pieces[index - 1]) + part));

function sourceOf(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Markup) return piece.source;
  if (typeof piece === 'object') return piece.map((one) => one?.source ?? '').join('');
  return clean(String(piece)).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
