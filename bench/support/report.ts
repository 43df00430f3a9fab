/** The table that a bench prints: what was measured beside the limit. */

export interface Figure {
  what: string;
  measured: string;
  /** Empty where the figure only informs. */
  limit: string;
  ok?: boolean;
}

/** A figure that may be `most` at the most. */
export const atMost = (what: string, measured: number, most: number, unit = ''): Figure => ({
  what,
  measured: `${short(measured)}${unit}`,
  limit: `≤ ${short(most)}${unit}`,
  ok: measured <= most,
});

/** A figure that must be `least` at the least. */
export const atLeast = (what: string, measured: number, least: number, unit = ''): Figure => ({
  what,
  measured: `${short(measured)}${unit}`,
  limit: `≥ ${short(least)}${unit}`,
  ok: measured >= least,
});

/** A figure that must be exactly `wanted`. */
export const exactly = (what: string, measured: number, wanted: number): Figure => ({
  what,
  measured: short(measured),
  limit: short(wanted),
  ok: measured === wanted,
});

/** A figure without a limit. */
export const note = (what: string, measured: string | number): Figure => ({
  what,
  measured: typeof measured === 'number' ? short(measured) : measured,
  limit: '',
});

const short = (n: number): string => n.toLocaleString('en', { maximumFractionDigits: 2 });

/** Prints the table. Sets the process's exit code when a figure is not within its limit. */
export function report(title: string, figures: readonly Figure[]): void {
  const rows = figures.map(({ what, measured, limit, ok }) => [
    what,
    measured,
    limit,
    ok === undefined ? '' : ok ? 'ok' : 'NO',
  ]);
  const header = ['what', 'measured', 'limit', 'ok'];
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  process.stdout.write(`\n${title}\n\n${[line(header), rule, ...rows.map(line)].join('\n')}\n`);
  if (figures.some(({ ok }) => ok === false)) process.exitCode = 1;
}

/** Warnings of the workers, as figures. */
export const warningFigures = (warnings: Readonly<Record<string, number>>): Figure[] =>
  Object.entries(warnings).map(([message, count]) => note(`warning: ${message.slice(0, 70)}`, count));
