/** Sentences as a page needs them. */

export const plainLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** With a capital letter and a full stop. */
export function sentence(text: string): string {
  const first = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?:]$/.test(first) ? first : `${first}.`;
}

/** JSON in a sentence becomes code, where it is not code already. */
export const withJsonAsCode = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll(/\{"[^{}]*\}/g, (json) => `\`${json}\``)))
    .join('');
