/** A run that waits says what keeps it now, not what kept it when it began to wait (S7). */
import { convertLead } from '../../workflows';
import { progressQuery } from '../../workflows/convert-lead';
import { holdUpdate, releaseUpdate, setBudgetUpdate } from '../../workflows/ledger/messages';
import { startStage } from '../support/stage';
import { until } from '../support/until';

test('S7: a hold that ends while the budget of the day is used up: the run says the latter', async () => {
  const stage = await startStage({ account: { budget: { perDay: 5_000, balanceFloor: 0 } } });
  try {
    await stage.startWorker();
    const { client } = stage.temporal;
    const ledger = client.workflow.getHandle(stage.ledgerId);
    await until(async () => (await stage.spentByLedger().catch(() => undefined)) === 0);
    const reason = 'test';
    await ledger.executeUpdate(holdUpdate, { args: [{ reason }] });
    const [lead] = stage.sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
    const args: [{ leadId: string }] = [{ leadId: lead?.id ?? '' }];
    const run = await client.workflow.start(convertLead, { workflowId: 'waits', taskQueue: 'audit-runner', args });
    const says = async (what: RegExp) => what.test((await run.query(progressQuery)).waiting ?? '');
    await until(() => says(/a person put it on hold/));
    await ledger.executeUpdate(setBudgetUpdate, { args: [{ perDay: 0, reason }] });
    await ledger.executeUpdate(releaseUpdate, { args: [{ reason }] });
    await until(() => says(/credits of the day are used up/), 20_000);
    await ledger.executeUpdate(setBudgetUpdate, { args: [{ perDay: 5_000, reason }] });
    expect(await run.result()).toMatchObject({ outcome: 'converted' });
  } finally {
    await stage.close();
  }
});
