import { clean } from './printable';

/**
 * Texts as literal Markdown (CommonMark, with the extensions of GitHub): what would be markup, HTML or a link is shown as
 * the characters it is made of.
 */

/** One line, for a heading or an item of a list. */
export const inline = (text: string): string => escapeLine(oneLine(text));

/** The text of a link. Without code: renderers disagree about brackets in it. */
export const linkText = (text: string): string => oneLine(text).replace(MARKUP, '\\$&');

/** One line for a cell of a table. In code there, renderers disagree about what a backslash before a pipe means. */
export const cell = (text: string): string => escapeLine(oneLine(text), (content) => content.replaceAll('|', '¦'));

const oneLine = (text: string) => clean(text).replace(/\s+/g, ' ').trim();

/** Paragraphs with their line breaks, each line behind `indent`. */
export const block = (text: string, indent = ''): string =>
  clean(text)
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) =>
      paragraph
        .split('\n')
        .map((line) => indent + escapeLine(line.trim()))
        .join('\\\n'),
    )
    .join('\n\n');

/** What is markup anywhere in a line. */
const MARKUP = /[\\`*_[\]{}<>&|~$]/g;

/**
 * A sentence of ours, in which `code` and *emphasis* are meant, and what it quotes is not: names, IDs and reasons that others
 * chose make no link, heading or HTML of it.
 */
export const prose = (text: string): string =>
  clean(text)
    .split('\n')
    .map((line) =>
      line
        .split(/(`[^`]*`)/)
        .map((part, i) => (i % 2 === 1 ? part : escapeLine(part, undefined, /[\\`_[\]{}<>&|~$]/g)))
        .join(''),
    )
    .join('\n');

function escapeLine(line: string, inCode = (content: string) => content, markup = MARKUP): string {
  return line
    .split(' ')
    .map((word) => (isLinkLike(word) ? code(inCode(word)) : word.replace(markup, '\\$&')))
    .join(' ')
    .replace(/^[#+=:-]|(?<=^\d{1,9})[.)]/, STARTS);
}

// What opens a heading, a list, a rule, the delimiters of a table or front matter does so at the start of a line only.
const STARTS = '\\$&';

/**
 * Renderers make links of bare addresses, some of them after escapes have been resolved (`cmark-gfm`: e-mail, `remark-gfm`:
 * all). In code none does, and the address can still be read and copied.
 */
const isLinkLike = (word: string) => /\/\/|@|^\W*(?:mailto|xmpp|tel):|[\p{L}\p{N}]\.\p{L}{2}/iu.test(word);

function code(content: string): string {
  const runs = content.match(/`+/g) ?? [];
  if (runs.length === 0) return `\`${content}\``;
  const fence = '`'.repeat(runs.reduce((most, { length }) => Math.max(most, length), 0) + 1);
  return `${fence} ${content} ${fence}`;
}
