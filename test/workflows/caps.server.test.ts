/** S3: what is allowed holds for all workers together, as it is configured now, at the price that is really paid. */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Config } from '../../src/config';
import { adjustUpdate, releaseUpdate, setBudgetUpdate, statusQuery } from '../../src/ledger/messages';
import { convertLead, leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { completedLeads, onStage, type Stage, type StageOptions, UNHURRIED } from '../support/stage';
import { until } from '../support/until';

const onStageOf40 = (options: StageOptions, play: (stage: Stage) => Promise<void>) =>
  onStage({ ...options, sandbox: { leads: 40, credits: 1_000_000, ...options.sandbox } }, play);

const timing = UNHURRIED;
const ledgerOf = ({ temporal, ledgerId }: Stage) => temporal.client.workflow.getHandle(ledgerId);
const status = (stage: Stage) => ledgerOf(stage).query(statusQuery);
const start = (stage: Stage, maxConversions = 12) =>
  stage.temporal.client.workflow.start(leadPipeline, {
    ...{ workflowId: 'pipeline', taskQueue: 'audit-runner' },
    args: [{ maxConversions, maxCredits: 1_000_000, concurrency: 12, scoring: { minReadiness: 0 } }],
  });
/** On a machine that others use as well four stages at once take their time. */
const converted = (stage: Stage, conversions: number) =>
  until(() => stage.figures().conversions >= conversions, 150_000);
/** Nothing is converted for a while. */
async function quiet(stage: Stage): Promise<void> {
  let [seen, since] = [-1, Date.now()];
  await until(() => {
    const { conversions } = stage.figures();
    if (conversions !== seen) [seen, since] = [conversions, Date.now()];
    return Date.now() - since > 2_500;
  });
}

/** The same configuration but for the budget. */
function withBudget({ accounts, ...rest }: Config, budget: { perDay: number | null; balanceFloor: number }): Config {
  const { default: account } = accounts;
  if (!account) throw new Error('no account');
  const { file: _, ...other } = rest;
  return { ...other, accounts: { default: { ...account, budget: { ...account.budget, ...budget } } } };
}

function changeFile({ folder }: Stage, change: (account: Record<string, unknown>) => void): void {
  const file = join(folder, 'audit-runner.yaml');
  const content = parse(readFileSync(file, 'utf8'));
  change(content.accounts.default);
  writeFileSync(file, stringify(content));
}

test.concurrent('a worker without a cap, which comes later, does not lift that of another', () =>
  onStageOf40({ account: { timing, budget: { perDay: 3_000 } } }, async (stage) => {
    await stage.startWorker();
    await until(() =>
      status(stage).then(
        ({ budget }) => budget.perDay === 3_000,
        () => false,
      ),
    );
    await stage.startWorker(withBudget(stage.config, { perDay: null, balanceFloor: 0 }));
    await until(async () => (await status(stage)).budget.workers === 2);
    await start(stage);
    await converted(stage, 3);
    await quiet(stage);
    expect(stage.figures().spent).toBe(3_000);
  }));

test.concurrent('a lower cap in the file is in force without a restart, a higher one lets the rest go on; a person stays below it', () =>
  onStageOf40({ account: { timing, budget: { perDay: 20_000 } } }, async (stage) => {
    await stage.startWorker();
    await until(() =>
      status(stage).then(
        ({ budget }) => budget.perDay === 20_000,
        () => false,
      ),
    );
    const set = (perDay: number | null) =>
      ledgerOf(stage)
        .executeUpdate(setBudgetUpdate, { args: [{ perDay, reason: 'test', by: 'Ada' }] })
        .then(({ perDay: most }) => most)
        .catch((error: Error & { cause: Error }) => error.cause.message);
    expect(await set(15_000)).toBe(15_000);
    expect(await set(null)).toContain('perDay was given null (no limit); allowed is at most 20000');
    expect(await set(20_001)).toContain('allowed is at most 20000');
    changeFile(stage, (account) => Object.assign(account, { budget: { perDay: 4_000 } }));
    const run = await start(stage);
    await converted(stage, 4);
    await quiet(stage);
    expect(stage.figures().spent).toBe(4_000);
    expect((await status(stage)).budget).toMatchObject({ perDay: 4_000, from: { perDay: { kind: 'configured' } } });
    changeFile(stage, (account) => Object.assign(account, { budget: { perDay: 30_000 } }));
    expect(await run.result()).toMatchObject({ ended: 'done', credits: 12_000 });
    expect((await status(stage)).budget).toMatchObject({
      perDay: 15_000,
      from: { perDay: { kind: 'person', by: 'Ada' } },
    });
  }));

test.concurrent('spent elsewhere since the balance was read: above a floor it is read before paying', () =>
  onStageOf40(
    // Read every ten seconds at most by itself, as in production every ten minutes.
    {
      sandbox: { credits: 74_000 },
      account: { timing: { ...timing, holdProbeMs: 1_000 }, budget: { balanceFloor: 66_000 } },
    },
    async (stage) => {
      await stage.startWorker();
      await until(() =>
        status(stage).then(
          ({ balance }) => balance === 74_000,
          () => false,
        ),
      );
      stage.sandbox.control.setCredits({ credits: 71_000 });
      await start(stage, 8);
      await converted(stage, 5);
      await quiet(stage);
      expect(stage.figures().conversions).toBe(5);
      expect(stage.sandbox.control.credits()).toEqual({ credits: 66_000 });
    },
  ));

test.concurrent('a price above the configured one: the cap is exact as soon as a reply has told it, and a person is told', () =>
  onStageOf40(
    {
      account: { timing, budget: { perDay: 3_500 }, credits: { 'leads.convert': 400 } },
    },
    async (stage) => {
      await stage.startWorker();
      await stage.temporal.client.workflow.start(leadPipeline, {
        ...{ workflowId: 'pipeline', taskQueue: 'audit-runner' },
        args: [{ maxConversions: 10, maxCredits: 1_000_000, concurrency: 1, scoring: { minReadiness: 0 } }],
      });
      await converted(stage, 3);
      await quiet(stage);
      expect(stage.figures().spent).toBe(3_000);
      expect((await status(stage)).dearer).toMatchObject([{ kind: 'lead', real: 1_000, configured: 400 }]);
    },
  ));

test.concurrent('S7: a run that waits asks at the price of now: one that was learned by mistake, and forgotten, keeps nobody', () =>
  onStageOf40({ account: { timing } }, async (stage) => {
    await stage.startWorker();
    const { control } = stage.sandbox;
    const [first, second] = completedLeads(stage);
    const convert = (leadId = '') =>
      stage.temporal.client.workflow.start(convertLead, {
        ...{ workflowId: `convert ${leadId}`, taskQueue: 'audit-runner', args: [{ leadId, maxCredits: 2_000_000 }] },
      });
    control.addFault({
      ...{ route: 'leads.convert', about: first, fault: 'instead' },
      body: { success: true, data: { auditId: randomUUID(), creditsUsed: 1_000_000, pdfAttached: true } },
    });
    await convert(first);
    await until(async () => (await status(stage).catch(() => undefined))?.dearer[0]?.real === 1_000_000);
    const by = { reason: 'test', by: 'Ada' };
    await ledgerOf(stage).executeUpdate(setBudgetUpdate, { args: [{ perDay: 3_000, ...by }] });
    const run = await convert(second);
    const says = (what: string) =>
      until(async () => JSON.stringify(await run.query(progressQuery).catch(() => '')).includes(what));
    await says('one call costs 1,000,000, more than the whole of it.');
    await ledgerOf(stage).executeUpdate(releaseUpdate, { args: [by] });
    await says('the next call costs 1,000.');
    await ledgerOf(stage).executeUpdate(adjustUpdate, { args: [{ credits: -999_000, ...by }] });
    expect(await run.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
  }));
