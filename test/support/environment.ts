/**
 * The environment of every test: a test that leaves a process, a worker, a server or a timer behind fails, and so does a
 * file that does. What `beforeAll` opens may stay until the end of the file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';

/** What has been told to end may take a moment to be gone. */
const PATIENCE_MS = 3_000;
const POLL_MS = 10;

const TIMER = 'a timer';

/** What keeps a process alive, in Node's words, and what it is here. A Temporal worker has a thread, and so a port to it. */
const KINDS: Readonly<Record<string, string>> = {
  MessagePort: 'a Temporal worker',
  TCPServerWrap: 'a server that listens',
};

/** How many there are of each kind, and of each process that this one started. */
type Open = ReadonlyMap<string, number>;

function open(timers: Timers): Open {
  const counts = new Map(processes().map((one) => [one, 1]));
  for (const name of process.getActiveResourcesInfo()) {
    const kind = KINDS[name];
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  if (timers.pending > 0) counts.set(TIMER, timers.pending);
  return counts;
}

/** Processes that this one started. None are seen where there is no /proc. */
function processes(): string[] {
  try {
    const children = (task: string) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ');
    const ids = readdirSync('/proc/self/task').flatMap(children).filter(Boolean);
    return ids.map((id) => `the process ${id} (${commandOf(id)})`);
  } catch {
    return [];
  }
}

function commandOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').trim().slice(0, 100);
  } catch {
    return 'it has ended';
  }
}

const more = (now: Open, before: Open): string[] =>
  [...now.keys()].filter((what) => (now.get(what) ?? 0) > (before.get(what) ?? 0));

const SIFT_AT = 1_000;

/** The timers that a test file's code and its modules set, except those that let the process end. */
class Timers {
  private made: NodeJS.Timeout[] = [];

  get pending(): number {
    this.sift();
    return this.made.length;
  }

  /** `set`, whose timers are known from now on. */
  watched<F extends typeof setTimeout | typeof setInterval>(set: F): F {
    const watching = (...args: Parameters<F>): NodeJS.Timeout => {
      const timer = Reflect.apply(set, undefined, args);
      if (this.made.push(timer) > SIFT_AT) this.sift();
      return timer;
    };
    // With what `promisify` looks for.
    return Object.defineProperties(watching, Object.getOwnPropertyDescriptors(set)) as F;
  }

  /** One that has fired or was cleared keeps nothing alive; Node shows that in this field alone. */
  private sift(): void {
    this.made = this.made.filter((timer) => timer.hasRef() && !Reflect.get(timer, '_destroyed'));
  }
}

/** Jest would show the place in this file. */
const withoutPlace = (message: string) => Object.assign(new Error(message), { stack: message });

export default class Tidy extends TestEnvironment {
  private readonly timers = new Timers();
  private readonly atFirst: Open;
  /** Absent where tests of a file run side by side: what is open belongs to none of them alone. */
  private before: Open | undefined;
  private hasFailed = false;

  constructor(...args: ConstructorParameters<typeof TestEnvironment>) {
    super(...args);
    this.global.setTimeout = this.timers.watched(this.global.setTimeout);
    this.global.setInterval = this.timers.watched(this.global.setInterval);
    this.atFirst = open(this.timers);
  }

  async handleTestEvent(event: Circus.Event): Promise<void> {
    if (event.name === 'test_start') this.before = event.test.concurrent ? undefined : open(this.timers);
    if (event.name === 'test_done' && this.before) {
      // A worker or a server that the file opened before sets timers as it likes.
      const isAlone = more(this.before, this.atFirst).length === 0;
      const left = await this.leftBeside(this.before, isAlone ? [] : [TIMER]);
      if (left.length > 0) event.test.errors.push(withoutPlace(`the test leaves behind: ${left.join(', ')}`));
    }
    if (event.name === 'test_done' && event.test.errors.length > 0) this.hasFailed = true;
  }

  override async teardown(): Promise<void> {
    const left = await this.leftBeside(this.atFirst);
    await super.teardown();
    // Jest would show this in the place of the tests that failed, which are why something is left.
    if (left.length > 0 && !this.hasFailed) throw withoutPlace(`this file leaves behind: ${left.join(', ')}`);
  }

  /** What is open beyond what was, after a moment of patience. */
  private async leftBeside(before: Open, allowed: readonly string[] = []): Promise<string[]> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const left = more(open(this.timers), before).filter((what) => !allowed.includes(what));
      if (left.length === 0 || Date.now() > deadline) return left;
      await sleep(POLL_MS, undefined, { ref: false });
    }
  }
}
