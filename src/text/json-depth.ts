/** How deep JSON from outside may be nested. What recurses over more of it runs out of stack, again at each try. Pure. */

/** Levels of objects and lists; nothing that the API or an input knows has a tenth of it. */
export const MOST_LEVELS = 100;

/** Whether a value has more levels. Does not recurse. */
export function isTooDeep(value: unknown, most: number = MOST_LEVELS): boolean {
  let level = nested([value]);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((one) => nested(Object.values(one)));
  }
  return false;
}

const nested = (values: readonly unknown[]): object[] =>
  values.filter((one): one is object => typeof one === 'object' && one !== null);
