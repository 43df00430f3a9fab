/** Actions of a history, counted as Temporal Cloud bills them. */
import { temporal } from '@temporalio/proto';

type Event = temporal.api.history.v1.IHistoryEvent;
const { EventType } = temporal.api.enums.v1;

/** Events that are one action each. Of a signal its receiver's event counts, of a child's beginning its parent's and its own. */
const ONE_EACH = new Map([
  [EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, 'start'],
  [EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED, 'child'],
  [EventType.EVENT_TYPE_TIMER_STARTED, 'timer'],
  [EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED, 'signal'],
  [EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED, 'update'],
  [EventType.EVENT_TYPE_WORKFLOW_EXECUTION_OPTIONS_UPDATED, 'options'],
]);

/** The SDK notes by these which patches a run has taken; neither they nor its search attribute for them are billed. */
const PATCH_MARKER = 'core_patch';
const PATCHES = 'TemporalChangeVersion';

/**
 * How many actions of each kind a history shows; an activity counts once for each try. Queries, heartbeats and refused
 * updates leave no event.
 */
export function actionsOf(events: readonly Event[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (kind: string | undefined, count = 1) => {
    if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + count;
  };
  for (const {
    eventType,
    activityTaskStartedEventAttributes: started,
    upsertWorkflowSearchAttributesEventAttributes: upsert,
    markerRecordedEventAttributes: marker,
  } of events) {
    add(ONE_EACH.get(eventType ?? EventType.EVENT_TYPE_UNSPECIFIED));
    if (started) add('activity', started.attempt ?? 1);
    const attributes = Object.keys(upsert?.searchAttributes?.indexedFields ?? {});
    if (attributes.some((name) => name !== PATCHES)) add('upsert');
    if (marker && marker.markerName !== PATCH_MARKER) add('marker');
  }
  return counts;
}

export const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
