/**
 * What data are encrypted for. It stands in the clear beside them, so that a codec server can read them, which knows no run,
 * and is a part of what the cipher vouches for (its additional data): data that are copied to somewhere else are refused.
 */
import type { SerializationContext } from '@temporalio/common';
import { z } from 'zod';
import { messageName } from './message-names';

export const Binding = z.object({
  namespace: z.string(),
  /** The workflow ID. Absent: whoever encrypted it knew no run. */
  workflow: z.string().optional(),
  /** Of its arguments and its result: the activity's ID within the run. */
  activity: z.string().optional(),
  /** The message that it is, such as `update approve`. Absent: what the run itself has written. */
  as: z.string().optional(),
  /** When a message was encrypted, milliseconds since 1970, by the clock of whoever did. */
  at: z.number().optional(),
});
export type Binding = z.output<typeof Binding>;

/** @param namespace where the SDK tells nothing, as of a schedule's own memo */
export function bindingFor(context: SerializationContext | undefined, namespace: string): Binding {
  if (context === undefined) return { namespace };
  const { workflowId: workflow } = context;
  const of = { namespace: context.namespace, ...(workflow !== undefined && { workflow }) };
  if (context.type === 'activity')
    return { ...of, ...(context.activityId !== undefined && { activity: context.activityId }) };
  const as = messageName();
  return { ...of, ...(as !== undefined && { as, at: Date.now() }) };
}

/** A run of a schedule has the ID that the schedule gives, and this. */
const STARTED_AT = /-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Whether data are encrypted for where they are read. @returns `namespace`: for no run in particular */
export function isFor(binding: Binding, context: SerializationContext): 'run' | 'namespace' | undefined {
  const { namespace, workflow, activity } = binding;
  if (namespace !== context.namespace) return undefined;
  if (workflow === undefined) return 'namespace';
  const { workflowId = '' } = context;
  if (context.type === 'activity')
    return workflow === workflowId && activity === context.activityId ? 'run' : undefined;
  if (activity !== undefined) return undefined;
  return workflow === workflowId || workflow === workflowId.replace(STARTED_AT, '') ? 'run' : undefined;
}
