/** `audit-runner schedules pause | resume | trigger | backfill`: what people do with a schedule. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { Since } from '../../inputs/fields';
import { redactText } from '../../redact';
import { overlapPolicy } from '../../temporal/schedule-definition';
import { matchingTimes, readSchedule, type StoredSchedule, scheduleHandle } from '../../temporal/schedules';
import { PROGRAM } from '../../text/command';
import { utc } from '../../time/utc';
import { announce } from '../announce';
import { EXIT, Exit } from '../exit';
import { print, printJson, tell } from '../output';
import { pageOf } from '../server';
import { userName } from '../user-name';
import { ownSchedule, withServer } from './connect';

export interface PauseOptions {
  reason?: string;
  by?: string;
  json?: boolean;
}

/** Pauses or resumes, and leaves in the schedule's note who did it and why. */
export async function pauseCommand(pipeline: string, paused: boolean, options: PauseOptions): Promise<number> {
  const { reason, json, by = userName() ?? 'somebody' } = options;
  return withServer('writes', async (connected) => {
    const stored = await ownSchedule(connected, pipeline);
    const isAlready = stored.paused === paused;
    // A token never belongs into a note (S4).
    const note = redactText(`${paused ? 'paused' : 'resumed'} by ${by}${reason ? `: ${reason}` : ''}`);
    const handle = scheduleHandle(connected.client, pipeline);
    if (!isAlready) announce(`${paused ? 'Pausing' : 'Resuming'} the schedule ${pipeline}`, connected.server.config);
    if (!isAlready) await (paused ? handle.pause(note) : handle.unpause(note));
    const kept = isAlready ? stored.note : note;
    if (json) printJson({ pipeline, paused, note: kept, changed: !isAlready });
    else if (isAlready) print(`${pipeline} is ${paused ? 'paused' : 'active'} already${kept ? ` (${kept})` : ''}`);
    else print(`${pipeline}: ${note}`);
    return EXIT.done;
  });
}

export interface TriggerOptions {
  overlap?: string;
  json?: boolean;
}

/** What came of a trigger. */
type Triggered =
  | { outcome: 'started'; workflowId: string; runId: string }
  | { outcome: 'skipped' | 'buffered' | 'unknown' };

const SEEN_MS = 10_000;
const LOOK_MS = 100;

/** Starts a run now, also while the schedule is paused; by the pipeline's own overlap unless another one is given. */
export async function triggerCommand(pipeline: string, { overlap, json }: TriggerOptions): Promise<number> {
  return withServer('writes', async (connected) => {
    const before = await ownSchedule(connected, pipeline);
    const policy = overlap ?? before.definition.overlap;
    announce(`Starting a run of the schedule ${pipeline}`, connected.server.config);
    await scheduleHandle(connected.client, pipeline).trigger(overlapPolicy(policy));
    const triggered = await awaitTrigger(connected.client, before, policy);
    const page = triggered.outcome === 'started' ? pageOf(connected, triggered.workflowId, triggered.runId) : undefined;
    const link = page ? { link: page } : {};
    if (json) printJson({ pipeline, ...triggered, ...link });
    else print([sentence(pipeline, triggered, before), ...Object.values(link)].join('\n'));
    return triggered.outcome === 'started' || triggered.outcome === 'buffered' ? EXIT.done : EXIT.notAllDone;
  });
}

/** The server only takes a trigger; what comes of it shows a moment later. */
async function awaitTrigger(client: Client, before: StoredSchedule, overlap: string): Promise<Triggered> {
  const isBusy = before.info.runningActions.length > 0;
  if (isBusy && overlap.startsWith('buffer')) return { outcome: 'buffered' };
  const known = new Set(before.info.recentActions.map(({ action }) => action.workflow.firstExecutionRunId));
  const deadline = performance.now() + SEEN_MS;
  while (performance.now() < deadline) {
    const now = await readSchedule(client, before.pipeline);
    if (now === undefined || now === 'foreign') break;
    const run = now.info.recentActions.find(({ action }) => !known.has(action.workflow.firstExecutionRunId));
    if (run) {
      const { workflowId, firstExecutionRunId: runId } = run.action.workflow;
      return { outcome: 'started', workflowId, runId };
    }
    if (now.info.numActionsSkippedOverlap > before.info.numActionsSkippedOverlap) return { outcome: 'skipped' };
    await sleep(LOOK_MS);
  }
  return { outcome: 'unknown' };
}

function sentence(pipeline: string, triggered: Triggered, { info }: StoredSchedule): string {
  const running = info.runningActions.map(({ workflow }) => workflow.workflowId).join(', ') || 'the last run';
  switch (triggered.outcome) {
    case 'started':
      return `${pipeline}: started ${triggered.workflowId}`;
    case 'skipped':
      return `${pipeline}: nothing was started, since ${running} is under way and overlap is skip; --overlap allowAll starts one beside it`;
    case 'buffered':
      return `${pipeline}: a run starts when ${running} has ended`;
    case 'unknown':
      return `${pipeline}: the server took it, and no run has started yet; look with \`${PROGRAM} schedules list\``;
  }
}

export interface BackfillOptions {
  from: string;
  to: string;
  overlap: string;
  json?: boolean;
}

/** The server tells and buffers no more times than this. */
const MOST = 1_000;

/** Runs what the schedule would have run between two moments, both included; also while it is paused. */
export async function backfillCommand(pipeline: string, options: BackfillOptions): Promise<number> {
  const now = Date.now();
  const [from, to] = [moment('--from', options.from, now), moment('--to', options.to, now)];
  if (from > to) throw new Exit(EXIT.badInput, '--from lies after --to');
  if (to > now) throw new Exit(EXIT.badInput, '--to lies in the future; what is to come, the schedule runs by itself');
  return withServer('writes', async (connected) => {
    await ownSchedule(connected, pipeline);
    const [start, end] = [new Date(from), new Date(to)];
    const times = await matchingTimes(connected.client, pipeline, start, end);
    const span = `from ${utc(from)} to ${utc(to)} UTC`;
    if (times.length === 0) throw new Exit(EXIT.badInput, `${pipeline} has no time ${span}`);
    if (times.length >= MOST)
      throw new Exit(EXIT.badInput, `${pipeline} has ${MOST} times or more ${span}; choose a shorter span`);
    const { overlap, json } = options;
    announce(`Starting runs of the schedule ${pipeline} (${times.length})`, connected.server.config);
    await scheduleHandle(connected.client, pipeline).backfill({ start, end, overlap: overlapPolicy(overlap) });
    if (json) printJson({ pipeline, overlap, times: times.map((time) => time.toISOString()) });
    else print(`${pipeline}: ${times.length} ${times.length === 1 ? 'time' : 'times'} ${span} (overlap ${overlap})`);
    if (overlap === 'skip' && times.length > 1)
      tell('With overlap skip only those start that find no other run under way.');
    return EXIT.done;
  });
}

/** @returns milliseconds since 1970 */
function moment(option: string, text: string, now: number): number {
  const parsed = Since.safeParse(text);
  if (parsed.success) return 'at' in parsed.data ? parsed.data.at : now - parsed.data.agoMs;
  throw new Exit(
    EXIT.badInput,
    `${option}: give a date-time with its zone such as 2026-01-31T08:00:00Z, a date, or a duration back from now such as 7d`,
  );
}
