import { sightingIn } from '../../activities/references';
import { Project } from '../../src/agent-api/records';
import { withReference } from '../../src/policy/reference';

const since = Date.parse('2026-03-02T08:00:00.000Z');
const record = { since, clientName: 'Harbour Logistics' };
const project = (id: string, fields: object) => Project.parse({ id, clientName: 'Harbour Logistics', ...fields });
const seen = (...fields: object[]) =>
  sightingIn(
    fields.map((one, i) => project(`p${i}`, one)),
    'ref-1',
    record,
  );

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
])('S2: a project that may be the one is asked: %s', (_, fields) => {
  expect(seen(fields)).toEqual({ due: ['p0'], older: [] });
});

test('S2: what was there before the first look is told apart, and other names are not asked', () => {
  const older = { createdAt: '2026-03-02T07:50:00.000Z' };
  expect(seen(older, { clientName: 'Harbour' }, { clientName: null, description: 'x' })).toEqual({
    due: [],
    older: ['p0'],
  });
});
