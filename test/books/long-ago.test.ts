/** Who has paid, of long books: many who ask at once have them read once. */
import { leadSubject } from '../../src/paying/subject';
import { openStorage, type Storage } from '../../src/storage';
import { at, booksOf, paid, pay } from './books.stage';

const LEADS = 20;
const DAY_MS = 86_400_000;

/**
 * A storage that counts how often the first entry is read: once for each reading of the books from the beginning on.
 * @param begins what each of them waits for
 */
function counting(begins: () => Promise<void> = async () => undefined): { storage: Storage; readings(): number } {
  const storage = openStorage(at.folder);
  let readings = 0;
  const read = async (ref: string) => {
    if (/\/entries\/0*1\.json$/.test(ref)) {
      readings++;
      await begins();
    }
    return storage.read(ref);
  };
  return {
    readings: () => readings,
    storage: new Proxy(storage, { get: (target, name) => (name === 'read' ? read : bound(target, name)) }),
  };
}

const bound = (target: Storage, name: string | symbol): unknown => {
  const own: unknown = Reflect.get(target, name);
  return typeof own === 'function' ? own.bind(target) : own;
};

async function longAgo() {
  const before = booksOf('w1');
  for (let n = 0; n < LEADS; n++) {
    await pay(before, `l${n}`);
    await paid(before, `l${n}`);
  }
  at.now += DAY_MS;
  // What was settled a day ago is forgotten with the next that is.
  await pay(before, 'today');
  await paid(before, 'today');
}

test('S6: who has paid long ago is told to all who ask, by two readings', async () => {
  await longAgo();
  let begins = Promise.resolve();
  const { storage, readings } = counting(() => begins);
  const books = booksOf('w2', { storage });
  await books.standing();
  let begin: () => void = () => undefined;
  begins = new Promise((resolve) => {
    begin = resolve;
  });
  const before = readings();
  const subjects = Array.from({ length: LEADS + 5 }, (_, n) => leadSubject(`l${n}`));
  const told = Promise.all(subjects.map((subject) => books.paidFor(subject)));
  // All have asked: each looks first what the books have at hand, one after the other.
  await books.standing();
  begin();
  expect((await told).map((one) => one?.credits)).toEqual(subjects.map((_, n) => (n < LEADS ? 1_000 : undefined)));
  expect(readings() - before).toBe(2);
});

test('S6: an answer is kept, for whoever could not wait for it; what is paid since is told all the same', async () => {
  await longAgo();
  const { storage, readings } = counting();
  const books = booksOf('w2', { storage });
  expect(await books.paidFor(leadSubject('new'))).toBeUndefined();
  expect(await books.paidFor(leadSubject('l1'))).toMatchObject({ attempt: 'a-l1', credits: 1_000 });
  const before = readings();
  expect(await books.paidFor(leadSubject('new'))).toBeUndefined();
  expect(await books.paidFor(leadSubject('l1'))).toMatchObject({ attempt: 'a-l1', credits: 1_000 });
  expect(readings()).toBe(before);

  const other = booksOf('w3');
  await pay(other, 'new');
  await paid(other, 'new');
  expect(await books.paidFor(leadSubject('new'))).toMatchObject({ credits: 1_000 });
  // A day later it is forgotten there too.
  at.now += DAY_MS;
  await pay(other, 'later');
  await paid(other, 'later');
  expect(await books.paidFor(leadSubject('new'))).toMatchObject({ credits: 1_000 });
});
