/** S8: what people say to a ledger is in the books, also where it continues as new while the storage takes its time. */
import { join } from 'node:path';
import { linesOf } from '../../src/books/reading';
import { Standing } from '../../src/books/standing';
import { holdUpdate, parkUpdate, releaseUpdate, stateQuery } from '../../src/ledger/messages';
import { openStorage } from '../../src/storage';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { accountLedger } from '../../workflows';
import { onStage } from '../support/stage';
import { putBack, takeAway } from '../support/storage-away';
import { until } from '../support/until';

const HOLDS = 12;
const said = { by: 'Ann', reason: 'a test' };

test('S8: what is said while something else is still being written is written too, before the ledger continues as new', () =>
  onStage({ sandbox: { leads: 0 } }, async (stage) => {
    const { workflow } = stage.temporal.client;
    const args: Parameters<typeof accountLedger> = [{ maxEvents: 50 }];
    await workflow.start(accountLedger, { workflowId: stage.ledgerId, taskQueue: WORKFLOW_QUEUE, args });
    const ledger = workflow.getHandle(stage.ledgerId);
    const { runId } = await ledger.describe();
    await stage.startWorker();
    await until(() =>
      ledger.query(stateQuery).then(
        () => true,
        () => false,
      ),
    );
    const place = join(stage.folder, 'storage');
    takeAway(place);
    // It counts when it is written: until then the ledger has not answered, and cannot continue as new.
    const released = ledger.executeUpdate(releaseUpdate, { args: [said] });
    // On a busy machine it may be refused by then: that is an answer as well.
    const isReleased = released.then(
      () => true,
      () => false,
    );
    const park = () => ledger.executeUpdate(parkUpdate, { args: [{ rateClass: 'polls', forMs: 1 }] });
    await Promise.all(Array.from({ length: 40 }, park));
    const writes = async () =>
      ((await ledger.describe()).raw.pendingActivities ?? []).filter((one) => one.activityType?.name === 'keepAct');
    // What is said shortly before that is tried again is tried once, and again only after it.
    for (;;) {
      const [{ scheduledTime: next } = {}] = await writes();
      const dueIn = Number(next?.seconds ?? 0) * 1000 + (next?.nanos ?? 0) / 1e6 - Date.now();
      if (next === undefined || (dueIn > 300 && dueIn < 500)) break;
      await new Promise((resolve) => setTimeout(resolve, dueIn >= 500 ? dueIn - 450 : 25));
    }
    await Promise.all(Array.from({ length: HOLDS }, () => ledger.executeUpdate(holdUpdate, { args: [said] })));
    await until(async () => (await writes()).every(({ attempt }) => (attempt ?? 1) > 1));
    putBack(place);
    await until(async () => (await ledger.describe()).runId !== runId);
    const user = stage.ledgerId.slice('account-ledger.'.length);
    const written = async () => {
      const acts: string[] = [];
      for await (const { entry } of linesOf(openStorage(`file://${place}`), user, new Standing('UTC')))
        if (entry.kind === 'act') acts.push(entry.update);
      return acts;
    };
    const isKept = (await isReleased) ? ['release'] : [];
    await until(async () => {
      const acts = await written();
      return acts.filter((act) => act === 'hold').length >= HOLDS && isKept.every((act) => acts.includes(act));
    }, 60_000);
    expect((await written()).filter((act) => act === 'hold')).toHaveLength(HOLDS);
  }));
