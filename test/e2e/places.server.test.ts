/** Runs that only wait, until it is known what became of a call or for a person, give their places to others. */
import type { BackfillJson } from '../../src/inputs/backfill';
import { backfill, leadPipeline } from '../../workflows';
import * as messages from '../../workflows/backfill/batch-messages';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { stopUpdate } from '../../workflows/pipeline/controls';
import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { leadsInFile } from './support/batch';
import { resetToFirst } from './support/reset';
import { inScene, type Scene } from './support/scene';

const taskQueue = 'audit-runner';
/** An unknown outcome settles in two minutes: far more than everything else takes. */
const SLOW = {
  sandbox: { leads: 60, credits: 100_000 },
  account: { timing: { ...UNHURRIED, paidTimeoutMs: 120_000 } },
};
const SOON_MS = 100_000;
const LEADS = 8;
const LOST = 4;

/** The first conversions are cut off, and nobody knows what became of them. */
const loseSome = ({ stage }: Scene) =>
  stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'cutBeforeCommit', times: LOST });

interface Size {
  items?: number;
  window?: number;
  renewAfter?: number | undefined;
}

async function startBatch(
  scene: Scene,
  operation: 'convertLead' | 'auditProject',
  { items = LEADS, window = 2, renewAfter }: Size = {},
) {
  const { file } = await leadsInFile(scene, items);
  const input: BackfillJson = { operation, file, window, maxCredits: 100_000 };
  return scene.stage.temporal.client.workflow.start(backfill, {
    ...{ workflowId: 'batch', taskQueue },
    args: [input, renewAfter === undefined ? {} : { renewAfter }],
  });
}

test.concurrent('a pipeline tries every lead once before the first unknown outcome settles', () =>
  inScene(SLOW, async (scene) => {
    await scene.stage.startWorker();
    loseSome(scene);
    const run = await scene.stage.temporal.client.workflow.start(leadPipeline, {
      ...{ workflowId: 'pipeline', taskQueue },
      args: [{ maxConversions: LEADS, maxCredits: 100_000, concurrency: 2, scoring: { minReadiness: 0 } }],
    });
    await until(async () => (await run.query(pipelineProgressQuery)).done === LEADS - LOST, SOON_MS);
    expect(scene.stage.figures()).toMatchObject({ converts: LEADS, conversions: LEADS - LOST });
    await run.executeUpdate(stopUpdate, { args: [{ now: true }] });
    expect(await run.result()).toMatchObject({ counts: { converted: LEADS - LOST, unresolved: LOST } });
  }));

test.concurrent.each([undefined, 3])(
  'a batch tries every item once before the first unknown outcome settles (%s)',
  (renewAfter) =>
    inScene(SLOW, async (scene) => {
      await scene.stage.startWorker();
      loseSome(scene);
      const run = await startBatch(scene, 'convertLead', { renewAfter });
      await until(async () => {
        const { done, underWayCount, away } = await run.query(messages.backfillProgressQuery);
        return done === LEADS - LOST && underWayCount === LOST && away === LOST;
      }, SOON_MS);
      expect(scene.stage.figures()).toMatchObject({ converts: LEADS, conversions: LEADS - LOST });
      await run.executeUpdate(messages.stopUpdate, { args: [{ now: true }] });
      expect(await run.result()).toMatchObject({ counts: { done: LEADS - LOST, waiting: LOST } });
    }),
);

test.concurrent('a batch that continues as new hears what was said before it began to listen', () =>
  inScene(SLOW, async (scene) => {
    await scene.stage.startWorker();
    loseSome(scene);
    const run = await startBatch(scene, 'convertLead', { items: LOST, window: LOST, renewAfter: LOST });
    const away = () => until(async () => (await run.query(messages.backfillProgressQuery)).away === LOST, SOON_MS);
    await away();
    // What was said is said again, all at once and before its first task. Those who said it do not say it again.
    await resetToFirst(scene.stage, run.workflowId);
    await away();
    await run.terminate();
  }));

test.concurrent('the conversion of an audit of a batch gives the place of its audit', () =>
  inScene(SLOW, async (scene) => {
    await scene.stage.startWorker();
    loseSome(scene);
    const run = await startBatch(scene, 'auditProject');
    await until(async () => (await run.query(messages.backfillProgressQuery)).away === LOST, SOON_MS);
    await run.terminate();
  }));

test.concurrent('a run that has waited takes its place again, and the budget is exact', () =>
  inScene({ ...SLOW, account: { timing: { ...UNHURRIED, paidTimeoutMs: 30_000 } } }, async (scene) => {
    await scene.stage.startWorker();
    loseSome(scene);
    const run = await scene.stage.temporal.client.workflow.start(leadPipeline, {
      ...{ workflowId: 'pipeline', taskQueue },
      args: [{ maxConversions: LEADS, maxCredits: 6_000, concurrency: 2, scoring: { minReadiness: 0 } }],
    });
    const result = await run.result();
    expect(result.credits).toBe(6_000);
    expect(scene.stage.figures()).toMatchObject({ spent: 6_000, paidTwice: 0 });
  }));
