/** What a run waited for, by its history. Pure. */
import type { temporal } from '@temporalio/proto';
import type { Cause } from '../../report/spending';
import { FailureType } from '../../runs/failure-types';
import { BUDGET_STAGE } from '../../runs/stages';
import { momentOf } from './events';

type Event = temporal.api.history.v1.IHistoryEvent;

/** A value of a search attribute, as the history has it: JSON that nobody encrypts. */
const attributeOf = (event: Event, name: string): unknown => {
  const data = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields?.[name]?.data;
  if (!data) return undefined;
  const value: unknown = JSON.parse(new TextDecoder().decode(data));
  return Array.isArray(value) ? value[0] : value;
};

/** Below this a task was simply taken up. */
const AT_ONCE_MS = 250;

interface Activity {
  type: string;
  queue: string;
  scheduledAt: number;
  startedAt?: number;
  lastFailure?: string;
  /** Where the run was when it began. */
  stage: string;
}

/**
 * Milliseconds by cause. An activity that was tried again waited for what its last failure says; one that was not, in its
 * queue, whose pace is the limit. Timers count while no call is under way: then only a settling time, or a pause, passes.
 */
export function waitsOf(events: readonly Event[]): Map<Cause, number> {
  const waits = new Map<Cause, number>();
  const add = (cause: Cause, ms: number) => {
    if (ms > AT_ONCE_MS) waits.set(cause, (waits.get(cause) ?? 0) + ms);
  };
  const open = new Map<string, Activity>();
  const timers = new Map<string, number>();
  let [stage, asksAt] = ['', ''];
  let asksSince: number | undefined;
  for (const event of events) {
    const at = momentOf(event);
    const {
      activityTaskScheduledEventAttributes: scheduled,
      activityTaskStartedEventAttributes: started,
      timerStartedEventAttributes: timer,
      timerFiredEventAttributes: fired,
    } = event;
    const ended =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskCanceledEventAttributes ??
      event.activityTaskTimedOutEventAttributes;
    const [said, asks] = [attributeOf(event, 'Stage'), attributeOf(event, 'NeedsPerson')];
    if (typeof said === 'string') stage = said;
    if (asks === true && asksSince === undefined) [asksSince, asksAt] = [at, stage];
    if (asks === false && asksSince !== undefined) {
      add(asksAt === 'approval' ? 'approval' : 'person', at - asksSince);
      asksSince = undefined;
    }
    if (scheduled)
      open.set(String(event.eventId), {
        ...{ type: scheduled.activityType?.name ?? '', queue: scheduled.taskQueue?.name ?? '' },
        ...{ scheduledAt: at, stage },
      });
    const begun = open.get(String(started?.scheduledEventId));
    if (started && begun) {
      begun.startedAt = at;
      const type = started.lastFailure?.applicationFailureInfo?.type;
      if (type) begun.lastFailure = type;
    }
    const activity = open.get(String(ended?.scheduledEventId));
    if (ended && activity) {
      open.delete(String(ended.scheduledEventId));
      // What is waited for while a person is asked is that person.
      if (asksSince === undefined) add(causeOf(activity), waitedIn(activity, at));
    }
    if (timer && open.size === 0 && asksSince === undefined) timers.set(String(timer.timerId), at);
    const since = timers.get(String(fired?.timerId));
    if (fired && since !== undefined) add('settling', at - since);
  }
  return waits;
}

const isOfApi = ({ queue }: Activity) => queue.startsWith('agent-api.');

/** What waits for the account to be clear, or for an audit or an extraction, is nothing but waiting. */
const waitedIn = (activity: Activity, endedAt: number): number => {
  const { type, scheduledAt, startedAt = endedAt } = activity;
  if (type === 'awaitClearance') return endedAt - scheduledAt;
  return isOfApi(activity) ? startedAt - scheduledAt : 0;
};

function causeOf({ type, queue, lastFailure, stage }: Activity): Cause {
  if (type === 'awaitClearance') return stage === BUDGET_STAGE ? 'budget' : 'hold';
  switch (lastFailure) {
    case FailureType.held:
      return 'hold';
    case FailureType.upstream:
    case FailureType.parked:
      return 'upstream';
    case FailureType.waiting:
      return queue.endsWith('.polls') || queue.endsWith('.reads') ? 'service' : 'quota';
    default:
      return 'quota';
  }
}
