/** What a pipeline's Temporal Schedule says, in the words of the configuration file: to compare, to show and to send. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type CalendarSpecDescription,
  DAYS_OF_WEEK,
  MONTHS,
  type Range as NamedRange,
  type ScheduleDescription,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import {
  defineSearchAttributeKey,
  type Priority,
  type SearchAttributePair,
  TypedSearchAttributes,
} from '@temporalio/common';
import type { Overlap } from '../config/pipeline-file';
import { CronError, parseCron, type Range } from '../time/cron';
import { parseDuration } from '../time/duration';

/** All that a schedule has, but whether it is paused. Durations as the file writes them: '10m', '1h 30m'. */
export interface ScheduleDefinition {
  workflow: string;
  input: unknown;
  cron: string[];
  every?: string;
  offset?: string;
  timeZone: string;
  jitter: string;
  overlap: string;
  catchupWindow: string;
  description?: string;
  summary?: string;
  workflowId: string;
  taskQueue: string;
  priority?: { priorityKey?: number; fairnessKey?: string };
  /** Of the runs; all are keywords. */
  searchAttributes: Record<string, unknown>;
  /** What a file cannot say: set by somebody else. */
  other?: Record<string, unknown>;
}

/** What is kept in the runs' memo, since a schedule's own memo cannot be changed. */
export interface Applied {
  pipeline: string;
  /** Of the definition as it was last applied: another one was changed by somebody else. */
  fingerprint: string;
  /** As the file said then. What a person did since stays. */
  pausedInFile: boolean;
}

const OVERLAP: Readonly<Record<Overlap, ScheduleOverlapPolicy>> = {
  skip: ScheduleOverlapPolicy.SKIP,
  bufferOne: ScheduleOverlapPolicy.BUFFER_ONE,
  bufferAll: ScheduleOverlapPolicy.BUFFER_ALL,
  allowAll: ScheduleOverlapPolicy.ALLOW_ALL,
  cancelOther: ScheduleOverlapPolicy.CANCEL_OTHER,
};
const isOverlap = (name: string): name is Overlap => Object.hasOwn(OVERLAP, name);

/** Temporal's policy of this name. */
export const overlapPolicy = (name: string): ScheduleOverlapPolicy =>
  isOverlap(name) ? OVERLAP[name] : ScheduleOverlapPolicy.SKIP;

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** Exact, and read again by `parseDuration`: '1h 30m'. */
export function durationText(ms: number): string {
  let rest = ms;
  const words = UNITS.flatMap(([unit, size]) => {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    return amount > 0 ? [`${amount}${unit}`] : [];
  });
  if (rest > 0) words.push(`${rest / 1_000}s`);
  return words.join(' ') || '0s';
}

/** Equal for equal definitions, in whatever order their fields are. */
export const fingerprint = (definition: ScheduleDefinition): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(definition)))
    .digest('hex')
    .slice(0, 16);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]));
}

/** As the SDK takes it; `applied` comes back with the description. */
export function toOptions(definition: ScheduleDefinition, applied: Applied) {
  const { cron, every, offset, description, summary, priority, searchAttributes } = definition;
  const ms = (text: string) => parseDuration(text) ?? 0;
  return {
    spec: {
      calendars: cron.map(calendar),
      intervals: every === undefined ? [] : [{ every: ms(every), offset: ms(offset ?? '0s') }],
      timezone: definition.timeZone,
      jitter: ms(definition.jitter),
    },
    action: {
      type: 'startWorkflow' as const,
      workflowType: definition.workflow,
      workflowId: definition.workflowId,
      taskQueue: definition.taskQueue,
      args: [definition.input],
      memo: { ...applied },
      typedSearchAttributes: Object.entries(searchAttributes).map(([name, value]) => ({
        key: defineSearchAttributeKey(name, 'KEYWORD'),
        value: String(value),
      })),
      ...(summary !== undefined && { staticSummary: summary }),
      ...(description !== undefined && { staticDetails: description }),
      // Missing in the SDK's type, and sent by it.
      ...(priority && { priority }),
    },
    policies: {
      overlap: overlapPolicy(definition.overlap),
      catchupWindow: ms(definition.catchupWindow),
      pauseOnFailure: false,
    },
  };
}

/** The server keeps calendars as they are, the comment too: it holds the expression, for the Web UI and for the way back. */
function calendar(expression: string): CalendarSpecDescription {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = parseCron(expression);
  return {
    ...{ second: [{ start: 0, end: 0, step: 1 }], minute, hour, dayOfMonth, year: [], comment: expression },
    month: named(month, MONTHS, 1),
    dayOfWeek: named(dayOfWeek, DAYS_OF_WEEK, 0),
  };
}

function named<Name>(ranges: readonly Range[], names: readonly Name[], first: number): NamedRange<Name>[] {
  const name = (number: number): Name => {
    const found = names[number - first];
    if (found === undefined) throw new RangeError(`there is no name for ${number}`);
    return found;
  };
  return ranges.map(({ start, end, step }) => ({ start: name(start), end: name(end), step }));
}

/** The expression that a calendar was made from; another calendar is shown as it is. */
function expression(found: CalendarSpecDescription): string {
  const { comment = '' } = found;
  try {
    if (isDeepStrictEqual(calendar(comment), { ...found })) return comment;
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
  }
  return `calendar ${JSON.stringify(found)}`;
}

/** A schedule as it is on the server, in the words of the file. */
export function toDefinition({ spec, action, policies, state }: ScheduleDescription): ScheduleDefinition {
  const { calendars = [], intervals = [], skip = [], startAt, endAt, jitter = 0, timezone = 'UTC' } = spec;
  const args: readonly unknown[] = action.args ?? [];
  const overlap =
    Object.entries(OVERLAP).find(([, policy]) => policy === policies.overlap)?.[0] ?? `${policies.overlap}`;
  const shifted = intervals.some(({ offset }) => offset > 0);
  const { retry, workflowExecutionTimeout, workflowRunTimeout, workflowTaskTimeout, priority } = action;
  const other = present({
    ...{ startAt, endAt, retry, workflowTaskTimeout },
    // 0 is none.
    workflowExecutionTimeout: workflowExecutionTimeout || undefined,
    workflowRunTimeout: workflowRunTimeout || undefined,
    skip: skip.length > 0 ? skip : undefined,
    moreArguments: args.length > 1 ? args.slice(1) : undefined,
    remainingActions: state.remainingActions,
    pauseOnFailure: policies.pauseOnFailure || undefined,
  });
  return {
    workflow: action.workflowType,
    input: args[0],
    cron: calendars.map(expression),
    ...(intervals.length > 0 && { every: intervals.map(({ every }) => durationText(every)).join(', ') }),
    ...(shifted && { offset: intervals.map(({ offset }) => durationText(offset)).join(', ') }),
    timeZone: timezone || 'UTC',
    jitter: durationText(jitter),
    overlap,
    catchupWindow: durationText(policies.catchupWindow),
    ...(action.staticDetails && { description: action.staticDetails }),
    ...(action.staticSummary && { summary: action.staticSummary }),
    workflowId: action.workflowId ?? '',
    taskQueue: action.taskQueue,
    ...(priority && { priority: place(priority) }),
    searchAttributes: Object.fromEntries(attributes(action).map(({ key, value }) => [key.name, value])),
    ...(Object.keys(other).length > 0 && { other }),
  };
}

const place = ({ priorityKey, fairnessKey }: Priority): NonNullable<ScheduleDefinition['priority']> => ({
  ...(priorityKey !== undefined && { priorityKey }),
  ...(fairnessKey !== undefined && { fairnessKey }),
});

function attributes({ typedSearchAttributes = [] }: ScheduleDescription['action']): readonly SearchAttributePair[] {
  return typedSearchAttributes instanceof TypedSearchAttributes
    ? typedSearchAttributes.getAll()
    : typedSearchAttributes;
}

const present = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
