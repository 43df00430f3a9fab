/** An account that was renamed while runs were open: their calls wait where no worker asks, and that is said. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config';
import { holdUpdate, releaseUpdate } from '../../src/ledger/messages';
import { ledgersOf } from '../../src/runs/lists';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { progressQuery } from '../../workflows/shared/status';
import { completedLeads, onStage, type Stage } from '../support/stage';
import { until } from '../support/until';
import { cliFolder } from './cli';

const cli = cliFolder();
afterAll(() => cli.close());

/** @returns the file */
function writeName(stage: Stage, name: string): string {
  const file = join(stage.folder, 'audit-runner.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^ {2}(default|acme):/m, `  ${name}:`));
  return file;
}

/** Workers of the account under this name take the place of those before; `status` and `doctor` read the same file. */
async function worksAs(stage: Stage, name: string, before?: Awaited<ReturnType<Stage['startWorker']>>) {
  before?.stop();
  await before?.done;
  const file = writeName(stage, name);
  const worker = await stage.startWorker(loadConfig({ env: {}, file }));
  const { workflow } = stage.temporal.client;
  await until(async () => (await workflow.count(ledgersOf(name))).count === 1);
  return worker;
}

test(
  'status and doctor name the queues of an account that was renamed under its runs; its old name brings them back',
  () =>
    onStage({ sandbox: { leads: 10, credits: 100_000 } }, async (stage) => {
      const env = { ...stage.env, NO_COLOR: '1' };
      const first = await worksAs(stage, 'default');
      const ledger = stage.temporal.client.workflow.getHandle(stage.ledgerId);
      await ledger.executeUpdate(holdUpdate, { args: [{ reason: 'month end' }] });
      const run = await stage.temporal.client.workflow.start('convertLead', {
        ...{ workflowId: 'begun-before', taskQueue: WORKFLOW_QUEUE },
        args: [{ leadId: completedLeads(stage)[0] ?? '' }],
      });
      await until(async () => (await run.query(progressQuery)).waiting?.includes('on hold') === true);

      const renamed = await worksAs(stage, 'acme', first);
      await ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'over' }] });
      await until(async () => (await cli.run(['status'], env)).stdout.includes('No worker takes from '));
      const status = await cli.run(['status'], env);
      expect(status.code).toBe(3);
      expect(status.stdout).toMatch(
        /No worker takes from \S*\.default.*; start one that has an account named default: `(npx )?audit-runner worker`/,
      );
      const doctor = await cli.run(['doctor'], env);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toMatch(
        /WRONG {2}other accounts: No worker takes from \S*\.default.*\n.*mend: .*account named default/,
      );

      const again = await worksAs(stage, 'default', renamed);
      expect(await run.result()).toMatchObject({ outcome: 'converted' });
      const { stdout, code } = await cli.run(['status'], env);
      expect(stdout).not.toContain('No worker takes from');
      expect(code).toBe(0);
      expect((await cli.run(['doctor'], env)).stdout).not.toContain('LOOK   name:');

      again.stop();
      await again.done;
      writeName(stage, 'acme');
      expect((await cli.run(['doctor'], env)).stdout).toMatch(
        /LOOK {3}name: this user's books were begun by an account named default:/,
      );
    }),
  240_000,
);
