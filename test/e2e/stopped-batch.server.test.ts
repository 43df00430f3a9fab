/** S3, S6: a batch that is stopped or cancelled ends soon, whatever it waits for, and a redrive does all that is not done. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as messages from '../../workflows/backfill/batch-messages';
import { progressQuery } from '../../workflows/shared/status';

import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { eight, SMALL, start, stop, withdraws } from './support/batch';
import { inScene } from './support/scene';

test.concurrent('a batch that is cancelled withdraws what has sent nothing; a redrive does the rest', () =>
  withdraws('cancelled', (run) => run.cancel()));

test.concurrent('a batch that is stopped withdraws what has sent nothing; a redrive does the rest', () =>
  withdraws('stopped', stop));

test.concurrent('what was sent is named with what it may still spend, and goes on', () =>
  inScene({ ...SMALL, account: { timing: { ...UNHURRIED, paidTimeoutMs: 120_000 } } }, async (scene) => {
    await scene.stage.startWorker();
    const { control } = scene.stage.sandbox;
    control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 100_000, times: 2 });
    const run = await start(scene, 'batch', { ...(await eight(scene)), window: 2 });
    await until(() => control.stats().faults.length === 2);
    await run.executeUpdate(messages.stopUpdate, { args: [{ now: true }] });
    const { goesOn, ...result } = await run.result();
    expect(result).toMatchObject({ ended: 'stopped', counts: { waiting: 2, skipped: 6 } });
    expect(goesOn).toMatchObject({ count: 2, maySpend: 2_000 });
    control.endDelays();
    const runs = (goesOn?.runs ?? []).map((id) => scene.stage.temporal.client.workflow.getHandle(id));
    for (const each of runs) expect(await each.result()).toMatchObject({ outcome: 'converted' });
    // The two are found to be done.
    const again = await (await start(scene, 'again', { redriveOf: 'batch' })).result();
    expect(again).toMatchObject({ items: 8, counts: { done: 6, alreadyDone: 2 } });
    expect(scene.stage.figures()).toMatchObject({ spent: 8_000, paidTwice: 0 });
  }));

test.concurrent('an audit that has its project goes on when its batch is stopped; one that waits for credits does not', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(1_000);
    await mkdir(join(scene.stage.folder, 'storage'), { recursive: true });
    const rows = ['One', 'Two'].map((clientName) => JSON.stringify({ project: { clientName } }));
    await writeFile(join(scene.stage.folder, 'storage', 'audits.jsonl'), `${rows.join('\n')}\n`);
    const run = await start(scene, 'batch', { operation: 'auditProject', file: { ref: 'audits.jsonl' } });
    await until(async () => {
      const { underWay: runs } = await run.query(messages.backfillProgressQuery);
      const handles = runs.map((id) => scene.stage.temporal.client.workflow.getHandle(id));
      const says = await Promise.all(handles.map((each) => each.query(progressQuery).catch(() => undefined)));
      return (
        says.some((one) => one?.waiting?.includes('interview analysis')) &&
        says.some((one) => one?.waiting?.includes('the day'))
      );
    });
    await run.executeUpdate(messages.stopUpdate, { args: [{ now: true }] });
    const { goesOn, counts, reasons } = await run.result();
    expect(counts).toMatchObject({ waiting: 1, skipped: 1 });
    expect(reasons).toEqual({ 'waiting: itsRunGoesOn': 1, 'skipped: withdrawn': 1 });
    const [left = ''] = goesOn?.runs ?? [];
    const audit = scene.stage.temporal.client.workflow.getHandle(left);
    expect((await audit.describe()).status.name).toBe('RUNNING');
    await audit.terminate();
  }));
