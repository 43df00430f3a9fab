/** Who said something, by more than their own word. */

export interface Vouched {
  /** What the client that sent it called itself, or empty; absent until that is known. */
  readonly identity?: string;
  /** Who it was by the server's own word, where it gives one. */
  readonly principal?: string;
}

/**
 * A name alone is what somebody says of themselves, and may hold brackets: the last ones are always ours.
 * @param shown text as its reader takes it, such as Markdown. Default: as it is
 */
export function vouched({ identity, principal }: Vouched, shown = (text: string): string => text): string {
  if (principal !== undefined) return `(the server says: ${shown(principal)})`;
  if (identity === undefined) return '(client not known)';
  return identity === '' ? '(client without a name)' : `(client: ${shown(identity)})`;
}
