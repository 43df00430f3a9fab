/** S3, S7: what must remain of the balance remains, also where the service shows the balance late, and runs say why they wait. */

import { leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';

import { QUICK, UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { inScene, type Scene } from './support/scene';

/** What the conversions under way wait for. */
async function waiting({ stage }: Scene): Promise<(string | undefined)[]> {
  const said: (string | undefined)[] = [];
  const query = "WorkflowType = 'convertLead' AND ExecutionStatus = 'Running'";
  for await (const { workflowId } of stage.temporal.client.workflow.list({ query }))
    said.push((await stage.temporal.client.workflow.getHandle(workflowId).query(progressQuery)).waiting);
  return said;
}

test.concurrent('a balance that shows late is not spent below its floor, and a top-up lets the rest go on', () =>
  inScene(
    {
      sandbox: { leads: 60, credits: 71_000, balanceLagMs: 0.9 * QUICK.timing.settlingMs },
      account: { budget: { balanceFloor: 66_000 }, timing: { ...UNHURRIED, holdProbeMs: 100 } },
    },
    async (scene) => {
      await scene.stage.startWorker();
      const { temporal, sandbox } = scene.stage;
      const run = await temporal.client.workflow.start(leadPipeline, {
        ...{ workflowId: 'pipeline', taskQueue: 'audit-runner' },
        args: [{ maxConversions: 14, maxCredits: 14_000, concurrency: 10, scoring: { minReadiness: 0 } }],
      });
      await until(() => scene.stage.figures().conversions >= 5);
      const reads = () => sandbox.control.stats().requests.byRoute['account.credits'] ?? 0;
      const before = reads();
      await until(async () => {
        const said = await waiting(scene);
        return reads() > before && said.length === 9 && said.some((one) => one?.includes('reached its floor'));
      });
      expect(scene.stage.figures().spent).toBe(5_000);
      const { elsewhere, balance } = await scene.ledgerStatus();
      expect({ elsewhere, balance }).toEqual({ elsewhere: 0, balance: 66_000 });
      sandbox.control.setCredits({ credits: 80_000 });
      expect(await run.result()).toMatchObject({ ended: 'done', credits: 14_000 });
      expect(scene.stage.figures()).toMatchObject({ spent: 14_000, paidTwice: 0 });
      await until(async () => (await scene.ledgerStatus()).elsewhere === 66_000 - 80_000);
    },
  ));
