/** Which analysis of a project an audit is waiting for: GET shows the latest one only, and may show the one before for a while. Pure. */

/** The latest analysis of a project, without its content. */
export interface AnalysisSeen {
  /** `none`: never run. A word that is not known counts as running. */
  state: 'none' | 'running' | 'complete' | 'failed';
  id?: string;
  createdAt?: string;
  updatedAt?: string;
}

/**
 * Whether an analysis is another one than what was there before, and not an older one behind it. One that was running
 * before counts as new: it had not ended.
 * @returns undefined when nothing that the service shows tells
 */
export function isNew(now: AnalysisSeen, before: AnalysisSeen): boolean | undefined {
  if (now.state === 'none') return false;
  if (before.state === 'none') return true;
  const later = Date.parse(now.createdAt ?? '') - Date.parse(before.createdAt ?? '');
  if (later !== 0 && !Number.isNaN(later)) return later > 0;
  if (now.id !== undefined && before.id !== undefined && now.id !== before.id) return true;
  if (before.state === 'running') return true;
  return later === 0 || (now.id !== undefined && now.id === before.id) ? false : undefined;
}

/** What was there before an audit was started. */
export interface Before {
  /** Before the first start of the run: an analysis completed since is the result, whichever start it came of. */
  firstStart: AnalysisSeen;
  /** Before this start: what failed until then is no failure of this one. */
  thisStart: AnalysisSeen;
}

/** Whether an analysis came of the run's starts. @returns undefined when nothing that the service shows tells */
export const isOurs = (now: AnalysisSeen, before: Before): boolean | undefined =>
  isNew(now, now.state === 'failed' ? before.thisStart : before.firstStart);

/** Whether it is the one that was there before, by its ID and by its time, as far as they are shown. */
export function isSameRow(now: AnalysisSeen, before: AnalysisSeen): boolean {
  const shown = (['id', 'createdAt'] as const).filter((name) => now[name] !== undefined && before[name] !== undefined);
  return shown.length > 0 && shown.every((name) => now[name] === before[name]);
}

/** How much later it was changed than what was there before, milliseconds. @returns NaN where that is not shown */
const changedLater = (now: AnalysisSeen, before: AnalysisSeen): number =>
  Date.parse(now.updatedAt ?? '') - Date.parse(before.updatedAt ?? '');

/**
 * Whether another analysis stands where the one before stood: a service may keep one for each project, and its ID and
 * time with it.
 */
export function isRewritten(now: AnalysisSeen, before: Before): boolean {
  const then = now.state === 'failed' ? before.thisStart : before.firstStart;
  if ((now.state !== 'complete' && now.state !== 'failed') || !isSameRow(now, then)) return false;
  return changedLater(now, then) > 0 || (now.state === 'complete' && then.state === 'failed');
}

/** As {@link isOurs}, where it was seen running since the start, in the same place: it counts as new when it has ended. */
export const isOursAfterRunning = (now: AnalysisSeen, { firstStart, thisStart }: Before): boolean | undefined =>
  isOurs(now, { firstStart: asRunning(firstStart), thisStart: asRunning(thisStart) });

const asRunning = (seen: AnalysisSeen): AnalysisSeen => (seen.state === 'none' ? seen : { ...seen, state: 'running' });

/** Whether what is shown may be the new one in the place of the one before: nothing shows that it was left as it was. */
export const mayBeRewritten = (now: AnalysisSeen, { firstStart }: Before): boolean =>
  now.state === 'complete' && isSameRow(now, firstStart) && !(changedLater(now, firstStart) <= 0);
