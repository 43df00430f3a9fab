/** S7: a storage that cannot be used is said, costs few calls, and everything goes on once it is mended. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backfill, convertLead, ingestCapture } from '../../workflows';
import { backfillProgressQuery, stopUpdate } from '../../workflows/backfill/batch-messages';
import { progressQuery } from '../../workflows/shared/status';
import { goesOnIn } from '../support/goes-on';
import { onStage, type Stage, type StageOptions, UNHURRIED } from '../support/stage';
import { putBack, takeAway } from '../support/storage-away';
import { until } from '../support/until';

const taskQueue = 'audit-runner';
const inPlay = (play: (stage: Stage) => Promise<void>, account: StageOptions['account'] = {}) =>
  onStage({ sandbox: { leads: 25, captures: 3 }, account }, async (stage) => {
    await stage.startWorker();
    await play(stage);
  });

const place = ({ folder }: Stage) => join(folder, 'storage');

test.concurrent('a reply that cannot be stored is read again seldom, the run says why, and stores it in the end', () =>
  inPlay(async (stage) => {
    const [capture] = stage.sandbox.control.captures();
    const gets = () => stage.sandbox.control.stats().requests.byRoute['captures.get'] ?? 0;
    const before = gets();
    takeAway(place(stage));
    const run = await stage.temporal.client.workflow.start(ingestCapture, {
      ...{ workflowId: 'capture', taskQueue, args: [{ captureId: capture?.id ?? '' }] },
    });
    const says = async (words: string) => (await run.query(progressQuery)).waiting?.includes(words) === true;
    await until(() => says('The storage cannot be used (EEXIST): its place is no folder: put one there.'));
    // Temporal alone would try again after 1, 2, 4, 8 and then each time after 10 s; this one waits for longer and longer.
    await until(async () => (goesOnIn((await run.query(progressQuery)).waiting) ?? 0) > 4_000);
    expect(gets() - before).toBe(3);
    putBack(place(stage));
    expect(await run.result()).toMatchObject({ outcome: 'processed' });
  }));

test.concurrent('a batch that cannot write its ledger says so, is stopped all the same, and accounts for each item', () =>
  inPlay(
    async (stage) => {
      const ids = stage.sandbox.control
        .leads()
        .flatMap(({ id, surveyStatus }) => (surveyStatus === 'completed' ? id : []));
      const [first = '', asking = ''] = ids;
      mkdirSync(place(stage), { recursive: true });
      writeFileSync(join(place(stage), 'two.csv'), `leadId\n${first}\n${asking}\n`);
      stage.sandbox.control.addFault({ route: 'leads.convert', about: asking, fault: 'cutBeforeCommit', times: 2 });
      stage.sandbox.control.addFault({ route: 'leads.convert', about: first, fault: 'delay', delayMs: 60_000 });
      const run = await stage.temporal.client.workflow.start(backfill, {
        ...{ workflowId: 'batch', taskQueue },
        args: [{ operation: 'convertLead', file: { ref: 'two.csv' }, maxCredits: 5_000 }],
      });
      const progress = () => run.query(backfillProgressQuery);
      // What has sent nothing would be called off.
      await until(() => stage.figures().converts === 2);
      takeAway(place(stage));
      stage.sandbox.control.endDelays();
      await until(async () => (await progress()).done === 1);
      await until(async () => (await progress()).waiting?.includes('The storage cannot be used') === true);
      const other = stage.temporal.client.workflow.getHandle(`convert-lead.default.${asking}`);
      const why = async () => (await other.query(progressQuery)).waiting ?? '';
      await until(async () => (await why()).includes('the books in the storage cannot be kept, so nothing is paid'));
      await run.executeUpdate(stopUpdate, { args: [{ now: true, by: 'Ada' }] });
      await until(async () => (await progress()).doing === 'Writing the item ledger');
      await until(async () => (await progress()).waiting?.includes('The storage cannot be used') === true);
      putBack(place(stage));
      // S8: without the books nothing is sent, so the second call of the other lead never was, and in the end it is called off.
      const { counts, ...result } = await run.result();
      expect(result).toMatchObject({ ended: 'stopped', credits: 1_000 });
      expect(counts).toMatchObject({ done: 1, failed: 0 });
      // S6: that nobody has paid for it only the books tell for sure, and until they can be read it is left waiting.
      expect(counts.skipped + counts.waiting).toBe(1);
      expect(await other.result()).toMatchObject({ credits: 0 });
      expect(stage.figures()).toMatchObject({ spent: 1_000, converts: 2 });
    },
    { timing: UNHURRIED },
  ));

test.concurrent('a worker that starts while the storage is away pays once it is back; until then its runs say so, and stand still', () =>
  onStage({ sandbox: { leads: 25 } }, async (stage) => {
    takeAway(place(stage));
    await stage.startWorker();
    const lead = stage.sandbox.control.leads().find(({ surveyStatus }) => surveyStatus === 'completed');
    const run = await stage.temporal.client.workflow.start(convertLead, {
      ...{ workflowId: 'lead', taskQueue, args: [{ leadId: lead?.id ?? '' }] },
    });
    const says = async () =>
      /the books in the storage, .*, cannot be read \(.*\), so nothing is paid/.test(
        (await run.query(progressQuery)).waiting ?? '',
      );
    await until(says);
    const { historyLength } = await run.describe();
    for (let n = 0; n < 10; n++) {
      expect(await says()).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect((await run.describe()).historyLength).toBe(historyLength);
    expect(stage.figures().spent).toBe(0);
    putBack(place(stage));
    expect(await run.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
  }));
