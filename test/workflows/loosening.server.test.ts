/** S8: what people say counts at once where it tightens, and where it lets more be spent when it is written into the books. */
import { join } from 'node:path';
import { type WorkflowHandle, WorkflowUpdateFailedError, WorkflowUpdateStage } from '@temporalio/client';
import type { Entry } from '../../src/books/entry';
import { linesOf } from '../../src/books/reading';
import { Standing } from '../../src/books/standing';
import type { BeginSend } from '../../src/ledger';
import { beginSendUpdate, booksQuery, settleUpdate, stateQuery, statusQuery } from '../../src/ledger/messages';
import { openStorage } from '../../src/storage';
import { type accountLedger, leadPipeline } from '../../workflows';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { type Stage, startStage } from '../support/stage';
import { putBack, takeAway } from '../support/storage-away';
import { until } from '../support/until';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 60, credits: 100_000 }, account: { budget: { perDay: 50_000 } } });
  await stage.startWorker();
});
afterAll(() => stage.close());
// One that fails with the storage away takes no other along.
afterEach(() => {
  putBack(books());
  putBack(place());
});

const place = () => join(stage.folder, 'storage');
const books = () => join(place(), 'books', stage.ledgerId.slice('account-ledger.'.length));
const pipeline = (workflowId: string, approvalDeadline = '10m') =>
  stage.temporal.client.workflow.start(leadPipeline, {
    ...{ workflowId, taskQueue: 'audit-runner' },
    args: [{ approval: 'all', maxConversions: 1, scoring: { minReadiness: 0 }, approvalDeadline }],
  });
type Handle = Awaited<ReturnType<typeof pipeline>>;
const asks = (handle: Handle) => async () =>
  (await handle.query(pipelineProgressQuery)).waiting?.includes('Approval') ?? false;
const refusal = (answer: Promise<unknown>) =>
  answer.then(
    () => 'taken',
    (error: unknown) => (error instanceof WorkflowUpdateFailedError ? error.cause?.message : String(error)),
  );

async function entries(): Promise<Entry[]> {
  const found: Entry[] = [];
  const user = stage.ledgerId.slice('account-ledger.'.length);
  for await (const { entry } of linesOf(openStorage(`file://${place()}`), user, new Standing('UTC'))) found.push(entry);
  return found;
}

test('an approval is written before anything is paid by it, and each payment names what allowed it', async () => {
  const handle = await pipeline('approved');
  await until(asks(handle));
  await handle.executeUpdate('approve', { args: [{ by: 'Ann' }] });
  expect(await handle.result()).toMatchObject({ credits: 1_000, approvedBy: 'Ann' });
  const written = await entries();
  const payment = written.find((entry) => entry.kind === 'sending' && entry.run.startsWith('approved/'));
  const allowed = written.find(({ seq }) => payment?.kind === 'sending' && seq === payment.allowedBy);
  // How the run began is written when it pays: what allowed it last is named.
  expect(allowed).toMatchObject({ kind: 'act', workflowId: 'approved' });
  const approval = written.find((entry) => entry.kind === 'act' && entry.update === 'approve');
  expect(approval?.seq).toBeLessThan(payment?.seq ?? 0);
});

test('while the storage is away an approval is refused with the reason and changes nothing, and a pause counts', async () => {
  const handle = await pipeline('storage-away');
  await until(asks(handle));
  takeAway(place());
  expect(await refusal(handle.executeUpdate('pause', { args: [{ by: 'Ann' }] }))).toBe('taken');
  // Which of the two is found first is chance; on a slow machine no worker may have answered in time.
  const unwritten =
    /^approve: nothing was changed, since it cannot be written .*(its place is no folder|has no books any more).* Send it again/;
  await until(async () =>
    unwritten.test((await refusal(handle.executeUpdate('approve', { args: [{ by: 'Ann' }] }))) ?? ''),
  );
  expect(await asks(handle)()).toBe(true);
  putBack(place());
  expect(await refusal(handle.executeUpdate('approve', { args: [{ by: 'Bob' }] }))).toBe('taken');
  expect(await refusal(handle.executeUpdate('resume', { args: [{ by: 'Bob' }] }))).toBe('taken');
  expect(await handle.result()).toMatchObject({ credits: 1_000, approvedBy: 'Bob' });
}, 180_000);

test('S7: a run that only waits until the books have what was said to it says so, and then ends', async () => {
  const handle = await pipeline('not-yet-written');
  await until(asks(handle));
  takeAway(books());
  expect(await refusal(handle.executeUpdate('stop', { args: [{ by: 'Ann' }] }))).toBe('taken');
  const says = async () => (await handle.query(pipelineProgressQuery)).waiting ?? '';
  await until(async () => (await says()).includes("is written into the account's books"));
  putBack(books());
  expect(await handle.result()).toMatchObject({ ended: 'stopped', credits: 0 });
}, 180_000);

test('what has become too late while it was written is refused, and the books say so', async () => {
  const handle = await pipeline('too-late');
  await until(asks(handle));
  const answers = await Promise.all(
    ['Ann', 'Bob'].map((by) => refusal(handle.executeUpdate('approve', { args: [{ by }] }))),
  );
  await handle.result();
  const refused = answers.filter((answer) => answer !== 'taken');
  const acts = (await entries()).flatMap((entry) =>
    entry.kind === 'act' && entry.workflowId === 'too-late' ? entry.update : [],
  );
  expect(acts.filter((update) => update === 'approve, refused')).toHaveLength(refused.length);
  expect(acts.filter((update) => update === 'approve')).toHaveLength(2);
});

test('limits of an account are tightened at once, and loosened when that is written', async () => {
  const ledger = stage.temporal.client.workflow.getHandle<typeof accountLedger>(stage.ledgerId);
  const set = (perDay: number) =>
    refusal(ledger.executeUpdate('setBudget', { args: [{ perDay, reason: 'month end' }] }));
  takeAway(place());
  expect(await set(10_000)).toBe('taken');
  expect(await set(20_000)).toMatch(/^setBudget: nothing was changed/);
  expect(await refusal(ledger.executeUpdate('hold', { args: [{ reason: 'audit' }] }))).toBe('taken');
  expect(await refusal(ledger.executeUpdate('release', { args: [{ reason: 'done' }] }))).toMatch(
    /^release: nothing was changed/,
  );
  putBack(place());
  expect(await refusal(ledger.executeUpdate('release', { args: [{ reason: 'done' }] }))).toBe('taken');
  expect(await set(20_000)).toBe('taken');
  await until(async () => {
    const acts = (await entries()).flatMap((entry) => (entry.kind === 'act' ? entry.update : []));
    return acts.filter((update) => update === 'setBudget').length === 2 && acts.includes('release');
  });
}, 300_000);

describe('what a person says later counts, also where the earlier word is written only then', () => {
  const ledger = () => stage.temporal.client.workflow.getHandle<typeof accountLedger>(stage.ledgerId);
  const status = () => ledger().query(statusQuery);
  const state = () =>
    ledger()
      .query(booksQuery)
      .catch(() => null);
  beforeAll(() => until(async () => (await state()) !== null));
  const saying = (said: object): [object] => [{ reason: 'test', ...said }];
  const say = (update: string, said: object = {}) =>
    refusal(ledger().executeUpdate<unknown, [object]>(update, { args: saying(said) }));
  const refusals = async () =>
    (await entries()).flatMap((one) => (one.kind === 'act' && / refused$/.test(one.update) ? [one] : []));

  /** @param play what is said by `waits` in it waits for the storage until all is said. @returns the answers to that */
  async function whileAway(
    play: (waits: (update: string, said?: object) => Promise<void>) => Promise<void>,
    on: WorkflowHandle = ledger(),
  ): Promise<(string | undefined)[]> {
    for (let tries = 10; ; tries--) {
      const answers: Promise<string | undefined>[] = [];
      takeAway(place());
      try {
        await play(async (update, said = {}) => {
          const options = { args: saying(said), waitForStage: WorkflowUpdateStage.ACCEPTED };
          const handle = on.startUpdate<unknown, [object]>(update, options);
          answers.push(refusal((await handle).result()));
        });
      } finally {
        putBack(place());
      }
      const ends = await Promise.all(answers);
      // On a busy machine the storage may be back too late.
      if (tries === 0 || !ends.some((end) => end?.includes('cannot be written'))) return ends;
    }
  }

  test('a release lifts no hold that was said after it, and the books say so; the next one does', async () => {
    const before = (await refusals()).length;
    const [early, late] = await whileAway(async (waits) => {
      await waits('release', { by: 'Bob' });
      expect(await say('hold', { by: 'Ann' })).toBe('taken');
      expect((await status()).holds).toMatchObject([{ kind: 'manual' }]);
      await waits('release', { by: 'Cem' });
    });
    expect(early).toBe(
      'release: nothing was changed, since the account was put on hold by Ann after that was said. Look, and send it again if it is still right.',
    );
    expect(late).toBe('taken');
    expect((await status()).holds).toEqual([]);
    await until(async () => (await refusals()).length > before);
    expect((await refusals()).at(-1)).toMatchObject({ update: 'release, refused', by: 'Bob' });
  }, 300_000);

  test('a hold stays after an earlier release', async () => {
    await whileAway(async (waits) => {
      await waits('release');
      await say('hold');
    });
    expect((await status()).holds).toMatchObject([{ kind: 'manual' }]);
    expect(await say('release')).toBe('taken');
  }, 300_000);

  test('a higher limit does not lift a lower one that was said after it, but another limit is another matter', async () => {
    expect(await say('setBudget', { perDay: 10_000, balanceFloor: 500 })).toBe('taken');
    const [higher, floor] = await whileAway(async (waits) => {
      await waits('setBudget', { perDay: 20_000 });
      await waits('setBudget', { balanceFloor: 0 });
      expect(await say('setBudget', { perDay: 8_000, by: 'Ann' })).toBe('taken');
    });
    expect(higher).toMatch(/^setBudget: nothing was changed, since Ann set the same limit after that was said\. Look/);
    expect(floor).toBe('taken');
    expect((await status()).budget).toMatchObject({ perDay: 8_000, balanceFloor: 0 });
  }, 300_000);

  test('of two higher limits the one said later counts, whichever is written first', async () => {
    const [first, second] = await whileAway(async (waits) => {
      await waits('setBudget', { perDay: 30_000 });
      await waits('setBudget', { perDay: 25_000 });
    });
    expect(first).toMatch(/^taken$|set the same limit/);
    expect(second).toBe('taken');
    expect((await status()).budget).toMatchObject({ perDay: 25_000 });
  }, 300_000);

  test('S1: what is cleared is the call that was open when that was said', async () => {
    const [subject, run] = ['lead:cleared', 'run'];
    let attempt = 0;
    const begin = async () => {
      const args: [BeginSend] = [
        { subject, run, attempt: `${++attempt}`, runCap: 1e6, credits: 0, lookedAt: Date.now() },
      ];
      expect(await ledger().executeUpdate(beginSendUpdate, { args })).toMatchObject({ kind: 'granted' });
    };
    await begin();
    const [clear] = await whileAway(async (waits) => {
      await waits('clear', { subject });
      const settled = { subject, run, attempt: `${attempt}`, settlement: { kind: 'notPaid' } as const };
      await ledger().executeUpdate(settleUpdate, { args: [settled] });
      await begin();
    });
    expect(clear).toMatch(/^clear: nothing was changed, since another call for it was let through after that was said/);
    expect((await ledger().query(stateQuery)).flights.open).toMatchObject({ [subject]: { attempt: `${attempt}` } });
    expect(await say('clear', { subject })).toBe('taken');
  }, 300_000);

  test('a pipeline, too, goes by the limit that was said later', async () => {
    const run = await pipeline('later-limit');
    await until(asks(run));
    const [more] = await whileAway(async (waits) => {
      await waits('changeLimits', { maxCredits: 60_000 });
      const args = saying({ maxCredits: 2_000, by: 'Ann' });
      expect(await refusal(run.executeUpdate<unknown, [object]>('changeLimits', { args }))).toBe('taken');
    }, run);
    expect(more).toMatch(/^changeLimits: nothing was changed, since Ann set the same limit after that was said/);
    await run.executeUpdate('stop', { args: saying({ now: true }) });
    await run.result();
  }, 300_000);

  test('a pause counts although an earlier resume is still being written', async () => {
    const run = await pipeline('later-pause');
    await until(asks(run));
    const pause = (by: string) => refusal(run.executeUpdate<unknown, [object]>('pause', { args: saying({ by }) }));
    expect(await pause('Bob')).toBe('taken');
    const [resume] = await whileAway(async (waits) => {
      await waits('resume');
      expect(await pause('Ann')).toBe('taken');
      expect(await pause('Cem')).toContain('paused already');
    }, run);
    expect(resume).toMatch(/^resume: nothing was changed, since it was paused by Ann after that was said/);
    await run.executeUpdate('stop', { args: saying({ now: true }) });
    await run.result();
  }, 300_000);
});
