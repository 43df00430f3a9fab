/** When a run goes on by itself, as its page says. */
const AT = /again at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/;

/** How long that is from now, milliseconds, to the second; undefined where it says no such moment. */
export function goesOnIn(waiting = ''): number | undefined {
  const [, day, time] = AT.exec(waiting) ?? [];
  return day === undefined ? undefined : Date.parse(`${day}T${time}Z`) - Date.now();
}
