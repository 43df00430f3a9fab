/**
 * Markdown as the frame *Current Details* of the Web UI shows it whole (seen on UI 2.42.1): the frame is made as high as the
 * text has lines, without the margins of paragraphs, and without the lines that a long one takes when it wraps. Empty lines at
 * the end make room for them: they take none of it themselves.
 */

import type { Markdown } from './md';

/** Characters that fit into a line of the frame in a narrow window. */
const FIT = 88;
/** For the margins. */
const LEAST = 4;

/** Pure: replays make the same of it. */
export function withRoom({ source: markdown }: Markdown): string {
  const lines = markdown.split('\n');
  const wrapped = lines.reduce((sum, line) => sum + Math.floor(shownLength(line) / FIT), 0);
  const paragraphs = markdown.split(/\n\s*\n/).length;
  // Something has to stand at the end, or empty lines do not count.
  return `${markdown.trimEnd()}${'\n'.repeat(LEAST + wrapped + Math.ceil(paragraphs / 4))}\u00a0`;
}

/** Of a link only its text is shown. */
const shownLength = (line: string): number => line.replace(/\]\([^)]*\)/g, '').length;
