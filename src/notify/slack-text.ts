/** Texts for Slack, and for those that read messages as it does: they make links and mentions of plain text. */
import { isLinkLike } from '../text/markdown';
import { oneLine } from '../text/printable';

/** An address of ours, or a text in which nothing else is to be kept from Slack: `<!channel>` would call everybody. */
export const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** A text as code, in which nothing is a link, a mention or a format. Backticks would end it. */
export const asCode = (text: string): string => `\`${escaped(oneLine(text).replaceAll('`', '´'))}\``;

/**
 * A text on one line that links nowhere and calls nobody: whoever starts a run chooses its ID, and whoever answers it a name.
 * A word that Slack would make a link or a mention of is shown as code.
 */
export const slackText = (text: string): string =>
  oneLine(text)
    .split(' ')
    .map((word) => (isLinkLike(word) ? asCode(word) : escaped(word.replaceAll('`', '´'))))
    .join(' ');
