const SOON_MS = 25;
const SELDOM_MS = 250;

/**
 * Waits for a condition, not for a time. One that has to ask somebody is asked ever more seldom: queries are work, for the
 * server and the worker too. @throws Error after `timeoutMs`
 */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 150_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = SOON_MS; ; ) {
    const answer = condition();
    if (await answer) return;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition.toString()}`);
    if (answer instanceof Promise) pause = Math.min(SELDOM_MS, 1.5 * pause);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
