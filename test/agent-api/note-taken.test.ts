import { noteTaken } from '../../src/agent-api/job';
import { Undocumented } from '../../src/agent-api/undocumented';

const read = (body: unknown, id?: string) =>
  noteTaken(body, Undocumented.parse(id === undefined ? {} : { note: { id } }));

test.each([
  [{ id: 'c1', status: 'pending', channel: 'text_note' }],
  [{ data: { id: 'c1', type: 'captures', attributes: { status: 'pending' } } }],
  [[{ id: 'c1', raw_content: 'Call back' }]],
  [{ capture: { id: 'c1' } }],
  [{ success: true, data: { captureId: 'c1' } }],
  [{ data: { capture: { id: 'c1' } } }],
  [{ id: 'request', capture: { id: 'c1' } }],
  [{ id: 'request', capture_id: 'c1' }],
  [{ result: { note: { id: 'c1' } } }],
  [{ note: { id: 'n1' }, capture: { id: 'c1' } }],
  [{ type: 'note', id: 'n1', capture: { id: 'c1' } }],
  [{ job: { id: 'j1', type: 'capture', captureId: 'c1' } }],
  [{ job: { id: 'j1', capture: { id: 'c1' } } }],
])('finds the ID of the capture in %j', (body) => {
  expect(read(body)).toEqual({ captureId: 'c1' });
});

test.each([
  [undefined],
  [{}],
  [{ queued: true }],
  ['text'],
  [{ id: 7 }],
  [{ id: 'c1', status: 'pending' }],
  [{ success: true, job: { id: 'j1', type: 'capture' } }],
  [{ jobs: [{ id: 'j1', type: 'capture' }] }],
  [{ task: { id: 'j1', channel: 'text_note' } }],
  [{ capture: { status: 'pending' }, note: { id: 'n1' } }],
])('what may be the ID of a job in %j is not believed, and nothing fails', (body) => {
  expect(read(body)).toEqual({});
});

test("the setting 'undocumented.note.id' names another place, and then only that one counts", () => {
  expect(read({ id: 'other', job: { target: 'c1' } }, 'job.target')).toEqual({ captureId: 'c1' });
  expect(read({ id: 'other' }, 'job.target')).toEqual({});
});
