/** Texts as they were before a service wrote them in its own way: what is compared, and never what is sent. Pure. */

const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', lsqb: '[', lbrack: '[', rsqb: ']', rbrack: ']' },
  ...{
    lowbar: '_',
    hyphen: '-',
    dash: '-',
    period: '.',
    num: '#',
    ast: '*',
    sol: '/',
    bsol: '\\',
    lpar: '(',
    rpar: ')',
  },
};

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi;

function character(decimal?: string, hex?: string, name?: string): string | undefined {
  if (name !== undefined) return NAMED[name.toLowerCase()];
  const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}

/** Escaped again on its way through several layers: this often at most. */
const LAYERS = 3;

/** Without HTML entities, tags, Markdown's backslashes, signs that do not show, and differences of white space. */
export function plainText(text: string): string {
  let decoded = text;
  for (let layer = 0; layer < LAYERS; layer++)
    decoded = decoded.replace(ENTITY, (entity, ...parts: string[]) => character(...parts) ?? entity);
  return decoded
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** Letters and digits alone, in lower case. */
export const bareText = (text: string): string =>
  plainText(text)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** How much of it may be somebody else's words before a text counts as another one. */
const SHARED = 0.5;
/** Shorter beginnings are no sign that a text was cut. */
const SHORTEST_CUT = 3;

/**
 * What a text that a service shows says of ours. `unreadable`: nothing, a part of ours, ours with more around it, or ours
 * with some words changed; it proves neither.
 */
export function likeness(shown: string | null | undefined, ours: string): 'same' | 'unreadable' | 'other' {
  const theirs = plainText(shown ?? '');
  if (theirs === plainText(ours) && theirs !== '') return 'same';
  const [one, other] = [bareText(theirs), bareText(ours)];
  if (one === '' || one === other) return 'unreadable';
  if (other === '') return 'other';
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length >= SHORTEST_CUT && long.includes(short)) return 'unreadable';
  const words = (text: string) =>
    new Set(
      plainText(text)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    );
  const [said, sought] = [words(theirs), words(ours)];
  const shared = [...said].filter((word) => sought.has(word)).length;
  return shared >= SHARED * Math.min(said.size, sought.size) ? 'unreadable' : 'other';
}
