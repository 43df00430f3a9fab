import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lookForReference, type ProjectRecord, recordRef, sightingIn, youngIn } from '../../activities/references';
import { Project } from '../../src/agent-api/records';
import { withReference } from '../../src/audits/reference';
import { FolderStorage } from '../../src/storage/folder';
import { closeAll } from '../agent-api/server';
import { asActivity, serviceOf } from './service';

afterEach(closeAll);

const since = Date.parse('2026-03-02T08:00:00.000Z');
const record = { since, clientName: 'Harbour Logistics' };
const project = (id: string, fields: object) => Project.parse({ id, clientName: 'Harbour Logistics', ...fields });
const seenBy = (known: ProjectRecord, ...fields: object[]) =>
  sightingIn(
    fields.map((one, i) => project(`p${i}`, one)),
    'ref-1',
    known,
  );
const seen = (...fields: object[]) => seenBy(record, ...fields);

test('S2: the project whose description shows the reference is found, whatever its name', () => {
  expect(seen({}, { clientName: 'Other', description: withReference('x', 'ref-1') })).toMatchObject({ found: 'p1' });
  expect(seen({ description: withReference('x', 'ref-10') }).found).toBeUndefined();
});

test.each([
  ['no description is shown', {}],
  ['null is shown for it', { description: null }],
  ['it is shortened', { description: 'What is to be aud…' }],
  ['the name is written otherwise', { clientName: ' HARBOUR  Logistics', description: null }],
  ['it is as young as the clocks can tell', { createdAt: '2026-03-02T07:56:00.000Z' }],
  ['neither name nor description is shown', { clientName: null }],
  ['its mark was cut', { description: 'What is to be audited [audit-runner ref' }],
  ['its mark was stripped', { description: 'What is to be audited' }],
  ['the name is shown with entities', { clientName: 'Harbour&#32;Logistics' }],
])('S2: a project that may be the one is asked: %s', (_, fields) => {
  expect(seen(fields)).toEqual({ due: ['p0'], older: [], strange: [] });
});

test('S2: what was there before the first look is told apart, and other names are not asked', () => {
  const older = { createdAt: '2026-03-02T07:50:00.000Z' };
  expect(seen(older, { clientName: 'Harbour' }, { clientName: null, description: 'x' })).toEqual({
    due: [],
    older: ['p0'],
    strange: [],
  });
});

test.each([
  ['entities', 'x &#91;audit-runner ref-1&#x5D;'],
  ['entities of entities', 'x &amp;#91;audit&amp;hyphen;runner ref-1&amp;#93;'],
  ['backslashes', 'x \\[audit\\-runner ref\\-1\\]'],
  ['no brackets', 'x audit-runner ref-1'],
  ['other spaces', 'x\u00a0[audit\u2011runner\n ref-1 ]'],
])('S2: a mark is read through %s', (_, description) => {
  expect(seen({ description }).found).toBe('p0');
});

test("S2: another reference's mark proves whose a project is; where it may have been cut behind one, it does not", () => {
  expect(seen({ description: withReference('x', 'ref-10') })).toEqual({ due: [], older: [], strange: [] });
  expect(seen({ description: `${withReference('x', 'ref-10')} and more` }).due).toEqual(['p0']);
  expect(seen({ description: 'x [audit-runner ref-1' }).due).toEqual(['p0']);
});

test('S2: what was there before anything was sent is known by its ID, whatever the clocks say', () => {
  const sent = { ...record, sent: true as const, before: ['p0'] };
  const early = { createdAt: '2026-03-02T06:00:00.000Z' };
  expect(seenBy(sent, {}, early, { createdAt: '2026-02-28T08:00:00.000Z' })).toEqual({
    due: ['p1'],
    older: ['p0', 'p2'],
    strange: [],
  });
});

test('S2: once something was sent, a project of another name is in doubt as long as its text could be ours', () => {
  const sent = { ...record, sent: true, description: 'Stocks of the harbour' } as const;
  const created = { clientName: 'HL', createdAt: '2026-03-02T08:01:00.000Z' };
  const texts = [null, 'Stocks of the harbour', 'Stocks of', '', 'An audit of schools'];
  const fields = texts.map((description) => ({ ...created, description }));
  expect(seenBy(sent, ...fields).strange).toEqual(['p0', 'p1', 'p2', 'p3']);
  expect(seenBy(record, ...fields).strange).toEqual([]);
  const newest = Date.parse('2026-03-02T08:02:00.000Z');
  expect(seenBy({ ...sent, newest }, ...fields).strange).toEqual([]);
  // The newest of those that were there is no younger than what is sent next, and known by its ID.
  const young = youngIn(fields.map((one, i) => project(`p${i}`, i === 0 ? created : { ...one, createdAt: null })));
  expect(young).toEqual([{ id: 'p0', at: Date.parse(created.createdAt) }]);
  const there = { ...sent, newest: Date.parse(created.createdAt), before: young.map(({ id }) => id) };
  expect(seenBy(there, ...fields).strange).toEqual(['p1', 'p2', 'p3']);
});

describe('S2: the ledger asks the whole list for a reference, in pages of ten without a total,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'references-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const storage = new FolderStorage(folder);
  const lost = { clientName: 'Harbour Logistics', description: withReference('x', 'ref-1') };
  const others = Array.from({ length: 82 }, (_, i) => ({ id: `p${i}`, clientName: 'School', description: 'x' }));
  /** What it says where the lost project stands behind so many others. */
  const look = async (before: number) => {
    const all = [...others.slice(0, before), { id: 'lost', ...lost }, ...others.slice(before)];
    const { runtime } = await serviceOf((query) => {
      const from = Number(query.get('offset') ?? 0);
      return { projects: all.slice(from, from + 10) };
    });
    await storage.write(recordRef('default', 'ref-1'), JSON.stringify({ ...record, sent: true }));
    return asActivity(() => lookForReference(runtime, storage, 'ref-1'));
  };

  test.each([0, 59, 60, 82])('and finds it behind %i others', async (before) => {
    expect(await look(before)).toBe('found');
  });
});
