/** A run that waits says what keeps it now, not what kept it when it began to wait (S7). */

import type { Client } from '@temporalio/client';
import { holdUpdate, releaseUpdate, setBudgetUpdate, statusQuery } from '../../src/ledger/messages';
import { auditProject, convertLead } from '../../workflows';
import { chooseProjectUpdate } from '../../workflows/shared/choose-project';
import { progressQuery } from '../../workflows/shared/status';
import { goesOnIn } from '../support/goes-on';
import { completedLeads, startStage, UNHURRIED } from '../support/stage';
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

test('S7: a ledger that is not available hides no question: it is shown, and can be answered when the ledger is back', async () => {
  const stage = await startStage({ sandbox: { leads: 60 }, account: { timing: UNHURRIED } });
  try {
    const { control } = stage.sandbox;
    const worker = await stage.startWorker();
    const leads = control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
    const [pair = []] = leads.flatMap((a) =>
      leads.filter((b) => a.id < b.id && a.businessName === b.businessName).map((b) => [a, b]),
    );
    control.addFault({ route: 'leads.convert', fault: 'replyLost', times: 2 });
    // Each looks for its project when both are there.
    control.addFault({ route: 'projects.list', fault: 'html', times: 1_000 });
    const runs = await Promise.all(
      pair.map(({ id }) =>
        stage.temporal.client.workflow.start(convertLead, {
          ...{ workflowId: id, taskQueue: 'audit-runner', args: [{ leadId: id }] },
        }),
      ),
    );
    await until(() => stage.figures().conversions === 2);
    control.clearFaults();
    const [first] = runs;
    if (!first) throw new Error('the sandbox has no two leads of one business');
    const waiting = async (run: (typeof runs)[number]) => (await run.query(progressQuery)).waiting ?? '';
    const asks = async (run: (typeof runs)[number]) => /chooseProject/.test(await waiting(run));
    await until(async () => (await Promise.all(runs.map(asks))).every(Boolean));
    // Nor does a step beside it end it that somebody ends by hand, and for which nobody waits yet.
    await limitTries(stage.temporal.client, first.workflowId, 'awaitLastOne');
    await until(async () => /own: .*Somebody has ended a step/s.test(await waiting(first)));
    worker.stop();
    control.addFault({ route: 'account.user', fault: 'empty', times: 10_000 });
    await stage.startWorker();
    await until(async () => /own: \S+, \S+\. Answer.*not available/s.test(await waiting(first)));
    control.clearFaults();
    const projectId = /own: ([^,]+),/.exec(await waiting(first))?.[1] ?? '';
    await until(async () =>
      /^Noted/.test(await first.executeUpdate(chooseProjectUpdate, { args: [{ projectId, by: 'Ada' }] })),
    );
    for (const run of runs) expect(await run.result()).toMatchObject({ outcome: 'converted' });
  } finally {
    await stage.close();
  }
});

/** As `temporal activity update-options --retry-maximum-attempts 1` does: its next try is its last. */
async function limitTries({ workflow, workflowService }: Client, workflowId: string, type: string): Promise<void> {
  const { raw } = await workflow.getHandle(workflowId).describe();
  const activity = raw.pendingActivities?.find(({ activityType }) => activityType?.name === type);
  await workflowService.updateActivityOptions({
    ...{ namespace: workflow.options.namespace, execution: { workflowId }, id: activity?.activityId ?? '' },
    activityOptions: { retryPolicy: { maximumAttempts: 1 } },
    updateMask: { paths: ['retry_policy.maximum_attempts'] },
  });
}

test('what a 429 has parked goes on as soon as a person says so, also in the worker that got it', async () => {
  const stage = await startStage();
  try {
    await stage.startWorker();
    const { client } = stage.temporal;
    const [leadId = ''] = completedLeads(stage);
    stage.sandbox.control.addFault({ route: 'leads.get', fault: 'status', status: 429, retryAfter: 3_600 });
    const args: [{ leadId: string }] = [{ leadId }];
    const run = await client.workflow.start(convertLead, { workflowId: 'parked', taskQueue: 'audit-runner', args });
    await until(async () => /asked to wait \(429\)/.test((await run.query(progressQuery)).waiting ?? ''));
    const ledger = client.workflow.getHandle(stage.ledgerId);
    await until(async () => (await ledger.query(statusQuery)).parked.reads !== undefined);
    await ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'a mistake of the service', parks: true }] });
    expect(await run.result()).toMatchObject({ outcome: 'converted' });
  } finally {
    await stage.close();
  }
});

test('S7: of things that are fetched side by side, one that waits says so also when another has come', async () => {
  const durations = { createProject: 0, documentAnalysis: 0, interviewAnalysis: 0, audit: 0 };
  const stage = await startStage({ sandbox: { durations }, account: { timing: UNHURRIED } });
  try {
    await stage.startWorker();
    const { control } = stage.sandbox;
    const about = 'Client';
    control.addFault({ route: 'projects.opportunities', about, fault: 'delay', delayMs: 100_000, times: 1_000 });
    control.addFault({ route: 'projects.deliverables', fault: 'html', times: 1_000 });
    const run = await stage.temporal.client.workflow.start(auditProject, {
      ...{
        workflowId: 'audit',
        taskQueue: 'audit-runner',
        args: [{ project: { clientName: about }, mode: 'sync' }],
      },
    });
    const says = async () => (await run.query(progressQuery)).waiting ?? '';
    const underWay = async () =>
      ((await run.describe()).raw.pendingActivities ?? []).some(({ activityType }) => activityType?.name === STORE);
    // Long enough that it is not said anew meanwhile.
    await until(async () => (goesOnIn(await says()) ?? 0) > 4_000);
    expect(await underWay()).toBe(true);
    control.clearFaults({ about });
    control.endDelays();
    await until(async () => !(await underWay()));
    expect(await says()).toMatch(/tried again/);
    control.clearFaults();
    expect(await run.result()).toMatchObject({ outcome: 'audited' });
  } finally {
    await stage.close();
  }
});

const STORE = 'storeOpportunities';
