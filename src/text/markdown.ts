import { clean } from './printable';

/**
 * Texts as literal Markdown (CommonMark, with the extensions of GitHub; and as the Web UI's server reads it): what would be
 * markup, HTML or a link is shown as the characters it is made of.
 */

/** One line, for a heading or an item of a list. */
export const inline = (text: string): string => escapeLine(oneLine(text));

/** The text of a link. Without code, and with brackets as entities: renderers disagree about brackets in it, also escaped ones. */
export const linkText = (text: string): string =>
  literal(oneLine(text)).replace(/\\([[\]])/g, (_, sign) => entity(sign));

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

/** What opens and ends code in a sentence; several backticks in a row do neither, since renderers disagree about them. */
const CODE = '(?<!`)`(?!`)[^`]+`(?!`)';
/** Words of the Web UI. */
const EMPHASIS = '(?<!\\*)\\*\\p{L}(?:[\\p{L} ]*\\p{L})?\\*(?!\\*)';
const MEANT = new RegExp(`(${CODE}|${EMPHASIS})`, 'u');

/**
 * A sentence of ours, in which `code` and *words* are meant, and what it quotes is not: of names, IDs and reasons that others
 * chose, no link, heading, image, HTML or list comes, and no line of its own.
 */
export const prose = (text: string): string =>
  joined(
    oneLine(text)
      .split(MEANT)
      .map((part, i) => (i % 2 === 0 ? escapeLine(part) : part.startsWith('*') ? part : codeSpan(part.slice(1, -1)))),
  );

/** Parts of a line in which code that follows upon code stays apart: else their backticks would become one delimiter. */
export const joined = (parts: readonly string[]): string =>
  parts.reduce(
    (before, part) => (before.endsWith('`') && part.startsWith('`') ? `${before} ${part}` : before + part),
    '',
  );

/** What is markup anywhere in a line. */
const MARKUP = /[\\`*_[\]{}<>&|~$]/g;
const entity = (sign: string): string => `&#${sign.charCodeAt(0)};`;
/** An entity for the backslash: renderers that look one character back take what follows two of them for escaped. */
const literal = (text: string): string => text.replace(MARKUP, (sign) => (sign === '\\' ? entity(sign) : `\\${sign}`));

function escapeLine(line: string, inCode = (content: string) => content): string {
  return line
    .split(' ')
    .map((word) => (isLinkLike(word) ? codeSpan(inCode(word)) : literal(word)))
    .join(' ')
    .replace(/^=/, entity)
    .replace(/^[#+:-]|(?<=^\d{1,9})[.)]/, STARTS);
}

// What opens a heading, a list, a rule, the delimiters of a table or front matter does so at the start of a line only.
const STARTS = '\\$&';

/**
 * Renderers make links of bare addresses, some of them after escapes have been resolved (`cmark-gfm`: e-mail, `remark-gfm`:
 * all). In code none does, and the address can still be read and copied.
 */
export const isLinkLike = (word: string): boolean =>
  /\/\/|@|(?<!\p{L})(?:mailto|xmpp|tel):|[\p{L}\p{N}]\.\p{L}{2}/iu.test(word);

/** The Web UI puts IDs into these, which anybody may choose, before it reads what is code. */
const PLACEHOLDER = /\{(namespace|workflowId|runId)\}/g;

/**
 * One line as code. A backtick in it gives way to one that only looks so, and a backslash does not stand at its end: renderers
 * disagree about where such code ends, inside of emphasis above all.
 */
export const codeSpan = (text: string): string =>
  `\`${text.replaceAll('`', 'ˋ').replace(/\\$/, '\\ ').replace(PLACEHOLDER, '\uFFFD$1\uFFFD')}\``;
