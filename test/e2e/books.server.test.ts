/** S8: the books outlive Temporal, and no message to it raises what is configured. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { Books } from '../../src/books/books';
import { linesOf, usersWithBooks } from '../../src/books/reading';
import { Standing } from '../../src/books/standing';
import {
  adjustUpdate,
  beginSendUpdate,
  clearUpdate,
  configureUpdate,
  holdUpdate,
  releaseUpdate,
  setBudgetUpdate,
  settleUpdate,
  statusQuery,
} from '../../src/ledger/messages';
import { leadSubject } from '../../src/paying/subject';
import { openStorage } from '../../src/storage';
import { connectClient } from '../../src/temporal/connect';
import { convertLead, leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { completedLeads, onStage, type Stage, type StageOptions, UNHURRIED } from '../support/stage';
import { newNamespace } from '../support/temporal';
import { until } from '../support/until';

const leadsOf = (stage: Stage, count: number) => completedLeads(stage).slice(0, count);
const convert = (client: Client, leadId: string) =>
  client.workflow.start(convertLead, {
    ...{ workflowId: `convert-lead.default.${leadId}`, taskQueue: 'audit-runner' },
    args: [{ leadId }],
  });
const DAY_MS = 86_400_000;
const settledSoon = { ...UNHURRIED, settlingMs: 3_000 };

/** Another Temporal that knows nothing, as after its database was lost; its workers have the same configuration. */
async function onAnotherTemporal<T>(stage: Stage, play: (client: Client) => Promise<T>): Promise<T> {
  const address = await newNamespace();
  const { client, close } = await connectClient({ config: address });
  try {
    await stage.startWorker(undefined, address);
    return await play(client);
  } finally {
    await close();
  }
}

const playing = (options: StageOptions, play: (stage: Stage) => Promise<void>) =>
  onStage(
    {
      ...options,
      sandbox: { leads: 25, projects: 0, credits: 100_000, convertCheck: 'atArrival', ...options.sandbox },
    },
    play,
  );

test.concurrent('S8: Temporal is lost in the middle of five calls: the one that takes its place pays none of them again', () =>
  playing({ account: { timing: settledSoon } }, async (stage) => {
    const leads = leadsOf(stage, 5);
    await onAnotherTemporal(stage, async (client) => {
      // Its worker is there before the calls of the first: they are under way while it is asked for the same.
      await until(() =>
        client.workflow
          .getHandle(stage.ledgerId)
          .query(statusQuery)
          .then(
            () => true,
            () => false,
          ),
      );
      await stage.startWorker();
      for (const _ of leads) stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 8_000 });
      const first = await Promise.all(leads.map((lead) => convert(stage.temporal.client, lead)));
      await until(() => stage.figures().converts === 5);
      expect(stage.figures().conversions).toBe(0);
      const again = await Promise.all(leads.map((lead) => convert(client, lead)));
      for (const run of [...first, ...again])
        expect(['converted', 'alreadyConverted']).toContain((await run.result()).outcome);
      expect(stage.figures()).toMatchObject({ conversions: 5, spent: 5_000, paidTwice: 0 });
      // At a service that checks later both would have paid.
      expect(stage.sandbox.control.stats().paidOverlapping).toEqual([]);
    });
  }));

test.concurrent('S8: a hold and a limit that a person has set hold where Temporal was replaced, until a person releases it', () =>
  playing({ account: { timing: settledSoon, budget: { perDay: 9_000 } } }, async (stage) => {
    const [lead = ''] = leadsOf(stage, 1);
    await stage.startWorker();
    const ledgerOf = (client: Client) => client.workflow.getHandle(stage.ledgerId);
    const status = (client: Client) => ledgerOf(client).query(statusQuery);
    const first = ledgerOf(stage.temporal.client);
    await until(() =>
      first.query(statusQuery).then(
        () => true,
        () => false,
      ),
    );
    await first.executeUpdate(setBudgetUpdate, { args: [{ perDay: 2_000, reason: 'less', by: 'Ada' }] });
    await first.executeUpdate(holdUpdate, { args: [{ reason: 'month end', by: 'Bob' }] });
    const books = openStorage(stage.config.storageUrl);
    const said = async () => {
      const standing = new Standing('UTC');
      for (const user of await usersWithBooks(books)) for await (const _ of linesOf(books, user, standing));
      return standing.said;
    };
    await until(async () => (await said()).hold?.value === 'month end');
    expect(await said()).toMatchObject({ perDay: { value: 2_000, by: 'Ada' }, hold: { by: 'Bob' } });
    await onAnotherTemporal(stage, async (client) => {
      const run = await convert(client, lead);
      await until(async () => (await run.query(progressQuery)).waiting?.includes('month end') === true);
      const { holds, budget } = await status(client);
      expect(holds).toMatchObject([{ kind: 'manual', reason: 'month end' }]);
      expect(budget).toMatchObject({ perDay: 2_000, from: { perDay: { kind: 'person', by: 'Ada' } } });
      await ledgerOf(client).executeUpdate(releaseUpdate, { args: [{ reason: 'over', by: 'Bob' }] });
      expect(await run.result()).toMatchObject({ outcome: 'converted' });
      expect(stage.figures()).toMatchObject({ conversions: 1, spent: 1_000 });
    });
  }));

test.concurrent('S8: the cap of the day holds where Temporal was replaced, and says why', () =>
  playing({ account: { timing: settledSoon, budget: { perDay: 3_000 } } }, async (stage) => {
    const [a = '', b = '', c = '', d = ''] = leadsOf(stage, 4);
    await stage.startWorker();
    for (const lead of [a, b, c]) await (await convert(stage.temporal.client, lead)).result();
    await onAnotherTemporal(stage, async (client) => {
      const run = await convert(client, d);
      await until(async () => /3,000/.test(JSON.stringify(await run.query(progressQuery).catch(() => ''))));
      expect(stage.figures().spent).toBe(3_000);
      const ledger = client.workflow.getHandle(stage.ledgerId);
      expect(await ledger.query(statusQuery)).toMatchObject({ spentToday: 3_000 });
    });
  }));

test.concurrent('S8: no message to the ledger raises the ceilings of the configuration', () =>
  playing({ account: { timing: UNHURRIED, budget: { perDay: 2_000 } } }, async (stage) => {
    const [a = '', b = '', c = ''] = leadsOf(stage, 3);
    await stage.startWorker();
    const { client } = stage.temporal;
    for (const lead of [a, b]) await (await convert(client, lead)).result();
    const ledger = client.workflow.getHandle(stage.ledgerId);
    await ledger.executeUpdate(adjustUpdate, { args: [{ credits: -2_000, reason: 'for a test', by: 'the CFO' }] });
    await ledger
      .executeUpdate(settleUpdate, {
        args: [{ subject: `lead:${a}`, attempt: 'x', run: 'y', settlement: { kind: 'paid', credits: -1_000 } }],
      })
      .catch(() => undefined);
    expect((await ledger.query(statusQuery)).spentToday).toBeLessThan(1_000);
    const run = await convert(client, c);
    await until(async () => /budget\.perDay/.test(JSON.stringify(await run.query(progressQuery).catch(() => ''))));
    expect(stage.figures().spent).toBe(2_000);
    await run.terminate();
  }));

test.concurrent('S8: a run spends no more than the ceiling of a run, whatever its input or a message says', () =>
  playing({ account: { timing: UNHURRIED, budget: { perRun: 500 } } }, async (stage) => {
    await stage.startWorker();
    const { client } = stage.temporal;
    const [first = '', second = ''] = leadsOf(stage, 2);
    const isSkipped = { outcome: 'skipped', credits: 0 };
    expect(await (await convert(client, first)).result()).toMatchObject(isSkipped);
    const ledger = client.workflow.getHandle(stage.ledgerId);
    const { perRun: source } = (await ledger.query(statusQuery)).budget.from;
    if (source?.kind !== 'configured') throw new Error('no worker has told its ceiling');
    // In the worker's own name.
    const budget = { perDay: null, balanceFloor: 0, timeZone: 'UTC' };
    const said = { account: 'default', worker: source.worker, budget, timing: UNHURRIED };
    await ledger.executeUpdate(configureUpdate, { args: [said] });
    expect((await ledger.query(statusQuery)).budget.perRun).toBeNull();
    expect(await (await convert(client, second)).result()).toMatchObject(isSkipped);
    expect(stage.figures().spent).toBe(0);
    const storage = openStorage(stage.config.storageUrl);
    const [user = ''] = await usersWithBooks(storage);
    const kinds = [];
    for await (const { entry } of linesOf(storage, user, new Standing('UTC'))) kinds.push(entry.kind);
    expect(kinds).not.toContain('sending');
  }));

test.concurrent('S8: what a person has cleared is not reserved for good, and counts in full if it was paid after all', () =>
  playing({ account: { timing: { ...UNHURRIED, paidTimeoutMs: 120_000 } } }, async (stage) => {
    await stage.startWorker();
    const { client } = stage.temporal;
    const [lead = ''] = leadsOf(stage, 1);
    const inBooks = async () => {
      const [storage, standing] = [openStorage(stage.config.storageUrl), new Standing('UTC')];
      for (const user of await usersWithBooks(storage)) for await (const _ of linesOf(storage, user, standing));
      return {
        reserved: [0, DAY_MS].map((later) => standing.reserved(Date.now() + later)),
        kept: standing.keptIn('UTC'),
      };
    };
    stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 100_000 });
    const run = await convert(client, lead);
    await until(() => stage.figures().converts === 1);
    expect((await inBooks()).reserved).toEqual([1_000, 1_000]);
    const subject = leadSubject(lead);
    const said = { subject, reason: 'not in the web app', by: 'Ada' };
    const ledger = client.workflow.getHandle(stage.ledgerId);
    expect(await ledger.executeUpdate(clearUpdate, { args: [said] })).toMatch(/^It is no longer held\./);
    const { reserved, kept } = await inBooks();
    expect({ reserved, open: kept.flights.open }).toEqual({ reserved: [1_000, 0], open: {} });
    expect(await ledger.executeUpdate(clearUpdate, { args: [said] })).toMatch(/^The ledger did not hold it/);
    stage.sandbox.control.endDelays();
    expect(await run.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
    const { runs, flights } = (await inBooks()).kept;
    expect({ runs: Object.values(runs), open: flights.open }).toEqual({ runs: [1_000], open: {} });
    expect(await stage.spentByLedger()).toBe(1_000);
  }));

test.concurrent('S8: while workers have different storages nothing is paid, the pages say why, and it goes on when they are alike', () =>
  playing({ account: { timing: UNHURRIED } }, async (stage) => {
    const { client } = stage.temporal;
    const ledger = client.workflow.getHandle(stage.ledgerId);
    await stage.startWorker();
    await until(async () => (await ledger.query(statusQuery).catch(() => undefined))?.budget.workers === 1);
    const other = await stage.startWorker({ ...stage.config, storageUrl: `file://${stage.folder}/elsewhere` });
    await until(async () => (await ledger.query(statusQuery)).booksTrouble !== undefined);
    const one = await convert(client, leadsOf(stage, 1)[0] ?? '');
    const pipeline = await client.workflow.start(leadPipeline, {
      ...{ workflowId: 'pipeline', taskQueue: 'audit-runner' },
      args: [{ maxConversions: 2, maxCredits: 100_000, scoring: { minReadiness: 0 } }],
    });
    const told = (run: typeof one | typeof pipeline) => run.query(progressQuery).then(JSON.stringify, () => undefined);
    const says = async (run: typeof one | typeof pipeline) => /different storages/.test((await told(run)) ?? '');
    await until(() => says(one));
    await until(() => says(pipeline));
    // It looks ever more seldom, and says so all the time.
    const { historyLength } = await pipeline.describe();
    for (let n = 0; n < 10; n++) {
      // A query that fails, on a busy machine, says nothing: it is asked again.
      let answer: string | undefined;
      await until(async () => {
        answer = await told(pipeline);
        return answer !== undefined;
      });
      expect(answer).toMatch(/different storages/);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect((await pipeline.describe()).historyLength - historyLength).toBeLessThan(60);
    expect(stage.figures().spent).toBe(0);
    other.stop();
    await other.done;
    expect(await one.result()).toMatchObject({ outcome: 'converted' });
    await pipeline.result();
    expect(stage.figures()).toMatchObject({ spent: stage.figures().conversions * 1_000, paidTwice: 0 });
  }));

test.concurrent('S8: what a worker could not write down before it ended is written by the next one, from what the ledger knows', () =>
  playing({ account: { timing: settledSoon } }, async (stage) => {
    const [lead = ''] = leadsOf(stage, 1);
    const worker = await stage.startWorker();
    await (await convert(stage.temporal.client, lead)).result();
    worker.stop();
    await worker.done;
    const storage = openStorage(join(stage.folder, 'storage'));
    const [user = ''] = await usersWithBooks(storage);
    const folder = join(stage.folder, 'storage', 'books', user, 'entries');
    const entries = (await readdir(folder)).sort();
    const kinds = await Promise.all(
      entries.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')).kind),
    );
    // What was said of the balance may have come after it.
    for (const name of entries.slice(kinds.lastIndexOf('became'))) await rm(join(folder, name));
    const read = async () => {
      const standing = new Standing('UTC');
      for await (const _ of linesOf(storage, user, standing));
      return standing;
    };
    const [open] = Object.values((await read()).sends.open);
    expect(open?.credits).toBe(1_000);
    await until(() => Date.now() > (open?.overAt ?? Number.POSITIVE_INFINITY));
    await stage.startWorker();
    await until(async () => Object.keys((await read()).sends.open).length === 0);
    expect([...(await read()).days.values()]).toEqual([1_000]);
  }));

test.concurrent('S7: a worker dies before the ledger hears that its call was not sent, and a person converts that lead: it is not booked', () =>
  playing({ account: { timing: settledSoon } }, async (stage) => {
    const [paid = '', lead = ''] = leadsOf(stage, 2);
    const { client } = stage.temporal;
    const worker = await stage.startWorker();
    await (await convert(client, paid)).result();
    const ledger = client.workflow.getHandle(stage.ledgerId);
    const subject = leadSubject(lead);
    const about = {
      subject,
      attempt: 'of one that died',
      run: 'gone',
      credits: 1_000,
      lookedAt: Date.now(),
      runCap: 5_000,
    };
    const answer = await ledger.executeUpdate(beginSendUpdate, { args: [about] });
    if (answer.kind !== 'granted') throw new Error(answer.kind);
    worker.stop();
    await worker.done;

    const storage = openStorage(join(stage.folder, 'storage'));
    const [user = ''] = await usersWithBooks(storage);
    const begin = () => Promise.reject(new Error('there are books'));
    const warn = () => undefined;
    const books = new Books({ storage, user, begin, warn, worker: 'died', now: Date.now, timeZone: () => 'UTC' });
    const ceilings = { perRun: null, perDay: null, perMonth: null, balanceFloor: 0 };
    const send = { request: about, open: answer.flight, timing: settledSoon, ceilings, withinMs: 5_000 };
    expect(await books.beforeSend(send)).toBeUndefined();
    await books.became(subject, about.attempt, about.run, { kind: 'notPaid' });
    await books.close();
    stage.sandbox.control.convertLead({ leadId: lead });

    await stage.startWorker();
    await (await convert(client, lead)).result();
    await until(async () => (await ledger.query(statusQuery)).open.length === 0);
    expect(await stage.spentByLedger()).toBe(1_000);
    expect((await ledger.query(statusQuery)).holds).toEqual([]);
  }));

test.concurrent('S3, S8: who names more credits than there can be pays once, and the books take it', () =>
  playing({}, async (stage) => {
    await stage.startWorker();
    const limits = [Number.MAX_SAFE_INTEGER, 2_000_000_000_000];
    const results = leadsOf(stage, limits.length).map(async (leadId, i) => {
      const run = await stage.temporal.client.workflow.start(convertLead, {
        ...{ workflowId: `convert-lead.default.${leadId}`, taskQueue: 'audit-runner' },
        args: [{ leadId, maxCredits: limits[i] ?? 0 }],
      });
      return run.result();
    });
    for (const result of await Promise.all(results))
      expect(result).toMatchObject({ outcome: 'converted', credits: 1_000 });
    expect(stage.figures()).toMatchObject({ spent: 2_000, paidTwice: 0 });
  }));
