/** S6: a cancellation that comes after a worker was lost in a paid call takes nothing away: what was paid is found out. */

import { progressQuery } from '../../workflows/shared/status';
import { until } from '../support/until';
import { inScene } from './support/scene';

test.concurrent('a conversion whose worker was killed in the call, and that is cancelled then, reports what it paid', () =>
  inScene({}, async (scene) => {
    const worker = await scene.worker();
    scene.stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 1_000, times: 1 });
    const lead = scene.lead();
    const [run] = await scene.convertsUnderWay([lead]);
    await worker.kill();
    await run?.cancel();
    // Its next try waits in the queue: the server has seen that nobody is alive.
    await until(async () =>
      ((await run?.describe())?.raw.pendingActivities ?? []).some(({ attempt }) => (attempt ?? 0) > 1),
    );
    await scene.worker();
    expect(await run?.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
    expect(scene.stage.figures()).toMatchObject({ spent: 1_000, paidTwice: 0, converts: 1 });
    await scene.booksAreRight();
  }));

test.concurrent('so does one whose next try came back before it could ask the ledger, which cannot be had', () =>
  inScene({}, async (scene) => {
    const worker = await scene.worker();
    const { control } = scene.stage.sandbox;
    control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 1_000, times: 1 });
    const [run] = await scene.convertsUnderWay([scene.lead()]);
    await worker.kill();
    // A new worker cannot tell whose ledger it is.
    control.addFault({ route: 'account.user', fault: 'empty', times: 10_000 });
    await scene.worker({}, 'worker is running');
    await until(async () => /not known who the token/.test((await run?.query(progressQuery))?.waiting ?? ''));
    await run?.cancel();
    control.clearFaults();
    expect(await run?.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
    expect(scene.stage.figures()).toMatchObject({ spent: 1_000, paidTwice: 0, converts: 1 });
    await scene.booksAreRight();
  }));

test.concurrent('one that nobody cancels does so before it waits for credits: the cap of the day is used up by itself', () =>
  inScene({ account: { budget: { perDay: 1_000 } } }, async (scene) => {
    const worker = await scene.worker();
    const { control } = scene.stage.sandbox;
    control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 1_000, times: 1 });
    const [run] = await scene.convertsUnderWay([scene.lead()]);
    await worker.kill();
    const { token } = scene.stage.sandbox;
    control.revokeToken({ token });
    await scene.worker({}, 'worker is running');
    await until(async () => /not known who the token/.test((await run?.query(progressQuery))?.waiting ?? ''));
    control.restoreToken({ token });
    expect(await run?.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
    expect(scene.stage.figures()).toMatchObject({ spent: 1_000, paidTwice: 0, converts: 1 });
    await scene.booksAreRight();
  }));
