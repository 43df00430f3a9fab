/** Who said something, by more than their own word. */

export interface Vouched {
  /** What the client that sent it called itself, or empty; absent until that is known. */
  readonly identity?: string;
  /** Who it was by the server's own word, where it gives one. */
  readonly principal?: string;
}

type Write<T> = (parts: TemplateStringsArray, ...texts: string[]) => T;

const plain: Write<string> = (parts, ...texts) => parts.map((part, i) => part + (texts[i] ?? '')).join('');

/**
 * A name alone is what somebody says of themselves, and may hold brackets: the last ones are always ours.
 * @param write a tag that shows the texts as its reader takes them, such as `md`
 */
export function vouchedBy<T>({ identity, principal }: Vouched, write: Write<T>): T {
  if (principal !== undefined) return write`(the server says: ${principal})`;
  if (identity === undefined) return write`(client not known)`;
  return identity === '' ? write`(client without a name)` : write`(client: ${identity})`;
}

export const vouched = (who: Vouched): string => vouchedBy(who, plain);
