/** Task queues of activities: who goes first, and how fast. */
import type { Try } from './activity';
import type { Server } from './server';

/** Of the tasks that wait in one queue the lowest priority key goes first, then the oldest. */
const keyOf = ({ activity }: Try): number => activity.how.priority?.priorityKey || 3;

export class Matching {
  readonly #waiting = new Map<string, Try[]>();
  readonly #freeAt = new Map<string, number>();

  /** @param spacing milliseconds between two tasks of a queue, where it has a limit */
  constructor(
    private readonly server: Server,
    private readonly spacing: (queue: string) => number,
  ) {}

  add(task: Try): void {
    const { queue } = task.activity;
    const waiting = this.#waiting.get(queue) ?? [];
    this.#waiting.set(queue, waiting);
    waiting.push(task);
    this.#arrange(queue, this.server.latency());
  }

  /** A worker has come: what waited for one goes on. */
  awake(): void {
    for (const [queue, waiting] of this.#waiting) for (const _ of waiting) this.#arrange(queue, this.server.latency());
  }

  #arrange(queue: string, inMs: number): void {
    this.server.world.after(inMs, () => this.#dispatch(queue));
  }

  #dispatch(queue: string): void {
    const { world } = this.server;
    const waiting = (this.#waiting.get(queue) ?? []).filter(
      (task) => !task.activity.isClosed && task.activity.current === task,
    );
    this.#waiting.set(queue, waiting);
    const worker = this.server.someWorker();
    if (waiting.length === 0 || !worker) return;
    const freeAt = this.#freeAt.get(queue) ?? 0;
    if (freeAt > world.now) {
      this.#arrange(queue, freeAt - world.now);
      return;
    }
    const task = waiting.reduce((best, one) => (keyOf(one) < keyOf(best) ? one : best));
    waiting.splice(waiting.indexOf(task), 1);
    const spacing = this.spacing(queue);
    this.#freeAt.set(queue, world.now + spacing);
    if (spacing > 0) task.takenAt = world.now;
    task.activity.start();
    // A task that is lost on its way shows by its timeouts.
    if (this.server.mishaps.happens('activityTaskLost')) return;
    world.after(this.server.latency(), () => worker.perform(task), worker);
  }
}
