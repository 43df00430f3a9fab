/** Whose calls share a queue's places with whose. Imported by workflows: no Node built-ins here. */

/** A server refuses a longer one; bytes, not characters. */
const MOST_BYTES = 64;

/** The end of an ID, as far as a fairness key holds it. */
export function fairnessKeyOf(id: string): string {
  const bytes = new TextEncoder().encode(id);
  let from = Math.max(0, bytes.length - MOST_BYTES);
  // Not from the middle of a character.
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  return new TextDecoder().decode(bytes.subarray(from));
}
