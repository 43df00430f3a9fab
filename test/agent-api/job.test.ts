/** Whose an ID is, and what a job says of itself. */
import { type RouteName, routes } from '../../src/agent-api';
import { Undocumented } from '../../src/agent-api/undocumented';

const read = (name: RouteName, body: unknown, settings: object = {}, id?: string): unknown =>
  routes[name].read(body, Undocumented.parse(settings), { id });

test.each([
  [
    'complete',
    ['complete', 'COMPLETED', 'Succeeded', 'ready', 'processed', 'completed_with_warnings', 'CompletedWithErrors'],
  ],
  ['failed', ['failed', 'ERROR', 'cancelled', 'timed-out', 'TimedOut', 'expired', 'completion_failed', 'Unsuccessful']],
  ['running', ['running', 'queued', 'In Progress', 'pending', 'pending_review']],
])('a job is %s by any of %j', (state, words) => {
  for (const status of words) expect(read('jobs.get', { status })).toEqual({ state });
});

test('S7: a word that nobody knows is told, and a setting says what it means', () => {
  expect(read('jobs.get', { status: 'Archived' })).toEqual({ state: 'running', unclear: 'Archived' });
  expect(read('jobs.get', { status: 'Zeb Smith: 0171' })).toEqual({ state: 'running', unclear: 'another word' });
  expect(read('jobs.get', { status: 'Archived' }, { job: { complete: ['archived'] } })).toEqual({ state: 'complete' });
});

test.each([
  ['an envelope with a status of its own', { status: 'success', data: { status: 'running' } }],
  ['a job under any name', { status: 'ok', payload: { work: { id: 'j1', state: 'running', progress: 10 } } }],
  ['the one that was asked for', { jobs: [{ id: 'j1', status: 'running' }], status: 'complete' }],
  ['done: false', { name: 'operations/1', done: false }],
])('the status is that of the job: %s', (_, body) => {
  expect(read('jobs.get', body, {}, 'j1')).toEqual({ state: 'running' });
});

test.each([
  [{ jobId: 'j1', id: 'other' }, 'j1'],
  [{ data: { job: { id: 7 } }, id: 'request' }, '7'],
  [{ id: 'a1', executiveSummary: null, opportunityCount: 0, status: 'running' }, undefined],
  [{ id: 'j1', status: 'queued' }, 'j1'],
  [{ data: { type: 'jobs', id: 'j1', attributes: {} } }, 'j1'],
])('the start of an audit %j names the job %s', (body, jobId) => {
  expect(read('projects.auditAsync', body)).toEqual(jobId === undefined ? {} : { jobId });
});

test.each([
  [{ user: { id: 'u1' }, id: 'session' }],
  [{ sessionId: 's', payload: { id: 'u1', email: 'a@b.c' } }],
  [{ id: 's', _embedded: { viewer: { uuid: 'u1' } } }],
  [[{ id: 'u1', name: 'Ada' }]],
  [{ organization: { id: 'o1', name: 'Org' }, user: { id: 'u1' } }],
  [{ tenant: { id: 'o1', name: 'Org' }, member: { id: 'u1', email: 'a@b.c' } }],
])('S1: the user is the user, and not the session: %j', (body) => {
  expect(read('account.user', body)).toEqual({ userId: 'u1' });
});

test('S1: a user whose ID is a number has it as text', () => {
  expect(read('account.user', { id: 17 })).toEqual({ userId: '17' });
});
