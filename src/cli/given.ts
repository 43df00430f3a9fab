/** How a command shows a value of a file that a person keeps: short, and without personal data or a token (S4). */

const LONGEST = 60;

/** Hides e-mail-like values, international phone numbers and tokens. */
function mask(text: string): string {
  return text
    .split(/([\s"'<>,;:(){}[\]]+)/)
    .map((part) => (/@|%40/.test(part) ? '***@***' : part.replace(/aky_\w+/g, 'aky_***')))
    .join('')
    .replace(/\+\d[\d ()./-]{5,}\d/g, '+***');
}

/** Masked before it is cut, or half an address could stay readable; cut between characters, not inside one. */
function short(text: string, longest: number): string {
  const masked = mask(text);
  return masked.length <= longest ? masked : `${masked.slice(0, longest - 1).replace(/\p{Cs}$/u, '')}…`;
}

/** A value as a person wrote it, at most 60 characters. */
export function given(value: unknown): string {
  if (typeof value === 'string') return `'${short(JSON.stringify(value).slice(1, -1), LONGEST - 2)}'`;
  if (typeof value === 'number') return String(value);
  return short(JSON.stringify(value) ?? String(value), LONGEST);
}
