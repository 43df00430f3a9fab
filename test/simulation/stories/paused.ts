/** Batches that a person has paused begin nothing until somebody resumes them. */
import type { Run } from '../engine/run';
import { keyOf } from './halts';
import type { Scene } from './scene';

/** What was asked for before the pause may still begin. */
const BEGINS_WITHIN_MS = 30_000;

interface Span {
  readonly key: string;
  readonly from: number;
  to: number;
}

export class Paused {
  readonly #spans: Span[] = [];
  readonly #resumed = new Map<string, number>();
  #allResumed = 0;

  constructor(private readonly scene: Scene) {}

  /** A pause was taken. Its answer may come after it was resumed. */
  pauses(run: Run, saidAt: number): void {
    const key = keyOf(run);
    if (Math.max(this.#resumed.get(key) ?? 0, this.#allResumed) >= saidAt) return;
    this.#spans.push({ key, from: this.scene.world.now + BEGINS_WITHIN_MS, to: Number.POSITIVE_INFINITY });
  }

  /** It is about to be resumed, or goes back to a moment at which it may not have been paused. @param run undefined: all of them */
  resumes(run?: Run): void {
    if (run === undefined) this.#allResumed = this.scene.world.now;
    else this.#resumed.set(keyOf(run), this.scene.world.now);
    for (const span of this.#spans)
      if (run === undefined || span.key === keyOf(run)) span.to = Math.min(span.to, this.scene.world.now);
  }

  /** What was begun all the same. */
  wrong(): string | undefined {
    for (const child of [...this.scene.server.runs.values()].flat()) {
      // What goes on after a reset or as new was begun before.
      if (child.original !== child || child.start.continued) continue;
      const parent = child.start.parent?.run;
      const isIn = ({ key, from, to }: Span) =>
        parent !== undefined && key === keyOf(parent) && from < child.startedAt && child.startedAt < to;
      if (this.#spans.some(isIn))
        return `${parent?.workflowId} has begun ${child.workflowId}, and a person had paused it`;
    }
    return undefined;
  }
}
