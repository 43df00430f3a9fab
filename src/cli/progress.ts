/** How far a run is: a bar at a terminal, lines in a pipe. Standard error. */
import { z } from 'zod';
import { draw, erase, number, tell } from './output';

/** What runs answer to the query `progress`; figures are missing where a run counts nothing. */
export const RunProgress = z.object({
  doing: z.string(),
  waiting: z.string().optional(),
  done: z.number().optional(),
  total: z.number().optional(),
  credits: z.number().optional(),
});
export type RunProgress = z.infer<typeof RunProgress>;

export interface ProgressView {
  show(progress: RunProgress): void;
  /** A line above or between. */
  note(line: string): void;
  end(): void;
}

/** Lines in a pipe come at most so often, unless another step begins: what is waited for may change with each call. */
const LINE_EVERY_MS = 5_000;

export const progressView = (): ProgressView => (process.stderr.isTTY ? bar() : lines());

function waits({ waiting }: RunProgress): string {
  if (waiting === undefined) return '';
  return waiting.startsWith('Waiting') ? `. ${waiting}` : `. Waiting: ${waiting}`;
}

const sentence = (progress: RunProgress) => `${progress.doing}${waits(progress)}`;

function figures({ done = 0, total = 0, credits }: RunProgress): string {
  if (total === 0) return '';
  return `: ${number(done)} of ${number(total)}${credits === undefined ? '' : `, ${number(credits)} credits`}`;
}

function lines(): ProgressView {
  let said = '';
  let doing = '';
  let at = 0;
  return {
    show(progress) {
      const line = `${progress.doing}${figures(progress)}${waits(progress)}`;
      const isSameStep = progress.doing === doing;
      if (line === said || (isSameStep && performance.now() - at < LINE_EVERY_MS)) return;
      [said, doing, at] = [line, progress.doing, performance.now()];
      tell(line);
    },
    note: tell,
    end() {},
  };
}

const BAR = 20;

const bar = (): ProgressView => ({
  show(progress) {
    const { done = 0, total = 0 } = progress;
    const filled = total > 0 ? Math.min(BAR, Math.round((done / total) * BAR)) : 0;
    const box = total > 0 ? `[${'='.repeat(filled)}${' '.repeat(BAR - filled)}] ` : '';
    draw(`${box}${sentence(progress)}${figures(progress)}`);
  },
  note: tell,
  end: erase,
});
