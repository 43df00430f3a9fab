/**
 * Gives this process the world's time and chance: the clocks, timers and random sources that Node and the language have are
 * replaced once, for all code alike, and are the real ones while no world is entered. `setImmediate` and `process.nextTick`
 * take no time and stay.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import * as crypto from 'node:crypto';
import * as os from 'node:os';
import * as timersPromises from 'node:timers/promises';
import { type Due, here, type World } from './world';

let current: World | undefined;

/** From now on, time is this world's; undefined: it is real again. */
export function enter(world: World | undefined): void {
  install();
  current = world;
}

let installed = false;

function install(): void {
  if (installed) return;
  installed = true;
  const real = { setTimeout, setInterval, clearTimeout, clearInterval, random: Math.random };
  const realNow = Date.now.bind(Date);
  const monotonic = performance.now.bind(performance);
  const wall = () => (current ? current.now + (here.getStore()?.skewMs ?? 0) : realNow());

  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [wall()] : args, newTarget),
    apply: () => new RealDate(wall()).toString(),
  });
  Date.now = wall;
  // A clock of its own, which nobody sets: it begins anywhere.
  const since = () => (current ? current.elapsed + 1_000 : monotonic());
  Object.defineProperty(performance, 'now', { value: since, configurable: true, writable: true });
  Object.assign(process.hrtime, { bigint: () => BigInt(Math.round(since() * 1e6)) });

  const begin =
    (repeats: boolean, otherwise: typeof setTimeout | typeof setInterval) =>
    (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      current
        ? new Timer(current, () => callback(...args), Number(ms) || 0, repeats)
        : Reflect.apply(otherwise, undefined, [callback, ms, ...args]);
  const end =
    (otherwise: typeof clearTimeout) =>
    (timer: unknown): void =>
      timer instanceof Timer ? timer.close() : otherwise(timer as NodeJS.Timeout);
  Object.assign(globalThis, {
    setTimeout: begin(false, real.setTimeout),
    setInterval: begin(true, real.setInterval),
    clearTimeout: end(real.clearTimeout),
    clearInterval: end(real.clearInterval),
  });

  const { setTimeout: realSleep } = timersPromises;
  replace(timersPromises, 'setTimeout', (ms?: number, value?: unknown, options?: { signal?: AbortSignal }) =>
    current ? sleep(ms ?? 0, value, options?.signal) : realSleep(ms, value, options),
  );

  const { randomUUID, randomBytes } = crypto;
  replace(crypto, 'randomUUID', () => current?.random.uuid() ?? randomUUID());
  replace(crypto, 'randomBytes', (size: number) => current?.random.bytes(size) ?? randomBytes(size));
  Math.random = () => current?.random.next() ?? real.random();
  // What names a process must not differ from machine to machine.
  replace(os, 'hostname', () => 'simulated');
  const { uptime } = os;
  replace(os, 'uptime', () => (current ? since() / 1_000 : uptime()));
  Object.defineProperty(process, 'pid', { value: 1 });
}

/** A module's own object, of which every importer reads. */
function replace(module: object, name: string, value: unknown): void {
  const target = 'default' in module && typeof module.default === 'object' && module.default ? module.default : module;
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

function sleep(ms: number, value: unknown, signal?: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const refuse = () => {
      clearTimeout(timer);
      reject(new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', refuse);
      resolve(value);
    }, ms);
    if (signal?.aborted) refuse();
    else signal?.addEventListener('abort', refuse, { once: true });
  });
}

/** What `setTimeout` answers: it belongs to the process that has begun it, and keeps that one's context. */
class Timer {
  #due: Due;
  readonly #run: () => void;

  constructor(
    private readonly world: World,
    callback: () => void,
    private readonly ms: number,
    repeats: boolean,
  ) {
    const inContext = AsyncLocalStorage.snapshot();
    this.#run = () => {
      if (repeats) this.#due = this.#next();
      inContext(callback);
    };
    this.#due = this.#next();
  }

  #next(): Due {
    return this.world.after(Math.max(1, this.ms), this.#run, here.getStore() ?? this.#due?.owner);
  }

  close(): void {
    this.#due.cancelled = true;
  }

  unref(): this {
    return this;
  }
}
