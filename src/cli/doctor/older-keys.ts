/** Whether an older encryption key can go. */
import type { KeysFound } from '../../temporal/keys-in-use';
import { grouped } from '../../text/numbers';

/** That are named, of what needs a key. */
const NAMED = 5;

/** @returns `isKnown`: false where something that was not looked at may need a key which nothing else needs */
export function describeOlderKeys(
  older: readonly string[],
  { keys, looked, left }: KeysFound,
): { words: string; isKnown: boolean } {
  const none =
    left === 0
      ? 'no open run and no schedule'
      : `no schedule and by none of the ${grouped(looked)} oldest open runs; there was no time to look at the other ${grouped(left)}, and any of them may need it: keep the key, and look again when fewer are open`;
  const words = older.map((key) => {
    const needing = keys.get(key) ?? [];
    const rest = needing.length > NAMED ? ` and ${grouped(needing.length - NAMED)} more` : '';
    return `; key ${key} is needed by ${needing.length === 0 ? none : `${needing.slice(0, NAMED).join(', ')}${rest}`}`;
  });
  return { words: words.join(''), isKnown: left === 0 || older.every((key) => keys.has(key)) };
}
