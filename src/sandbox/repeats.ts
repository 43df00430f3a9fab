/** Counts equal things, to find what was done more than once. */
export class Repeats<T extends Record<string, string | null>> {
  private readonly counts = new Map<string, T & { times: number }>();

  saw(thing: T): void {
    const key = JSON.stringify(Object.entries(thing).sort(([one], [two]) => (one < two ? -1 : 1)));
    const times = this.counts.get(key)?.times ?? 0;
    this.counts.set(key, { ...thing, times: times + 1 });
  }

  doubled(): (T & { times: number })[] {
    return [...this.counts.values()].filter(({ times }) => times > 1);
  }
}
