/**
 * What pages of the Web UI are written in: Markdown that only the texts of this project make up. A text from outside (a name, an
 * ID, a reason, what somebody says) is shown as it stands wherever it is put in, and can be no link, heading, image, HTML or
 * list. Pure: workflows write with it.
 */
import { codeSpan, inline, joined, prose } from './markdown';
import { clean } from './printable';

/** Markdown that may be shown. Made by {@link md}, and by the functions beside it, alone. */
export class Markdown {
  constructor(readonly source: string) {}
}

type Piece = string | number | Markdown | undefined;

/** Our own words, with texts put in as they stand, on one line each; `undefined` is left out. */
export const md = (parts: TemplateStringsArray, ...pieces: Piece[]): Markdown =>
  new Markdown(joined(parts.flatMap((part, i) => (i === 0 ? [part] : [sourceOf(pieces[i - 1]), part]))));

function sourceOf(piece: Piece): string {
  if (piece === undefined) return '';
  return piece instanceof Markdown ? piece.source : inline(String(piece));
}

/** A sentence of ours in which `code` is meant, with whatever it quotes. */
export const sentence = (text: string): Markdown => new Markdown(prose(text));

/** An ID, a command, what is to be typed: in one line of code. */
export const code = (text: string): Markdown => new Markdown(codeSpan(clean(text).replace(/\s+/g, ' ').trim()));

/** One after the other, with an empty line between two; what is empty or absent is left out. */
export const paragraphs = (parts: readonly (Markdown | undefined)[]): Markdown =>
  new Markdown(parts.flatMap((part) => part?.source || []).join('\n\n'));

/** After an empty line: else the Web UI runs a list into the line before it. Without items there is no heading either. */
export const bullets = (heading: Markdown | undefined, items: readonly Markdown[]): Markdown | undefined =>
  items.length === 0
    ? undefined
    : paragraphs([heading, new Markdown(items.map(({ source }) => `- ${source}`).join('\n'))]);

/** In one line, such as `a, b, c`. */
export const inRow = (items: readonly Markdown[], between = ', '): Markdown =>
  new Markdown(items.map(({ source }) => source).join(between));
