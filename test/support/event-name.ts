import { temporal } from '@temporalio/proto';

const { EventType } = temporal.api.enums.v1;

/** `EVENT_TYPE_WORKFLOW_TASK_STARTED` is `WorkflowTaskStarted`, as in the Web UI. */
export const eventName = (type: number | null | undefined): string =>
  (EventType[type ?? 0] ?? '')
    .replace('EVENT_TYPE_', '')
    .toLowerCase()
    .replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
