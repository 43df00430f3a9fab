/** Texts for a terminal. What others have chosen (IDs, names, reasons, replies) may hold what a terminal obeys. */

const ESCAPE = String.fromCharCode(27);
/** The few styles that are ours: bold, dim, and a colour that can be read on both a light and a dark ground. */
const OUR_STYLES = new RegExp(`(${ESCAPE}\\[(?:0|1|2|22|3[1-69]|41|49|90)m)`);
/** Control characters but for line ends and tabs, and what turns or hides text; joiners are part of some scripts. */
const OBEYED = /[^\P{Cc}\n\t]|[^\P{Cf}\u200c\u200d]/gu;

/** The text as a terminal shows it and nothing more. */
export const forTerminal = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .split(OUR_STYLES)
    .map((part, n) => (n % 2 === 1 ? part : part.replace(OBEYED, '\uFFFD')))
    .join('');

/** JSON with the same value, in which nothing is obeyed. */
export const jsonForTerminal = (json: string): string =>
  json.replace(OBEYED, (sign) =>
    Array.from({ length: sign.length }, (_, n) => `\\u${sign.charCodeAt(n).toString(16).padStart(4, '0')}`).join(''),
  );
