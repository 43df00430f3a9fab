/** Which analysis of a project an audit is waiting for: GET shows the latest one only, and may show the one before for a while. Pure. */

/** The latest analysis of a project, without its content. */
export interface AnalysisSeen {
  /** `none`: never run. A word that is not known counts as running. */
  state: 'none' | 'running' | 'complete' | 'failed';
  id?: string;
  createdAt?: string;
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
