/**
 * The books of a user in a folder, or in any other storage: what they add to a payment, what they weigh, and how fast whoever
 * starts without a ledger has them (S8). Needs no server.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Books } from '../src/books/books';
import { BOOKS } from '../src/books/journal';
import { Standing } from '../src/books/standing';
import { verify } from '../src/books/verifying';
import { leadSubject } from '../src/paying/subject';
import { openStorage, type Storage } from '../src/storage';
import { runBench } from './support/main';
import { atMost, exactly, note, report } from './support/report';

const [given = '10000', url] = process.argv.slice(2);
const CONVERSIONS = Number(given);
const PRICE = 1_000;
/** Paid calls that one worker may have under way at once. */
const AT_ONCE = 10;
const USER = 'bench';
const TIMING = { sendWindowMs: 5_000, paidTimeoutMs: 210_000, settlingMs: 300_000 };
const WITHIN_MS = 60_000;
const MAX_ADDED_MS = 50;
const MAX_VERIFY_S = 10;
const MAX_RESTORE_S = 60;
const MIB = 1_048_576;
/** What reading may need beyond what the process had, whatever the number of entries. */
const MAX_GROWTH_MIB = 64;

function booksIn(storage: Storage, worker: string): Books {
  return new Books({
    storage,
    worker,
    user: USER,
    now: Date.now,
    timeZone: () => 'UTC',
    begin: async () => ({ kind: 'begun', account: 'default', days: {}, runs: {}, open: {} }),
    patienceMs: WITHIN_MS,
    warn: (what, error) => process.stderr.write(`${what}: ${String(error)}\n`),
  });
}

/** One payment without its request. @returns what the books added, milliseconds */
async function pay(books: Books, lead: string): Promise<number> {
  const subject = leadSubject(lead);
  const attempt = `attempt-${lead}`;
  const run = `convert-lead.default.${lead}`;
  const began = performance.now();
  const grantedAt = Date.now();
  const refused = await books.beforeSend({
    request: { subject, attempt, run, credits: PRICE, lookedAt: grantedAt, runCap: PRICE },
    open: { attempt, run, credits: PRICE, grantedAt, overAt: grantedAt + 515_000 },
    timing: TIMING,
    ceilings: { perRun: PRICE, perDay: PRICE * CONVERSIONS, perMonth: PRICE * CONVERSIONS, balanceFloor: 0 },
    withinMs: WITHIN_MS,
  });
  if (refused) throw new Error(`not to be sent: ${JSON.stringify(refused)}`);
  const between = performance.now() - began;
  const from = performance.now();
  await books.became(subject, attempt, run, { kind: 'paid', credits: PRICE });
  return between + performance.now() - from;
}

/** Pays for leads, several at once. @returns what the books added to each, the fastest first */
async function payAll(books: readonly Books[], name: string, count: number, atOnce: number): Promise<number[]> {
  const left = Array.from({ length: count }, (_, n) => `${name}-${n}`);
  const took: number[] = [];
  const lane = async (own: Books) => {
    for (let lead = left.pop(); lead !== undefined; lead = left.pop()) took.push(await pay(own, lead));
  };
  await Promise.all(books.flatMap((own) => Array.from({ length: atOnce }, () => lane(own))));
  return took.sort((one, other) => one - other);
}

/** Of another storage it is only said: how far away it is, is not ours. */
const limit: typeof atMost = (what, measured, most, unit = '') =>
  url === undefined ? atMost(what, measured, most, unit) : note(what, `${measured.toFixed(2)}${unit}`);

/** Milliseconds. */
const percentile = (sorted: readonly number[], share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;

async function weighed(storage: Storage): Promise<{ objects: number; bytes: number }> {
  let [objects, bytes] = [0, 0];
  for await (const { size } of storage.list(`${BOOKS}${USER}/`)) {
    objects += 1;
    bytes += size;
  }
  return { objects, bytes };
}

/** @returns seconds, and by how much the process grew at most, MiB */
async function timed(work: () => Promise<unknown>): Promise<{ seconds: number; growth: number }> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const began = performance.now();
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return { seconds: (performance.now() - began) / 1_000, growth: (most - before) / MIB };
}

async function books(storage: Storage): Promise<void> {
  const [one, other] = [booksIn(storage, 'w1'), booksIn(storage, 'w2')];
  const few = Math.ceil(CONVERSIONS / 20);
  const alone = await payAll([one], 'alone', few, 1);
  const crowded = await payAll([one], 'crowded', few, AT_ONCE);
  const contended = await payAll([one, other], 'contended', few, AT_ONCE / 2);
  const rest = CONVERSIONS - 3 * few;
  const filling = await timed(() => payAll([one], 'rest', rest, 1));
  await Promise.all([one.close(), other.close()]);
  const { objects, bytes } = await weighed(storage);

  const verified = await timed(() => verify(storage, USER, new Standing('UTC')));
  const late = booksIn(storage, 'w3');
  const restored = await timed(() => late.standing());
  const { days } = await late.standing();
  await late.close();
  const spent = [...days.values()].reduce((sum, credits) => sum + credits, 0);

  report(`books: ${CONVERSIONS} conversions in ${storage.describe()}`, [
    limit('added to a payment alone, p95', percentile(alone, 0.95), MAX_ADDED_MS, ' ms'),
    note('added to a payment alone, median', `${percentile(alone, 0.5).toFixed(1)} ms`),
    note(`the same with ${AT_ONCE} at once, median and p95`, both(crowded)),
    note(`the same with ${AT_ONCE} at once in two processes, median and p95`, both(contended)),
    note('conversions a second, one after the other', rest / filling.seconds),
    note('objects for each conversion', objects / CONVERSIONS),
    note('bytes for each conversion, copies included', bytes / CONVERSIONS),
    limit('verified, every entry and every copy', verified.seconds, MAX_VERIFY_S, ' s'),
    atMost('verified: memory beyond what the process had', verified.growth, MAX_GROWTH_MIB, ' MiB'),
    limit('restored by a process that starts', restored.seconds, MAX_RESTORE_S, ' s'),
    atMost('restored: memory beyond what the process had', restored.growth, MAX_GROWTH_MIB, ' MiB'),
    exactly('credits by the restored books', spent, CONVERSIONS * PRICE),
  ]);
}

const both = (took: readonly number[]) =>
  `${percentile(took, 0.5).toFixed(1)} and ${percentile(took, 0.95).toFixed(1)} ms`;

runBench(30, async () => {
  if (url !== undefined) return books(openStorage(url));
  const folder = await mkdtemp(join(tmpdir(), 'audit-runner-bench-books-'));
  try {
    await books(openStorage(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
});
