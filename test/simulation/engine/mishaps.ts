import type { Process, World } from '../world/world';

/** What may go wrong with any message, task or step, and its usual share of all of them. */
export const MISHAPS = {
  requestLost: 0.02,
  replyLost: 0.02,
  slow: 0.02,
  listsLate: 0.3,
  workflowTaskLost: 0.01,
  workflowTaskLate: 0.01,
  activityTaskLost: 0.01,
  evicted: 0.1,
  workerKilled: 0.002,
  storageFull: 0.02,
  storageReplyLost: 0.02,
  listedLate: 0.1,
  connectionRefused: 0.03,
} as const;
export type Mishap = keyof typeof MISHAPS;

/** What goes wrong: asked at each point where it could, and counted where it did. */
export class Mishaps {
  readonly happened = new Map<string, number>();
  /** Nothing goes wrong any more. */
  areOver = false;
  rates: Partial<Record<Mishap, number>> = {};
  /** Ends a process that waits for something. */
  kill: (process: Process, at: string) => void = () => undefined;

  constructor(readonly world: World) {}

  happens(what: Mishap): boolean {
    const rate = this.rates[what] ?? 0;
    if (rate === 0 || !this.world.random.chance(rate)) return false;
    this.note(what);
    return true;
  }

  /** A process waits, or goes on after waiting: here it may die. @returns whether it still lives */
  crossing(process: Process, what: string): boolean {
    if (process.alive && this.happens('workerKilled')) this.kill(process, what);
    return process.alive;
  }

  note(what: string): void {
    this.happened.set(what, (this.happened.get(what) ?? 0) + 1);
  }
}
