/** S7: what somebody has paused in the Web UI stands still and cannot say so; `status`, `doctor` and whoever waits for it do. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findServer } from '../../src/dev-server/find-server';
import { convertLead } from '../../workflows';
import { completedLeads, onStage } from '../support/stage';
import { until } from '../support/until';
import { cliFolder } from './cli';

const cli = cliFolder();
afterAll(() => cli.close());

test('an activity that somebody has paused is named, with the command that lets it go on', () =>
  onStage({ sandbox: { leads: 25 } }, async (stage) => {
    await stage.startWorker();
    await until(async () => (await stage.spentByLedger().catch(() => undefined)) !== undefined);
    const { client, namespace } = stage.temporal;
    const ledger = client.workflow.getHandle(stage.ledgerId);
    await ledger.executeUpdate('hold', { args: [{ by: 'Ann', reason: 'month end' }] });
    const [leadId = ''] = completedLeads(stage);
    const run = await client.workflow.start(convertLead, {
      ...{ workflowId: 'waits', taskQueue: 'audit-runner', args: [{ leadId }] },
    });
    // One that is asked again and again, and between two tries is with no worker.
    const waiting = async () =>
      (await run.describe()).raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'awaitClearance');
    await until(async () => (await waiting()) !== undefined);
    const id = (await waiting())?.activityId ?? '';
    const env = { ...stage.env, NO_COLOR: '1' };
    expect((await cli.run(['status'], env)).stdout).not.toContain('stands still');

    await client.workflowService.pauseActivity({ namespace, execution: { workflowId: 'waits' }, id, identity: 'Ann' });
    await ledger.executeUpdate('release', { args: [{ by: 'Ann', reason: 'done' }] });
    const { stdout, code } = await cli.run(['status'], env);
    expect(stdout).toMatch(
      /^waits stands still since .* UTC: somebody has paused its activity awaitClearance\. To mend it, unpause it/,
    );
    expect(code).toBe(3);
    expect((await cli.run(['doctor'], env)).stdout).toMatch(/WRONG {2}workflow tasks: waits stands still/);

    const [, command = ''] = /by temporal (activity unpause .*)\.$/m.exec(stdout) ?? [];
    const { file } = await findServer(process.env, () => undefined);
    await promisify(execFile)(file, command.split(' '));
    expect((await cli.run(['status'], env)).stdout).not.toContain('stands still');
    expect(await run.result()).toMatchObject({ outcome: 'converted' });
  }));
