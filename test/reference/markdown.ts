/** Pieces of Markdown. */
import { plainLine } from './words';

/** In a table a bar would end the cell. */
const cell = (text: string) => plainLine(text).replaceAll('|', '\\|');

/** A table; columns in which no row has anything are left out. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const used = head.map((_, i) => rows.some((row) => row[i]));
  const line = (cells: readonly string[]) =>
    `| ${cells
      .filter((_, i) => used[i])
      .map(cell)
      .join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A page: its parts, an empty line between two of them, and where it is made. */
export const page = (title: string, ...parts: readonly string[]): string =>
  [`# ${title}`, '<!-- Made by `npm run reference` from the code. What is changed here is lost. -->', ...parts]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');

export const code = (text: string): string => `\`${text}\``;

export const block = (text: string, language = 'text'): string => `\`\`\`${language}\n${text}\n\`\`\``;
