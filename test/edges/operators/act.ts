/** One thing that the Web UI or the `temporal` command can do to a run. */
import type { Target } from './state';
import type { World } from './world';

/** `none`: there was nothing to do it to. `undo`: what people do in the end. */
export interface Done {
  none?: boolean;
  undo?(): Promise<unknown>;
}

export type Perform = (world: World, target: Target) => Promise<Done | undefined>;

export interface Act {
  name: string;
  perform: Perform;
  /** Only in typical states. @default false */
  rare?: boolean;
}

export const handleOf = ({ client }: World, { workflowId }: Target) => client.workflow.getHandle(workflowId);
