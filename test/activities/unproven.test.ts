/** S6, S7: a 4xx of something in between is not the service's word on a read: it is waited out, with a sentence. */
import { createAuditsActivities } from '../../activities/audits';
import { askBalance, callRoute } from '../../activities/call';
import type { Deps } from '../../activities/deps';
import { FailureType } from '../../src/runs/failure-types';
import { apiOf, closeAll, json, serve } from '../agent-api/server';
import { asActivity, serviceOf } from './service';

afterEach(closeAll);

/** The runtime of a service that answers each request so. */
async function runtimeWith(status: number, body: string | object) {
  const server = await serve((response) =>
    typeof body === 'string' ? response.writeHead(status).end(body) : json(response, status, body),
  );
  return { ...(await serviceOf(() => ({}))).runtime, api: apiOf(server.baseUrl) };
}
const thrown = (work: () => Promise<unknown>) =>
  asActivity(work).then(
    () => undefined,
    (error: unknown) => error,
  );

test.each([
  [404, 'default backend - 404'],
  [403, '<h1>Request blocked</h1>'],
  [405, '"no"'],
])('a %i with the body %j says so, and what to do if it lasts', async (status, body) => {
  const runtime = await runtimeWith(status, body);
  expect(await thrown(() => callRoute(runtime, 'leads.get', { id: 'l1' }))).toMatchObject({
    type: FailureType.upstream,
    nonRetryable: true,
    message: expect.stringMatching(
      new RegExp(`^the service does not answer GET /api/lead-generation/leads/\\{id\\}.* ${status} .*check baseUrl`),
    ),
  });
});

test('where it may be the names of parameters that are refused so, the setting is named', async () => {
  const runtime = await runtimeWith(400, 'Bad Request');
  expect(await thrown(() => callRoute(runtime, 'leads.list'))).toMatchObject({
    type: FailureType.upstream,
    message: expect.stringContaining('undocumented.leadsList'),
  });
});

test('an analysis that only something in between denies is not taken for one that is not there', async () => {
  const runtime = await runtimeWith(404, 'default backend - 404');
  const { analysisSeen } = createAuditsActivities({ accounts: new Map([['default', runtime]]) } as unknown as Deps);
  const input = { account: 'default', projectId: 'p1' };
  expect(await thrown(() => analysisSeen(input))).toMatchObject({ type: FailureType.upstream });
});

test('nor does it show that an account on hold is free again', async () => {
  const runtime = await runtimeWith(404, 'default backend - 404');
  expect(await thrown(() => askBalance(runtime))).toMatchObject({ type: FailureType.upstream });
});

test.each([
  [404, { error: 'No such lead' }],
  [403, { message: 'No' }],
  [404, ''],
  [403, ''],
])('a %i with the body %j is the refusal of the service', async (status, body) => {
  const runtime = await runtimeWith(status, body);
  expect(await thrown(() => callRoute(runtime, 'leads.get', { id: 'l1' }))).toMatchObject({
    type: FailureType.refused,
    details: [{ status }],
  });
});
