/** A moment for people, as `2026-11-21 07:30:00`, in UTC. No number stops a run: what no date can hold is shown as the last one. */
export const utc = (ms: number): string => new Date(Math.min(ms, 8.64e15)).toISOString().replace('T', ' ').slice(0, 19);
