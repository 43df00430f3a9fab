/** S8: of two answers to a pipeline's question the later word counts, also where both come to it in one step. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { UpdateInput } from '@temporalio/workflow';

interface Handler {
  handler(said: unknown): unknown;
  validator(said: unknown): void;
}

/** One run, in whose place these tests stand. */
const mockRun = {
  updateHandlers: new Map<string, Handler>(),
  randomnessSeed: {},
  update: new AsyncLocalStorage<{ id: string }>(),
  waits: [] as { until: () => boolean; over: () => void }[],
  /** Whether runs from before the patch are replayed. */
  isPatched: true,
  written: [] as string[],
  /** The books write what is said when this is called. */
  write: [] as (() => void)[],
};

/** A scope of the SDK: the steps between an answer and whoever awaits it are part of the race. */
async function mockScope<T>(work: () => Promise<T>): Promise<T> {
  return await work();
}

jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual('@temporalio/workflow'),
  CancellationScope: { nonCancellable: mockScope },
  patched: (id: string) => id !== 'laterWordCounts' || mockRun.isPatched,
  currentUpdateInfo: () => mockRun.update.getStore(),
  condition: async (until: () => boolean) =>
    mockScope(async () => {
      const isSo = new Promise<void>((over) => mockRun.waits.push({ until, over }));
      return await Promise.race([new Promise(() => undefined), isSo.then(() => true)]);
    }),
  setHandler: ({ name }: { name: string }, handler: Handler['handler'], { validator }: Handler) =>
    void mockRun.updateHandlers.set(name, { handler, validator }),
}));
jest.mock('@temporalio/workflow/lib/global-attributes', () => ({
  getActivator: () => mockRun,
  maybeGetActivator: () => undefined,
}));
jest.mock('../../workflows/shared/tell', () => ({ tell: async () => undefined, tellPersonNeeded: () => undefined }));
jest.mock('../../workflows/shared/control-queue', () => ({
  accountOfRun: () => 'default',
  onControlQueue: () => ({
    keepAct: ({ update }: { update: string }) =>
      new Promise<object>((done) => {
        mockRun.written.push(update);
        mockRun.write.push(() => done({}));
      }),
  }),
}));

import { Approval } from '../../workflows/pipeline/approval';
import { keepsActs } from '../../workflows/shared/kept-acts';

const ignored = new Proxy({}, { get: () => () => undefined });
const chosen = { question: '', answers: [], asked: () => undefined };
const settled = () => new Promise(setImmediate);

/** As the SDK does after each thing that it tells a run, before what waits for a promise goes on. */
function unblock(): void {
  const ready = mockRun.waits.filter(({ until }) => until());
  mockRun.waits = mockRun.waits.filter((wait) => !ready.includes(wait));
  for (const { over } of ready) over();
}

let nth = 0;
/** @returns the answer */
function say(name: 'approve' | 'reject', by: string): Promise<unknown> {
  const updateId = `update-${++nth}`;
  const { handler, validator } = mockRun.updateHandlers.get(name) as Handler;
  const answer = mockRun.update.run({ id: updateId }, async () => {
    validator({ by });
    const input: UpdateInput = { name, updateId, args: [{ by }], headers: {} };
    return keepsActs.handleUpdate?.(input, async ({ args: [said] }) => handler(said));
  });
  unblock();
  return answer.catch((error: Error) => error.message);
}

/** All that the books were given is written. */
function written(): void {
  for (const done of mockRun.write.splice(0)) {
    done();
    unblock();
  }
}

async function asking() {
  Object.assign(mockRun, { waits: [], written: [], write: [], isPatched: true });
  const approval = new Approval(ignored as never, ignored as never);
  const ended = approval.ask('default', chosen as never, 1_000);
  await settled();
  return { approval, ended };
}

test('a rejection stands though an approval that was said before it is written in the same step', async () => {
  const { approval, ended } = await asking();
  const approved = say('approve', 'Ann');
  await settled();
  const rejected = say('reject', 'Bob');
  written();
  expect(await rejected).toBe('Rejected: nothing is converted.');
  expect(await ended).toBe('rejected');
  expect(await approved).toBe(
    'approve: nothing was changed, since it was rejected by Bob after that was said. Look, and send it again if it is still right.',
  );
  expect(approval.by).toBe('Bob');
  expect(mockRun.written).toContain('approve, refused');
});

test('an approval is taken when it is written, and what is answered in the same step comes too late', async () => {
  const { approval, ended } = await asking();
  const approved = say('approve', 'Ann');
  await settled();
  expect(approval.by).toBeUndefined();
  written();
  expect(await approved).toBe('Approved: the conversions start.');
  expect(await say('reject', 'Bob')).toBe('This run does not wait for an approval at the moment.');
  unblock();
  expect(await ended).toBe('approved');
});

test('nothing is approved in the step in which it was rejected', async () => {
  const { ended } = await asking();
  const rejected = say('reject', 'Bob');
  const approved = say('approve', 'Ann');
  await settled();
  written();
  expect(await approved).toBe('This run does not wait for an approval at the moment.');
  expect(await rejected).toBe('Rejected: nothing is converted.');
  expect(await ended).toBe('rejected');
  expect(mockRun.written).toEqual(['reject']);
});

test('a run of before, which took the approval all the same, is replayed as it went', async () => {
  const { ended } = await asking();
  mockRun.isPatched = false;
  const approved = say('approve', 'Ann');
  await settled();
  const rejected = say('reject', 'Bob');
  written();
  await Promise.all([approved, rejected]);
  expect(await ended).toBe('approved');
});
