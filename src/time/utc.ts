/** A moment for people, as `2026-11-21 07:30:00`, in UTC. No number stops a run: what no date can hold is shown as the last one. */
export const utc = (ms: number): string => new Date(Math.min(ms, 8.64e15)).toISOString().replace('T', ' ').slice(0, 19);

/** The moment that comes after a wait of so many milliseconds, with its time zone: it is true however late it is read. */
export const utcIn = (ms: number): string => `${utc(Date.now() + ms)} UTC`;
