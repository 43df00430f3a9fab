/** What goes wrong: asked at each point where it could, and counted where it did. */
import type { Mishap, Mishaps } from '../engine/mishaps';
import type { World } from '../world/world';

export class Misfortunes implements Mishaps {
  readonly happened = new Map<string, number>();
  /** Nothing goes wrong any more. */
  areOver = false;
  rates: Partial<Record<Mishap, number>> = {};

  constructor(private readonly world: World) {}

  happens(what: Mishap): boolean {
    const rate = this.rates[what] ?? 0;
    if (rate === 0 || !this.world.random.chance(rate)) return false;
    this.note(what);
    return true;
  }

  note(what: string): void {
    this.happened.set(what, (this.happened.get(what) ?? 0) + 1);
  }
}
