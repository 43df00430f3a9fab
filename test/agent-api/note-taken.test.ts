import { noteTaken, Unshown } from '../../src/agent-api/unshown';

const read = (body: unknown, id?: string) => noteTaken(body, Unshown.parse(id === undefined ? {} : { note: { id } }));

test.each([
  [{ id: 'c1', status: 'pending' }],
  [{ capture: { id: 'c1' } }],
  [{ success: true, data: { captureId: 'c1' } }],
  [{ data: { capture: { id: 'c1' } } }],
  [{ id: 'request', capture: { id: 'c1' } }],
  [{ id: 'request', capture_id: 'c1' }],
  [{ result: { note: { id: 'c1' } } }],
])('finds the ID of the capture in %j', (body) => {
  expect(read(body)).toEqual({ captureId: 'c1' });
});

test.each([[undefined], [{}], [{ queued: true }], ['text'], [{ id: 7 }], [[{ id: 'c1' }]]])(
  'without one in %j there is none, and nothing fails',
  (body) => {
    expect(read(body)).toEqual({});
  },
);

test("the setting 'unshown.note.id' names another place, and then only that one counts", () => {
  expect(read({ id: 'other', job: { target: 'c1' } }, 'job.target')).toEqual({ captureId: 'c1' });
  expect(read({ id: 'other' }, 'job.target')).toEqual({});
});
