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
  Timeout: TIMER,
};

/** How many there are of each kind, and of each process that this one started. */
type Open = ReadonlyMap<string, number>;

function open(): Open {
  const counts = new Map(processes().map((one) => [one, 1]));
  for (const name of process.getActiveResourcesInfo()) {
    const kind = KINDS[name];
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
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

/** A worker or a server that was there before sets timers as it likes. */
const more = (now: Open, before: Open): string[] =>
  [...now].flatMap(([what, count]) => {
    if (what === TIMER && [...before.keys()].some((other) => other !== TIMER)) return [];
    return count > (before.get(what) ?? 0) ? [what] : [];
  });

/** What is open beyond what was, after a moment of patience. */
async function leftBeside(before: Open): Promise<string[]> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const left = more(open(), before);
    if (left.length === 0 || Date.now() > deadline) return left;
    await sleep(POLL_MS, undefined, { ref: false });
  }
}

/** Jest would show the place in this file. */
const withoutPlace = (message: string) => Object.assign(new Error(message), { stack: message });

export default class Tidy extends TestEnvironment {
  private readonly atFirst = open();
  /** Absent where tests of a file run side by side: what is open belongs to none of them alone. */
  private before: Open | undefined;

  async handleTestEvent(event: Circus.Event): Promise<void> {
    if (event.name === 'test_start') this.before = event.test.concurrent ? undefined : open();
    if (event.name === 'test_done' && this.before) {
      const left = await leftBeside(this.before);
      if (left.length > 0) event.test.errors.push(withoutPlace(`the test leaves behind: ${left.join(', ')}`));
    }
  }

  override async teardown(): Promise<void> {
    const left = await leftBeside(this.atFirst);
    await super.teardown();
    if (left.length > 0) throw withoutPlace(`this file leaves behind: ${left.join(', ')}`);
  }
}
