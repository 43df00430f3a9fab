/** S5, S7: what is refused with 429 again and again is asked less and less often, whatever it says. */
import { performance } from 'node:perf_hooks';
import { createGate, LIMITS } from '../../src/agent-api';
import { apiOf, closeAll, json, serve } from './server';

/** Both clocks stand still but for what a test lets pass. */
let passedMs = 0;
beforeEach(() => {
  passedMs = 0;
  const [wall, own] = [Date.now(), performance.now()];
  jest.spyOn(Date, 'now').mockImplementation(() => wall + passedMs);
  jest.spyOn(performance, 'now').mockImplementation(() => own + passedMs);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await closeAll();
});

/** A service that refuses unless it is told otherwise, and a client that asks again at the end of each pause. */
async function refusing(retryAfter: string | undefined) {
  let answer: (typeof answers)[keyof typeof answers] | undefined;
  const server = await serve((response) => {
    if (answer) json(response, answer.status, answer.body);
    else json(response, 429, { error: 'slow' }, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
  });
  const gate = createGate({ limits: LIMITS });
  const api = apiOf(server.baseUrl, { gate });
  const ask = () => api.call('leads.get', { id: 'l1' });
  const parked = () => Math.round(((gate.parkedUntil('reads') ?? Date.now()) - Date.now()) / 1_000);
  return {
    gate,
    ask,
    parked,
    /** Seconds of the pauses after so many refusals in a row. */
    async pauses(count: number) {
      const pauses: number[] = [];
      for (let n = 0; n < count; n++) {
        await ask();
        pauses.push(parked());
        passedMs += parked() * 1_000 + 1;
      }
      return pauses;
    },
    async answers(how: keyof typeof answers) {
      answer = answers[how];
      await ask();
      answer = undefined;
    },
  };
}
const answers = {
  success: { status: 200, body: { id: 'l1', surveyStatus: 'completed' } },
  refusal: { status: 404, body: { error: 'No such lead' } },
  failure: { status: 503, body: { error: 'Busy' } },
} satisfies Record<string, { status: number; body: object }>;

test.each([
  ['0', [1, 1, 2, 4, 8, 16, 32, 60, 60]],
  ['1', [1, 1, 2, 4, 8, 16, 32, 60, 60]],
  ['Sun, 06 Nov 1994 08:49:37 GMT', [1, 1, 2, 4, 8, 16, 32, 60, 60]],
  ['30', [30, 30, 60, 60]],
  ['90', [90, 90, 90, 90]],
  [undefined, [60, 60, 60]],
])('a service that always says %s: from the third refusal on twice as long, up to a window', async (said, expected) => {
  const { pauses } = await refusing(said);
  expect(await pauses(expected.length)).toEqual(expected);
});

test.each([
  ['success', [1, 1, 2]],
  ['refusal', [1, 1, 2]],
  ['failure', [8, 16]],
] as const)('a %s in between: %j', async (how, expected) => {
  const service = await refusing('1');
  expect(await service.pauses(4)).toEqual([1, 1, 2, 4]);
  await service.answers(how);
  expect(await service.pauses(expected.length)).toEqual(expected);
});

test('what left together and is refused together counts once', async () => {
  const { ask, parked, pauses } = await refusing('1');
  await Promise.all(Array.from({ length: 8 }, ask));
  expect(parked()).toBe(1);
  passedMs += 1_001;
  expect(await pauses(2)).toEqual([1, 2]);
});

test('a person who ends the parks ends the count', async () => {
  const { gate, pauses, ask, parked } = await refusing('1');
  gate.parksEnded(0);
  await pauses(5);
  await ask();
  expect(parked()).toBe(16);
  gate.parksEnded(1);
  expect(await pauses(3)).toEqual([1, 1, 2]);
});
