import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition, asked every `everyMs`. @throws Error after `timeoutMs` */
export async function until(
  what: string,
  timeoutMs: number,
  condition: () => Promise<boolean>,
  everyMs = 200,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs / 1_000} s: ${what}`);
    await sleep(everyMs);
  }
}
