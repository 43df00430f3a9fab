import { queueClassOf, type RateClass } from '../agent-api/rate-class';
import { LIMITS } from '../agent-api/routes';
import type { Clock } from './clock';
import type { Settings } from './options';
import { Refusal } from './refusal';
import { ClassWindow } from './windows';

/**
 * The rate limits of agent-api.md, "Limits": sliding windows, per token and class. A note is a write too, so it needs
 * room in both windows; so is the start of an audit, where audits have a limit of their own.
 */
export class Limits {
  private readonly windows = new Map<string, ClassWindow>();

  constructor(
    private readonly settings: Pick<Settings, 'limits'>,
    private readonly clock: Clock,
  ) {}

  /** Counts a request. @throws 429 with `Retry-After` in (real) seconds, rounded up. */
  admit(tokenId: string, rateClass: RateClass): void {
    const { limits } = this.settings;
    const own = rateClass !== 'audits' || (limits !== 'off' && limits.audits !== undefined);
    const classes = new Set<RateClass>([...(own ? [rateClass] : []), queueClassOf(rateClass)]);
    const windows = [...classes].map((name) => this.window(tokenId, name));
    const now = this.clock.monotonic();
    for (const window of windows) window.arrive(now);
    const waits = windows.map((window) => window.refusal(now)).filter((wait) => wait !== undefined);
    if (waits.length > 0) {
      const seconds = Math.max(1, Math.ceil(Math.max(...waits) / 1000));
      throw new Refusal(429, 'Rate limit exceeded', {}, { 'Retry-After': String(seconds) });
    }
    for (const window of windows) window.accept(now);
  }

  /** One entry for each token and class that was used. */
  all(): ClassWindow[] {
    return [...this.windows.values()];
  }

  private window(tokenId: string, rateClass: RateClass): ClassWindow {
    const key = `${tokenId} ${rateClass}`;
    let window = this.windows.get(key);
    if (window === undefined) {
      const { limits } = this.settings;
      const given = limits === 'off' ? 'off' : (limits[rateClass] ?? {});
      const { max, windowMs } = given === 'off' ? LIMITS[rateClass] : { ...LIMITS[rateClass], ...given };
      const length = this.clock.scaled(windowMs ?? LIMITS[rateClass].windowMs);
      const limit = given === 'off' ? undefined : (max ?? LIMITS[rateClass].max);
      window = new ClassWindow(tokenId, rateClass, limit, length);
      this.windows.set(key, window);
    }
    return window;
  }
}
