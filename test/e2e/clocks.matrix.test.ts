/** S3, S5: what the ledger says is compared with the server's clock; that of a worker may be wrong by minutes or hours. */
import { leadPipeline } from '../../workflows';
import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { inScene, type Scene } from './support/scene';

const AHEAD = require.resolve('./fixtures/shift-clock.js');
const shifted = (ms: number) => ({ NODE_OPTIONS: `--require ${AHEAD}`, SHIFT_CLOCK_MS: String(ms) });
const HOUR = 3_600_000;
const start = ({ stage }: Scene, maxConversions: number) =>
  stage.temporal.client.workflow.start(leadPipeline, {
    ...{ workflowId: 'pipeline', taskQueue: 'audit-runner' },
    args: [{ maxConversions, maxCredits: 1_000_000, concurrency: 7, scoring: { minReadiness: 0 } }],
  });

test.concurrent('runs that wait for the next day ask nothing meanwhile, though the clock of their worker is nearly a day ahead', () =>
  inScene({ account: { timing: UNHURRIED, budget: { perDay: 2_000 } } }, async (scene) => {
    await scene.worker(shifted(23 * HOUR));
    await start(scene, 7);
    await until(() => scene.stage.figures().conversions === 2);
    await until(async () => (await scene.ledgerStatus()).open.length === 0);
    let [reads, since] = [-1, Date.now()];
    await until(() => {
      const now = scene.stage.figures().reads;
      if (now !== reads) [reads, since] = [now, Date.now()];
      return Date.now() - since > 4_000;
    });
    expect(scene.stage.figures().conversions).toBe(2);
  }));

test.concurrent.each([
  ['ahead', 10 * 60_000],
  ['behind', -10 * 60_000],
])('a 429 is waited out by its duration where the clock of the worker is ten minutes %s', (_, ms) =>
  inScene({ account: { timing: UNHURRIED } }, async (scene) => {
    await scene.worker(shifted(ms));
    // Another process learns of it from the ledger.
    await scene.worker(shifted(-ms));
    const { control } = scene.stage.sandbox;
    const seconds = 6;
    control.addFault({ route: 'leads.convert', fault: 'status', status: 429, retryAfter: seconds });
    const begun = Date.now();
    const run = await start(scene, 4);
    expect(await run.result()).toMatchObject({ ended: 'done', credits: 4_000 });
    const took = Date.now() - begun;
    expect(took).toBeGreaterThan(seconds * 1_000);
    expect(took).toBeLessThan(120_000);
    expect(control.stats().requests.byRoute['leads.convert']).toBe(5);
  }),
);
