import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import pino from 'pino';
import { createBooksActivities } from '../activities/books';
import type { Deps } from '../activities/deps';
import { accountOf, loadConfig } from '../src/config';
import type { LedgerStatus } from '../src/ledger/messages';
import type { Passage } from '../src/ledger/passage';
import { FailureType } from '../src/runs/failure-types';
import { createRuntime, type RuntimeOptions } from '../src/runtime';
import { openStorage } from '../src/storage';
import { latestLedger, latestPassage } from '../src/temporal/latest-ledger';
import { LedgerClient } from '../src/temporal/ledger-client';
import { type Answer, closeAll, json, serve, TOKEN } from './agent-api/server';
import { until } from './support/until';

jest.mock('../src/temporal/latest-ledger');

let cwd: string;
/** Nothing is asked of it: the ledger's answers are made up. */
let connection: Connection;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'runtime-'));
  writeFileSync(join(cwd, 'token'), TOKEN);
  connection = Connection.lazy();
  jest.mocked(latestPassage).mockReset().mockResolvedValue(undefined);
  jest.spyOn(LedgerClient.prototype, 'passage').mockResolvedValue(undefined);
  jest.spyOn(LedgerClient.prototype, 'configure').mockResolvedValue();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await connection.close();
  await closeAll();
  rmSync(cwd, { recursive: true });
});

/** Another token, of whomever the service says. */
const replaceToken = (end: string) => writeFileSync(join(cwd, 'token'), `${TOKEN.slice(0, -1)}${end}`);

/** The runtime of an account whose service answers like this; the first question is followed by another after 20 ms. */
async function runtimeAt(
  answer: Answer,
  undocumented = '{}',
  owners = new Map<string, string>(),
  options: RuntimeOptions = {},
) {
  const { baseUrl } = await serve(answer);
  writeFileSync(
    join(cwd, 'audit-runner.yaml'),
    `accounts: { main: { baseUrl: '${baseUrl}', tokenFile: token, timing: { holdProbeMs: 20 }, undocumented: ${undocumented} } }`,
  );
  const account = accountOf(loadConfig({ env: {}, cwd }), 'main');
  return createRuntime(
    account,
    new Client({ connection }),
    openStorage(join(cwd, 'storage')),
    owners,
    pino({ level: 'silent' }),
    options,
  );
}

test('a service that names no user is gone by the account, where the configuration says so, and is not asked', async () => {
  let asked = 0;
  const runtime = await runtimeAt(
    (response) => json(response, 404, { asked: asked++ }),
    '{ account: { userId: null } }',
  );
  expect((await runtime.ledger()).workflowId).toBe('account-ledger.by-name-main');
  expect(asked).toBe(0);
  await runtime.close();
});

test.each([
  [404, { error: 'not found' }, "set 'undocumented.account.userId' to null"],
  [403, { error: 'Forbidden' }, "set 'undocumented.account.userId' to null"],
  [405, { error: 'Method not allowed' }, "set 'undocumented.account.userId' to null"],
  [200, { plan: 'team' }, "name its field with 'undocumented.account.userId'"],
])(
  'S1 S3: one odd answer (%i %j) makes no second ledger: it is said, and asked again',
  async (status, body, setting) => {
    let odd = 1;
    const runtime = await runtimeAt((response) =>
      odd-- > 0 ? json(response, status, body) : json(response, 200, { id: 'user-1' }),
    );
    await expect(runtime.ledger()).rejects.toThrow(setting);
    const ledger = () => runtime.ledger().catch(() => undefined);
    await until(async () => (await ledger())?.workflowId === 'account-ledger.user-1');
    await runtime.close();
  },
);

test.each([
  [403, '<h1>Request blocked</h1>'],
  [404, '404 page not found'],
  [404, ''],
  [405, '"no"'],
])(
  'S1 S3: a %i with the body %j may be that of something in between: the service is asked again',
  async (status, page) => {
    let pages = 1;
    const runtime = await runtimeAt((response) =>
      pages-- > 0 ? response.writeHead(status).end(page) : json(response, 200, { id: 'user-1' }),
    );
    await expect(runtime.ledger()).rejects.toThrow(`GET /api/user/current answers ${status} without a JSON body`);
    const ledger = () => runtime.ledger().catch(() => undefined);
    await until(async () => (await ledger())?.workflowId === 'account-ledger.user-1');
    await runtime.close();
  },
);

test('S7: a worker that could not ask who its token belongs to asks again for a ledger that opens, though no run needs it', async () => {
  let odd = 1;
  const runtime = await runtimeAt((response) =>
    odd-- > 0 ? json(response, 500, {}) : json(response, 200, { id: 'user-1' }),
  );
  await expect(runtime.ledger()).rejects.toThrow('it is not known who');
  const accounts = new Map([['main', runtime]]);
  const list = () => {
    throw new Error('no list of runs here');
  };
  const client = { workflow: { list }, options: {} };
  const { openBooks } = createBooksActivities({ accounts, client } as unknown as Deps);
  const workflowExecution = { workflowId: 'account-ledger.user-1', runId: 'run-1' };
  const problem = () => new MockActivityEnvironment({ workflowExecution }).run(openBooks).catch(String);
  expect(await problem()).toContain('left to one that does');
  await until(async () => String(await problem()).includes('no list of runs here'), 10_000);
  await runtime.close();
});

test('S7: a process that could not find out whose its token is asks again, though nobody needs it', async () => {
  let odd = 1;
  const runtime = await runtimeAt((response) =>
    odd-- > 0 ? json(response, 401, { error: 'no' }) : json(response, 200, { id: 'user-1' }),
  );
  await expect(runtime.ledger()).rejects.toThrow('it is not known who');
  await until(() => runtime.knownLedger()?.workflowId === 'account-ledger.user-1');
  await runtime.close();
});

describe('a pause of the reads before it is known whose the token is', () => {
  const heard = (passage: Partial<Passage>) =>
    jest.mocked(latestPassage).mockResolvedValue({ at: 0, parked: {}, ...passage } as Passage);
  const said = { type: FailureType.parked, nonRetryable: true, message: 'The service asked to wait (429): reads' };

  test('S5 S7: it is said, nothing is asked meanwhile, and a person may end it', async () => {
    let asked = 0;
    const runtime = await runtimeAt((response) =>
      asked++ === 0 ? json(response, 429, { error: 'Too many requests' }) : json(response, 200, { id: 'user-1' }),
    );
    heard({});
    await expect(runtime.ledger()).rejects.toMatchObject(said);
    const looks = jest.mocked(latestPassage).mock.calls.length;
    await until(() => {
      runtime.ledger().catch(() => undefined);
      return jest.mocked(latestPassage).mock.calls.length > looks + 2;
    });
    expect(asked).toBe(1);
    const left = async () => (await runtime.ledger().catch(({ details }) => details[0])) as number;
    const before = await left();
    await until(async () => (await left()) < before);
    heard({ parksEndedAt: Date.now() });
    const ledger = () => runtime.ledger().catch(() => undefined);
    await until(async () => (await ledger())?.workflowId === 'account-ledger.user-1');
    expect(asked).toBe(2);
    await runtime.close();
  });

  test('S5: a process that starts in one hears of it from the ledger that was there, and asks nothing', async () => {
    let asked = 0;
    const runtime = await runtimeAt((response) => json(response, 200, { asked: asked++ }));
    heard({ parked: { reads: Date.now() + 60_000 } });
    await expect(runtime.ledger()).rejects.toMatchObject(said);
    expect(asked).toBe(0);
    await runtime.close();
  });

  test('S5: with a changed token the ledger that was known parks them in all processes', async () => {
    const park = jest.spyOn(LedgerClient.prototype, 'park').mockResolvedValue();
    let asked = 0;
    const runtime = await runtimeAt((response) => json(response, asked++ === 1 ? 429 : 200, { id: 'user-1' }));
    await runtime.ledger();
    replaceToken('X');
    await expect(runtime.ledger()).rejects.toMatchObject(said);
    expect(park).toHaveBeenCalledWith('reads', expect.any(Number));
    await runtime.close();
  });
});

test('S1 S3: a token that is replaced before its ledger could be told of this process leads to the ledger of the new one', async () => {
  let id = 'user-1';
  const runtime = await runtimeAt((response) => json(response, 200, { id }));
  jest.mocked(LedgerClient.prototype.configure).mockRejectedValueOnce(new Error('Temporal is slow'));
  await expect(runtime.ledger()).rejects.toThrow('Temporal is slow');
  id = 'user-2';
  replaceToken('X');
  expect((await runtime.ledger()).workflowId).toBe('account-ledger.user-2');
  expect(runtime.knownLedger()?.workflowId).toBe('account-ledger.user-2');
  await runtime.close();
});

test("S3: who waits for the ledger of a token that is replaced gets the new user's, and the one before holds nothing", async () => {
  const held = jest.spyOn(LedgerClient.prototype, 'reportHold').mockResolvedValue();
  const answers: ((id: string) => void)[] = [];
  const runtime = await runtimeAt((response) => {
    answers.push((id) => (id === '' ? json(response, 401, { error: 'no' }) : json(response, 200, { id })));
  });
  const first = runtime.ledger();
  await until(() => answers.length === 1);
  replaceToken('X');
  const second = runtime.ledger();
  await until(() => answers.length === 2);
  answers[0]?.('user-1');
  answers[1]?.('user-2');
  expect((await second).workflowId).toBe('account-ledger.user-2');
  expect((await first).workflowId).toBe('account-ledger.user-2');
  // A slip that is corrected before it was answered.
  replaceToken('Y');
  const slip = runtime.ledger();
  await until(() => answers.length === 3);
  replaceToken('X');
  const third = runtime.ledger();
  await until(() => answers.length === 4);
  answers[3]?.('user-2');
  await third;
  answers[2]?.('');
  expect((await slip).workflowId).toBe('account-ledger.user-2');
  expect(held).not.toHaveBeenCalled();
  await runtime.close();
});

test('S3: a process does not begin for a user while runs are open that the account has begun for another', async () => {
  const held = jest.spyOn(LedgerClient.prototype, 'reportHold').mockResolvedValue();
  const latest = { workflowId: 'account-ledger.user-1', status: { budget: {}, holds: [] } as unknown as LedgerStatus };
  jest.mocked(latestLedger).mockResolvedValue(latest);
  const left = [2, 2, 0];
  const leftRuns = jest.fn(async () => left.shift() ?? 0);
  const answer: Answer = (response) => json(response, 200, { id: 'user-2' });
  const runtime = await runtimeAt(answer, '{}', new Map(), { leftRuns });
  await expect(runtime.ledger()).rejects.toThrow('open runs were begun for that one (2); nothing is sent');
  expect(held).toHaveBeenCalledWith({ kind: 'otherUser', reason: 'by its ID' });
  expect(runtime.knownLedger()).toBeUndefined();
  // It asks again by itself, until somebody has ended them.
  await until(() => runtime.knownLedger()?.workflowId === 'account-ledger.user-2');
  expect(leftRuns.mock.calls).toEqual(
    Array(3).fill(['main', 'account-ledger.user-2', expect.stringMatching(/^\d{4}-.*Z$/)]),
  );
  await runtime.close();
});

test('S3: a process begins where the lists are away; a token that is replaced while they are read leads to its own ledger', async () => {
  const answer = (response: Parameters<Answer>[0]) => json(response, 200, { id });
  let id = 'user-1';
  const away = await runtimeAt(answer, '{}', new Map(), {
    leftRuns: () => Promise.reject(new Error('lists are away')),
  });
  expect((await away.ledger()).workflowId).toBe('account-ledger.user-1');
  await away.close();

  let tell: (runs: number) => void = () => undefined;
  const leftRuns = jest
    .fn<Promise<number>, []>()
    .mockReturnValueOnce(
      new Promise((resolve) => {
        tell = resolve;
      }),
    )
    .mockResolvedValue(0);
  const runtime = await runtimeAt(answer, '{}', new Map(), { leftRuns });
  const first = runtime.ledger();
  await until(() => leftRuns.mock.calls.length === 1);
  id = 'user-2';
  replaceToken('X');
  const second = await runtime.ledger();
  tell(3);
  expect((await first).workflowId).toBe('account-ledger.user-2');
  expect(second.workflowId).toBe('account-ledger.user-2');
  expect(runtime.knownLedger()).toBe(second);
  await runtime.close();
});

test('S7: that two accounts are one user is said by the runs where it shows only later', async () => {
  const owners = new Map([['account-ledger.user-1', 'other']]);
  const runtime = await runtimeAt((response) => json(response, 200, { id: 'user-1' }), '{}', owners);
  await expect(runtime.ledger()).rejects.toMatchObject({
    ...{ type: FailureType.ledger, nonRetryable: true },
    message: expect.stringContaining("'other' and 'main' belong to the same user"),
  });
  await runtime.close();
});

test('S7: a token that was replaced while its ledger was told of this process is not used again', async () => {
  const sent: string[] = [];
  const runtime = await runtimeAt((response, { headers }) => {
    sent.push(String(headers.authorization));
    json(response, 200, { id: 'user-1' });
  });
  let tellOld: () => void = () => undefined;
  jest.mocked(LedgerClient.prototype.configure).mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        tellOld = resolve;
      }),
  );
  const old = runtime.ledger();
  await until(() => jest.mocked(LedgerClient.prototype.configure).mock.calls.length > 0);
  replaceToken('X');
  await runtime.ledger();
  tellOld();
  await old;
  await runtime.api.call('account.credits');
  expect(sent.at(-1)).toBe(`Bearer ${TOKEN.slice(0, -1)}X`);
  await runtime.close();
});

test('S7: nor does one stop asking that knew it, and whose new token could not be asked about', async () => {
  let asked = 0;
  const runtime = await runtimeAt((response) => {
    asked++;
    json(response, asked === 2 ? 500 : 200, { id: 'user-1' });
  });
  await runtime.ledger();
  replaceToken('X');
  await expect(runtime.ledger()).rejects.toThrow('it is not known who');
  await until(() => asked === 3);
  await runtime.close();
});

test('S3: a process that leaves says so after all that it was still telling, which would make it count again', async () => {
  const heard: string[] = [];
  // What an earlier test has left under way is another user's.
  const hear = (what: string, { workflowId }: LedgerClient) => {
    if (workflowId === 'account-ledger.leaves') heard.push(what);
  };
  jest.spyOn(LedgerClient.prototype, 'configure').mockImplementation(async function (this: LedgerClient) {
    await sleep(50);
    hear('configured', this);
  });
  jest.spyOn(LedgerClient.prototype, 'leave').mockImplementation(async function (this: LedgerClient) {
    hear('left', this);
  });
  const runtime = await runtimeAt((response) => json(response, 200, { id: 'leaves' }));
  const ledger = runtime.ledger();
  await until(() => jest.mocked(LedgerClient.prototype.configure).mock.calls.length > 0);
  await runtime.leave();
  await ledger;
  expect(heard).toEqual(['configured', 'left']);
  await runtime.close();
});
