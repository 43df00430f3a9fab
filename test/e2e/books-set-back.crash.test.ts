/** S8: the storage goes back to an older copy while Temporal goes on. */
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseUpdate, statusQuery } from '../../src/ledger/messages';
import { convertLead } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { completedLeads, onStage, type Stage, UNHURRIED } from '../support/stage';
import { until } from '../support/until';

/** What was booked lately is not compared. */
const COMPARED_AFTER_MS = 90_000;

const convert = ({ temporal }: Stage, leadId: string) =>
  temporal.client.workflow.start(convertLead, {
    ...{ workflowId: `convert-lead.default.${leadId}`, taskQueue: 'audit-runner' },
    args: [{ leadId }],
  });
const end = async (worker: Awaited<ReturnType<Stage['startWorker']>>) => {
  worker.stop();
  await worker.done;
};

test(
  'S7 S8: nothing is paid until the newest books are there again, or a person releases it; the pages say why',
  () =>
    onStage(
      { account: { timing: UNHURRIED }, sandbox: { leads: 25, projects: 0, credits: 100_000 } },
      async (stage: Stage) => {
        const ledger = stage.temporal.client.workflow.getHandle(stage.ledgerId);
        const [storage, newest] = [join(stage.folder, 'storage'), join(stage.folder, 'newest')];
        const [first = '', second = '', third = ''] = completedLeads(stage);
        const worker = await stage.startWorker();
        await (await convert(stage, first)).result();
        await (await convert(stage, second)).result();
        const paidAt = Date.now();
        await end(worker);
        const [user = ''] = await readdir(join(storage, 'books'));
        const entries = join(storage, 'books', user, 'entries');
        await cp(join(storage, 'books'), newest, { recursive: true });
        const all = (await readdir(entries)).sort();
        for (const name of all.slice(2)) await rm(join(entries, name));
        await until(() => Date.now() > paidAt + COMPARED_AFTER_MS);

        const set = await stage.startWorker();
        await until(async () => (await ledger.query(statusQuery)).holds.some(({ kind }) => kind === 'books'));
        const run = await convert(stage, third);
        await until(async () => /have less than was paid/.test((await run.query(progressQuery)).waiting ?? ''));
        expect(stage.figures().spent).toBe(2_000);
        await end(set);

        await rm(join(storage, 'books'), { recursive: true });
        await cp(newest, join(storage, 'books'), { recursive: true });
        const again = await stage.startWorker();
        expect(await run.result()).toMatchObject({ outcome: 'converted' });
        await end(again);
        expect((await ledger.describe()).status.name).toBe('RUNNING');

        for (const name of all.slice(2)) await rm(join(entries, name));
        for (const name of await readdir(entries)) if (!all.includes(name)) await rm(join(entries, name));
        await stage.startWorker();
        await until(async () => (await ledger.query(statusQuery)).holds.some(({ lacks }) => lacks === 3_000));
        await ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'seen', by: 'Ann' }] });
        expect((await ledger.query(statusQuery)).holds).toEqual([]);
        const [, , , fourth = ''] = completedLeads(stage);
        expect(await (await convert(stage, fourth)).result()).toMatchObject({ outcome: 'converted' });
        expect(stage.figures()).toMatchObject({ spent: 4_000, paidTwice: 0 });
      },
    ),
  400_000,
);
