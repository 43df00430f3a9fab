/** S7: what somebody has paused in the Web UI stands still and cannot say so; `status`, `doctor` and whoever waits for it do. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findServer } from '../../src/dev-server/find-server';
import { leadPipeline } from '../../workflows';
import { onStage } from '../support/stage';
import { until } from '../support/until';
import { cliFolder } from './cli';

const cli = cliFolder();
afterAll(() => cli.close());

test('an activity that somebody has paused is named, with the command that lets it go on', () =>
  onStage({ sandbox: { leads: 5 } }, async (stage) => {
    await stage.startWorker();
    const { client, namespace } = stage.temporal;
    const { control } = stage.sandbox;
    control.addFault({ route: 'leads.list', fault: 'delay', delayMs: 110_000 });
    const run = await client.workflow.start(leadPipeline, {
      ...{ workflowId: 'lists', taskQueue: 'audit-runner', args: [{ dryRun: true }] },
    });
    await until(() => control.stats().faults.some(({ route }) => route === 'leads.list'));
    const env = { ...stage.env, NO_COLOR: '1' };
    expect((await cli.run(['status'], env)).stdout).not.toContain('stands still');

    const [activity] = (await run.describe()).raw.pendingActivities ?? [];
    const id = activity?.activityId ?? '';
    await client.workflowService.pauseActivity({ namespace, execution: { workflowId: 'lists' }, id, identity: 'Ann' });
    const { stdout, code } = await cli.run(['status'], env);
    expect(stdout).toMatch(
      /^lists stands still since .* UTC: somebody has paused its activity \w+\. To mend it, unpause it/,
    );
    expect(code).toBe(3);
    expect((await cli.run(['doctor'], env)).stdout).toMatch(/WRONG {2}workflow tasks: lists stands still/);

    const [, command = ''] = /by temporal (activity unpause .*)\.$/m.exec(stdout) ?? [];
    const { file } = await findServer(process.env, () => undefined);
    await promisify(execFile)(file, command.split(' '));
    expect((await cli.run(['status'], env)).stdout).not.toContain('stands still');
    control.endDelays();
    expect(await run.result()).toMatchObject({ ended: 'planned' });
  }));
