/** When a run goes on by itself, as its page says; not when it was tried last. */
const AT =
  /(?:(?<!Tried )again|if need be,|goes on|go on by themselves|is sent) at (\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?) UTC/;

/** That moment, milliseconds; undefined where it says none. */
export function goesOnAt(waiting = ''): number | undefined {
  const [, day, time] = AT.exec(waiting) ?? [];
  return day === undefined ? undefined : Date.parse(`${day}T${time}Z`);
}

/** How long that is from now, milliseconds, to the second. */
export function goesOnIn(waiting?: string): number | undefined {
  const at = goesOnAt(waiting);
  return at === undefined ? undefined : at - Date.now();
}

/** Whether a text has what no person is to read: a value that is missing, or a full stop too many. */
export const isGarbled = (text = ''): boolean => /\bundefined\b|\bNaN\b|\[object |[^.]\.\.(?!\.)/.test(text);
