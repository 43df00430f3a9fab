/** The page of a run, which is written for the Web UI in Markdown, as text for a terminal. Pure. */

/** A line break, an escaped sign, code, a link, an entity, emphasis; in this order, since an escaped sign begins nothing. */
const MARKS =
  /\\\n|\\([!-/:-@[-`{-~])|(`+)([^`]|[^`][\s\S]*?[^`])\2(?!`)|\[((?:\\.|[^\\\]])*)\]\([^)]*\)|&#(\d{1,6});|(?<![\p{L}\p{N}])\*{1,2}(?=\S)|(?<=\S)\*{1,2}(?![\p{L}\p{N}])/gu;

/** Links lead within the Web UI only: their words stay. The last line, where to look next there, goes. */
export function pagesText(markdown: string): string {
  return markdown
    .replace(/^See also: .*$/m, '')
    .replace(MARKS, (mark, sign?: string, _fence?: string, code?: string, words?: string, entity?: string) => {
      if (mark === '\\\n') return '\n';
      if (code !== undefined) return `\`${code.trim()}\``;
      if (words !== undefined) return pagesText(words);
      if (entity !== undefined) return String.fromCodePoint(Number(entity));
      return sign ?? '';
    })
    .replace(/\u00a0/g, ' ')
    .replace(/[^\S\n]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
