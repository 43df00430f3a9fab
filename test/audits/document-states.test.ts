import { documentIdIn, documentStates } from '../../src/audits/document-states';

const named = (...names: string[]) => names.map((fileName) => ({ fileName }));
const shows = (...names: string[]) => names.map((fileName, i) => ({ id: `d${i}`, fileName, uploadStatus: 'uploaded' }));
const states = (...args: Parameters<typeof documentStates>) => documentStates(...args).states;
const sent = { sent: true, strangers: 0 };
const taken = { ...sent, taken: true };

test('S2: a document is known by the ID of its upload, whatever the service calls it', () => {
  const kept = [
    { ...taken, documentId: 'D1' },
    { ...taken, documentId: 'd0' },
  ];
  const ids = [
    { id: 'd0', fileName: 'x', uploadStatus: 'pending' },
    { id: 'D1', fileName: 'y', uploadStatus: 'uploaded' },
  ];
  expect(states(named('a.pdf', 'b.pdf'), kept, ids)).toEqual(['settled', 'pending']);
});

test('S2: in capitals, without its ending and with other signs between its words it is the same document', () => {
  const names = named('Café report.pdf', 'b.txt');
  for (const shown of [
    ['CAFÉ REPORT.PDF', 'B.TXT'],
    ['Café report', 'b'],
    ['cafe-report.pdf', 'b.txt'],
    ['Cafe_report.pdf', 'b.txt'],
  ])
    expect(states(names, [], shows(...shown))).toEqual(['settled', 'settled']);
});

test('a name that is like those of two documents is neither', () => {
  expect(states(named('a.pdf', 'a.txt'), [], shows('a'))).toEqual(['missing', 'missing']);
  expect(states(named('a.pdf', 'a.txt'), [], shows('A.PDF'))).toEqual(['settled', 'missing']);
  expect(states(named('a.pdf'), [], shows('a.txt'))).toEqual(['missing']);
});

test('S2: what was sent may be what came to be there since; what was not sent is missing', () => {
  const [two, shown] = [named('a.pdf', 'b.pdf'), shows('x', 'y')];
  expect(states(two, [sent], shown)).toEqual(['unsure', 'missing']);
  expect(states(two, [{ ...sent, strangers: 2 }], shown)).toEqual(['missing', 'missing']);
  expect(documentStates(two, [], shown).strangers).toBe(2);
});

test('S2: of renamed documents as many are there as came to be there since', () => {
  const two = named('a.pdf', 'b.pdf');
  expect(states(two, [taken, taken], shows('x', 'y'))).toEqual(['settled', 'settled']);
  expect(states(two, [taken, taken], shows('x'))).toEqual(['unsure', 'unsure']);
  expect(states(two, [taken, sent], shows('x'))).toEqual(['settled', 'missing']);
  expect(states(two, [taken, sent], shows('x', 'y'))).toEqual(['settled', 'unsure']);
});

test('of documents of one name the newest tells since when it is there', () => {
  const made = (id: string, createdAt?: string) => ({ id, fileName: 'a.pdf', ...(createdAt && { createdAt }) });
  const [one, two] = ['2026-03-02T08:00:00.000Z', '2026-03-02T09:00:00.000Z'] as const;
  const madeAt = (...shown: ReturnType<typeof made>[]) => documentStates(named('a.pdf', 'b.pdf'), [], shown).madeAt;
  expect(madeAt(made('d0', one), made('d1', two), made('d2', 'soon'))).toEqual([Date.parse(two), undefined]);
  expect(madeAt(made('d0'))).toEqual([undefined, undefined]);
});

test.each([
  [{ documentId: 'd' }],
  [{ document: { id: 'd' }, id: 'p' }],
  [{ data: { document: { id: 'd' }, id: 'job' } }],
  [{ success: true, data: { id: 'd', projectId: 'p' } }],
  [{ id: 'd' }],
])('the ID of an upload is found in %j', (body) => {
  expect(documentIdIn(body, 'p')).toBe('d');
});

test.each([[undefined], [{ id: 'p' }], [[]], ['d'], [{ id: 5 }]])('there is none in %j', (body) => {
  expect(documentIdIn(body, 'p')).toBeUndefined();
});
