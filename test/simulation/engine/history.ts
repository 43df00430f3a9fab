/** What is kept of a run: events, and what workers have made of its workflow tasks. */
import type { Command, Failure, Job } from './proto';

export interface Event {
  id: number;
  type: string;
  at: number;
  detail?: Record<string, unknown> | undefined;
  /** What the workflow is told of it; of an update, where no earlier event tells it. */
  job?: Job | undefined;
}

/** What a worker made of one activation. */
export interface Activated {
  jobs: Job[];
  at: number;
  historyLength: number;
  flags: readonly number[];
  /** For comparison with what a replay makes of it. */
  commands: string;
  /** Marked by it: a replay knows of them beforehand. */
  patches: string[];
}

/** What a worker answers to a workflow task. */
export interface Completion {
  activations: Activated[];
  commands: Command[];
  /** Activities whose end the workflow knows before the server does. */
  resolved: number[];
  failed?: Failure;
}
