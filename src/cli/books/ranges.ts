/** `entries 3, 5 to 9` */
export function ranges(numbers: readonly number[], one: string, more: string): string {
  const spans: [number, number][] = [];
  for (const n of numbers) {
    const last = spans.at(-1);
    if (last && last[1] === n - 1) last[1] = n;
    else spans.push([n, n]);
  }
  const shown = spans.map(([from, to]) => (from === to ? String(from) : `${from} to ${to}`));
  return `${numbers.length === 1 ? one : more} ${shown.join(', ')}`;
}
