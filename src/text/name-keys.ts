/** Comparing people's and businesses' names without letting them out of the process (S4). */
import { createHmac } from 'node:crypto';
import { bareText, plainText } from './plain-text';

/** Says which secret made a key, and nothing about it: keys of different secrets cannot be compared. */
export const keyId = (secret: string): string =>
  createHmac('sha256', secret).update('key id').digest('hex').slice(0, 8);

const plain = (name: string): string => plainText(name).toLowerCase();

/** Services show names in their own way: upper and lower case, and spaces do not count. */
export const isSameName = (one: string, other: string): boolean => plain(one) === plain(other);

/** Whether a name may be another one as a service shows it: without some of its signs, or its beginning alone. */
export function isLikeName(one: string, other: string): boolean {
  const [a, b] = [bareText(one), bareText(other)];
  if (a === '' || b === '') return isSameName(one, other);
  return a === b || (Math.min(a.length, b.length) >= CUT_NAME && (a.startsWith(b) || b.startsWith(a)));
}
/** Shorter beginnings are the same in too many names. */
const CUT_NAME = 10;

/**
 * A key that is equal for equal names and says nothing about them: an HMAC under a secret of this process's
 * configuration. Upper and lower case and spaces do not count.
 */
export function nameKey(secret: string, name: string | null | undefined): string | undefined {
  const text = plain(name ?? '');
  return text === '' ? undefined : createHmac('sha256', secret).update(text).digest('hex').slice(0, 20);
}
