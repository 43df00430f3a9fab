/** S8: what is paid is written down before and after, by whoever pays, and nobody pays what the books do not allow. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Books } from '../../src/books/books';
import type { Begun } from '../../src/books/entry';
import { leadSubject } from '../../src/paying/subject';
import { StorageError } from '../../src/storage';
import { at, booksOf, entries, NONE, NOTHING, paid, pay, storageWith } from './books.stage';

test('S8: an entry stands before a payment and another after it, and a process that starts knows both', async () => {
  const books = booksOf('w1');
  expect(await pay(books, 'l1')).toBeUndefined();
  await paid(books, 'l1');
  const kinds = readdirSync(entries()).map((name) => JSON.parse(readFileSync(join(entries(), name), 'utf8')).kind);
  expect(kinds).toEqual(['begun', 'sending', 'became']);
  expect(await booksOf('w2').kept()).toMatchObject({ days: { '2026-11-30': 1_000 }, runs: { run: 1_000 } });
});

test('S1: what is open by the books is not sent, whatever granted it, until it is over and was looked for after that', async () => {
  const [one, other] = [booksOf('w1'), booksOf('w2')];
  expect(await pay(one, 'l1')).toBeUndefined();
  expect(await pay(other, 'l1', { attempt: 'b' })).toMatchObject({ kind: 'open', attempt: 'a-l1' });
  at.now += 600_000;
  expect(await pay(other, 'l1', { attempt: 'b', lookedAt: at.now - 500_000 })).toMatchObject({ kind: 'open' });
  expect(await pay(other, 'l1', { attempt: 'b' })).toBeUndefined();
});

test('S1: of many processes at once one sends, and all of them have the same books', async () => {
  const all = Array.from({ length: 8 }, (_, n) => booksOf(`w${n}`));
  const answers = await Promise.all(all.map((books, n) => pay(books, 'l1', { attempt: `a${n}` })));
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
  const seen = await Promise.all(all.map((books) => books.standing()));
  expect(new Set(seen.map(({ hash }) => hash)).size).toBe(1);
});

test('S3: ceilings of run, day and month hold for all processes, and count what is still open', async () => {
  const [one, other] = [booksOf('w1'), booksOf('w2')];
  const ceilings = { perRun: 2_000, perDay: 3_000, perMonth: 4_000 };
  const next = (lead: string, run: string, books = one) => pay(books, lead, { run, ceilings });
  expect(await next('l1', 'r1')).toBeUndefined();
  expect(await next('l2', 'r1', other)).toBeUndefined();
  expect(await next('l3', 'r1')).toEqual({ kind: 'capped', cap: 'run', credits: 1_000 });
  expect(await next('l3', 'r2')).toBeUndefined();
  expect(await next('l4', 'r3', other)).toMatchObject({ cap: 'day', until: Date.parse('2026-12-01') });
  await one.became(leadSubject('l1'), 'a-l1', 'r1', { kind: 'notPaid' });
  expect(await next('l4', 'r3', other)).toBeUndefined();
  for (const [lead, run] of [
    ['l2', 'r1'],
    ['l3', 'r2'],
    ['l4', 'r3'],
  ] as const)
    await paid(one, lead, { run });
  expect(await pay(other, 'l5', { run: 'r5', ceilings: { perMonth: 3_000 } })).toMatchObject({
    cap: 'month',
    until: Date.parse('2026-12-01'),
  });
  expect(await one.obstacle({ ...NONE, perMonth: 3_000 }, { credits: 1_000 })).toMatchObject({ cap: 'month' });
  at.now = Date.parse('2026-12-01T00:00:01Z');
  expect(await pay(other, 'l5', { run: 'r5', ceilings })).toBeUndefined();
});

test('what was spent before there were books is their first entry, written once', async () => {
  const begun: Begun = { ...NOTHING, days: { '2026-11-30': 5_000 }, runs: { run: 5_000 } };
  const both = [booksOf('w1', { begun }), booksOf('w2', { begun })];
  await Promise.all(both.map((books, n) => pay(books, `l${n}`)));
  expect((await both[0]?.standing())?.spentIn('2026-11-30', at.now)).toBe(7_000);
  expect(await pay(booksOf('w3', { begun }), 'l9', { ceilings: { perDay: 7_500 } })).toMatchObject({ cap: 'day' });
});

test('S8: a storage that is away lets nothing be sent, and what became of a call is written once it is back', async () => {
  let isAway = false;
  const orFail = async () => {
    if (isAway) throw new Error('EIO');
  };
  const storage = storageWith((real) => ({
    create: (ref, content) => orFail().then(() => real.create(ref, content)),
    read: (ref) => orFail().then(() => real.read(ref)),
  }));
  const books = booksOf('w1', { storage });
  expect(await pay(books, 'l1')).toBeUndefined();
  isAway = true;
  expect(await pay(books, 'l2')).toMatchObject({ kind: 'unwritten' });
  const told = paid(books, 'l1');
  await new Promise((resolve) => setTimeout(resolve, 50));
  isAway = false;
  await told;
  expect(await booksOf('w2').kept()).toMatchObject({ days: { '2026-11-30': 1_000 }, flights: { open: {} } });
}, 15_000);

test('what could not be written in time is not sent, and does not stay open', async () => {
  let isSlow = false;
  const storage = storageWith((real) => ({
    create: async (ref, content) => {
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 300));
      return real.create(ref, content);
    },
  }));
  const books = booksOf('w1', { storage });
  await pay(books, 'l1');
  isSlow = true;
  expect(await pay(books, 'l2', { withinMs: 50 })).toEqual({ kind: 'late' });
  expect(books.isLate).toBe(true);
  isSlow = false;
  await paid(books, 'l1');
  expect(Object.keys((await books.standing()).sends.open)).toEqual([]);
});

test('a write whose reply is lost counts once', async () => {
  let lose = 0;
  const storage = storageWith((real) => ({
    create: async (ref, content) => {
      const isMade = await real.create(ref, content);
      if (lose-- > 0) throw new Error('ECONNRESET');
      return isMade;
    },
  }));
  const books = booksOf('w1', { storage });
  await pay(books, 'l1');
  lose = 2;
  await paid(books, 'l1');
  expect(await booksOf('w2').kept()).toMatchObject({ days: { '2026-11-30': 1_000 } });
}, 15_000);

test('a storage that overwrites what was to be created only once is refused', async () => {
  const storage = storageWith((real) => ({ create: (ref, content) => real.write(ref, content).then(() => true) }));
  expect(await pay(booksOf('w1', { storage }), 'l1')).toMatchObject({
    kind: 'unwritten',
    why: expect.stringContaining('conditional writes'),
  });
});

test('S8: where the mount of the folder is gone the next call is not paid, and it goes on with the same books once it is back', async () => {
  const books = booksOf('w1');
  expect(await pay(books, 'l1')).toBeUndefined();
  await paid(books, 'l1');
  const mounted = `${at.folder}-mounted`;
  renameSync(at.folder, mounted);
  expect(await pay(books, 'l2')).toMatchObject({ kind: 'unwritten', why: expect.stringContaining('mounted') });
  expect(existsSync(at.folder)).toBe(false);
  renameSync(mounted, at.folder);
  expect(await pay(books, 'l3')).toBeUndefined();
  await paid(books, 'l3');
  expect(await booksOf('w2').kept()).toMatchObject({ days: { '2026-11-30': 2_000 } });
}, 15_000);

test('S8: also where another storage is known by then: what was decided on the books of one is not written into the other', async () => {
  const books = booksOf('w1');
  expect(await pay(books, 'l1')).toBeUndefined();
  await paid(books, 'l1');
  renameSync(at.folder, `${at.folder}-mounted`);
  await books.place.read();
  expect(await pay(books, 'l2')).toMatchObject({ kind: 'unwritten', why: expect.stringContaining('mounted') });
  expect(existsSync(entries())).toBe(false);
  // Whoever tells the ledger of it reads what is there.
  expect((await books.standing()).spentIn('2026-11-30', at.now)).toBe(0);
  rmSync(`${at.folder}-mounted`, { recursive: true });
});

test('S8: nothing is paid where a storage ceases to mind conditions while workers run, and its ID stays', async () => {
  let minds = true;
  let isAway = false;
  const storage = storageWith((real) => ({
    read: (ref) => (isAway ? Promise.reject(new Error('EIO')) : real.read(ref)),
    create: (ref, content) => (minds ? real.create(ref, content) : real.write(ref, content).then(() => true)),
  }));
  const books = booksOf('w1', { storage });
  expect(await pay(books, 'l1')).toBeUndefined();
  await books.place.read();
  const { id } = books.place;
  minds = false;
  await expect(books.place.read()).rejects.toThrow('conditional writes');
  expect(books.trouble).toContain('overwrites');
  isAway = true;
  await expect(books.place.read()).rejects.toThrow('EIO');
  expect(books.trouble).toContain('overwrites');
  isAway = false;
  minds = true;
  await books.place.read();
  expect([books.trouble, books.place.id]).toEqual([undefined, id]);
});

test('S8: where nothing can be written any more the books can be read all the same', async () => {
  await pay(booksOf('w1'), 'l1');
  const full = () => Promise.reject(new StorageError('unusable', 'the disk is full'));
  const reader = booksOf('w2', { storage: storageWith(() => ({ create: full, write: full })) });
  expect(Object.keys((await reader.standing()).sends.open)).toEqual([leadSubject('l1')]);
});

test('S3: what could not be told for hours, and another process has written since, is not booked once more', async () => {
  let away = false;
  const storage = storageWith((real) => ({
    create: (ref, content) => (away ? Promise.reject(new Error('away')) : real.create(ref, content)),
  }));
  const [cut, other] = [booksOf('w1', { storage }), booksOf('w2')];
  await pay(cut, 'l1');
  away = true;
  const told = cut.became(leadSubject('l1'), 'a-l1', 'run', { kind: 'paid', credits: 1_000 });
  await other.became(leadSubject('l1'), 'a-l1', 'run', { kind: 'paid', credits: 1_000 });
  for (const lead of ['l2', 'l3']) {
    at.now += 2 * 3_600_000;
    await pay(other, lead);
    await other.became(leadSubject(lead), `a-${lead}`, 'run', { kind: 'paid', credits: 1_000 });
  }
  await told;
  away = false;
  await cut.close();
  expect((await booksOf('w3').standing()).runs.get('run')).toBe(3_000);
}, 30_000);

test.each(['flipped', 'missing'])('S8: a byte that is %s is found and named', async (how) => {
  const books = booksOf('w1');
  for (let n = 1; n < 8; n++) await pay(books, `l${n}`);
  const file = join(entries(), '0000000005.json');
  if (how === 'missing') unlinkSync(file);
  else writeFileSync(file, readFileSync(file, 'utf8').replace('1000', '1001'));
  await expect(booksOf('w2').standing()).rejects.toThrow(/entries\/000000000[56]/);
  expect(await pay(booksOf('w3'), 'x')).toMatchObject({ kind: 'unwritten', why: expect.stringContaining('entries') });
});

test('S3: what is sent again counts once against a ceiling, also where the books are begun by its own grant', async () => {
  const open = { attempt: 'a-l1', run: 'run', credits: 1_000, grantedAt: at.now, overAt: at.now + 515_000 };
  const books = booksOf('w1', { begun: { ...NOTHING, open: { [leadSubject('l1')]: open } } });
  const ceilings = { perRun: 1_000, perDay: 1_000, perMonth: 1_000 };
  expect(await pay(books, 'l1', { ceilings })).toBeUndefined();
  at.now += 516_000;
  expect(await pay(books, 'l1', { attempt: 'b', ceilings })).toBeUndefined();
  expect(await pay(books, 'l2', { ceilings })).toMatchObject({ kind: 'capped' });
});

test('S8: what nobody could read again is not written, and keeps nothing else from being written', async () => {
  const books = booksOf('w1');
  await pay(books, 'l1');
  await books.became(leadSubject('l1'), 'a-l1', 'run', { kind: 'paid', credits: -5_000_000 });
  await books.became(leadSubject('l9'), 'x'.repeat(5_000), 'run', { kind: 'paid', credits: 1 });
  await paid(books, 'l1');
  expect(await booksOf('w2').kept()).toMatchObject({ days: { '2026-11-30': 1_000 } });
  expect(await pay(books, 'l2', { attempt: 'x'.repeat(5_000) })).toMatchObject({ kind: 'unwritten' });
});

test('S8: the storage has an ID that all processes read alike, also where nothing was paid yet', async () => {
  const [one, other] = [booksOf('w1'), booksOf('w2')];
  const placeOf = async ({ place }: Books) => {
    await place.read();
    return place.id;
  };
  const [place, same] = await Promise.all([placeOf(one), placeOf(other)]);
  expect(same).toBe(place);
  await pay(one, 'l1');
  expect(await placeOf(booksOf('w3'))).toBe(place);
  rmSync(join(at.folder, 'books'), { recursive: true });
  expect(await placeOf(booksOf('w4'))).not.toBe(place);
});

test('a process that ends without having written what it had to tell says of what the books know nothing', async () => {
  let isAway = false;
  const warned: string[] = [];
  const storage = storageWith((real) => ({
    create: (ref, content) => (isAway ? Promise.reject(new Error('EIO')) : real.create(ref, content)),
  }));
  const books = booksOf('w1', { storage, warn: (what) => warned.push(what) });
  await pay(books, 'l1');
  isAway = true;
  const told = paid(books, 'l1');
  await books.close();
  await told;
  expect(warned.at(-1)).toContain(`the books lack what became of ${leadSubject('l1')}`);
});

test('a process that ends tries once more to write what it has to tell, however long it would have waited', async () => {
  let fails = 0;
  const storage = storageWith((real) => ({
    create: (ref, content) => (fails-- > 0 ? Promise.reject(new Error('EIO')) : real.create(ref, content)),
  }));
  const books = booksOf('w1', { storage });
  await pay(books, 'l1');
  fails = 1;
  const told = paid(books, 'l1');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const askedAt = performance.now();
  await books.close();
  expect(performance.now() - askedAt).toBeLessThan(1_000);
  await told;
  expect(await booksOf('w2').kept()).toMatchObject({ days: { '2026-11-30': 1_000 } });
});

test('S7: while it cannot be read where the books are, whoever waits is told so, and goes on once it can', async () => {
  let isAway = true;
  const storage = storageWith((real) => ({
    create: (ref, content) => (isAway ? Promise.reject(new Error('EIO')) : real.create(ref, content)),
    read: (ref) => (isAway ? Promise.reject(new Error('EIO')) : real.read(ref)),
  }));
  const books = booksOf('w1', { storage });
  await expect(books.obstacle(NONE, { credits: 1_000 })).rejects.toThrow('the books in the storage cannot be kept');
  expect(books.trouble).toContain('EIO');
  isAway = false;
  expect(await books.obstacle(NONE, { credits: 1_000 })).toBeUndefined();
  expect(books.trouble).toBeUndefined();
  // What was read once is known also while the storage is away.
  isAway = true;
  await expect(books.place.read()).rejects.toThrow('EIO');
  expect(await books.obstacle(NONE, { credits: 1_000 })).toBeUndefined();
});

test('S8: a payment names the entry that allowed it: how its run began, or what a person said to it last', async () => {
  const books = booksOf('w1');
  const act = (update: string, workflowId = 'a/b') =>
    books.act({ kind: 'act', update, workflowId, runId: 'r', when: at.now, said: '{}' }, randomUUID());
  const allowedBy = async (lead: string, run = 'a/b/r1') => {
    await pay(books, lead, { run });
    const { seq } = await books.standing();
    const file = join(entries(), `${String(seq).padStart(10, '0')}.json`);
    return JSON.parse(readFileSync(file, 'utf8')).allowedBy;
  };
  expect(await allowedBy('l1')).toBeUndefined();
  await act('start');
  expect(await allowedBy('l2')).toBe(3);
  await act('approve', 'another');
  await act('pause');
  expect(await allowedBy('l3')).toBe(3);
  await act('approve');
  expect(await allowedBy('l4')).toBe(8);
});

test('days are summed up in any time zone, and what was spent before there were books stays on its days', async () => {
  const begun = { ...NOTHING, days: { '2026-10-31': 500 } };
  const books = booksOf('w1', { begun });
  at.now = Date.parse('2026-11-30T18:00:00Z');
  for (const lead of ['1', '2', '3']) {
    await pay(books, lead);
    await paid(books, lead);
    at.now += 16 * 60_000;
  }
  const dayIn = async (timeZone: string) => {
    const kept = await booksOf('w2', { begun }).kept(timeZone);
    return [kept?.timeZone, kept?.days];
  };
  expect(await dayIn('UTC')).toEqual(['UTC', { '2026-10-31': 500, '2026-11-30': 3_000 }]);
  expect(await dayIn('Asia/Tokyo')).toEqual(['Asia/Tokyo', { '2026-10-31': 500, '2026-12-01': 3_000 }]);
  // Where a day begins at 18:15 by UTC.
  const both = { '2026-10-31': 500, '2026-11-30': 1_000, '2026-12-01': 2_000 };
  expect(await dayIn('Asia/Kathmandu')).toEqual(['Asia/Kathmandu', both]);
  expect(await dayIn('Mars/Olympus')).toEqual(await dayIn('UTC'));
});
