/** Services that do not keep what they are sent as it was: by which of our marks a thing can still be known. */
import { z } from 'zod';

const Text = z.enum(['kept', 'stripped', 'escaped', 'cut', 'omitted']).default('kept');

/**
 * What a service shows of a text: as it was sent, without what stands in brackets, with HTML entities and Markdown's
 * backslashes, its first characters, or nothing. Of a document's name: as it was, in capitals, without its ending, or one
 * of the service's own.
 */
export const Marks = z.strictObject({
  descriptions: Text,
  notes: Text,
  documents: z.enum(['kept', 'upper', 'bare', 'renamed']).default('kept'),
});
export type Marks = z.output<typeof Marks>;

const CUT = 12;

/** @returns nothing where the text is not shown at all */
export function shownText<K extends string>(
  key: K,
  text: string | null,
  how: Marks['notes'],
): { [key in K]?: unknown } {
  const shown = (value: string | null) => ({ [key]: value }) as { [key in K]: unknown };
  switch (how) {
    case 'kept':
      return shown(text);
    case 'stripped':
      return shown(text?.replace(/\[[^\]]*\]/g, '').trim() ?? null);
    case 'escaped':
      return shown(
        text
          ?.replace(/[-*_#]/g, '\\$&')
          .replaceAll('&', '&amp;')
          .replaceAll('[', '&#91;')
          .replaceAll(']', '&#x5D;')
          .replaceAll('<', '&lt;') ?? null,
      );
    case 'cut':
      return shown(text && text.length > CUT ? `${text.slice(0, CUT)}…` : text);
    case 'omitted':
      return {};
  }
}

export function shownName(fileName: string, id: string, how: Marks['documents']): string {
  switch (how) {
    case 'kept':
      return fileName;
    case 'upper':
      return fileName.toUpperCase();
    case 'bare':
      return fileName.replace(/\.[^.]*$/, '');
    case 'renamed':
      return `upload-${id}`;
  }
}
