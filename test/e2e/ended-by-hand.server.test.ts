/** S3, S6: a person ends runs of a batch or pipeline by hand: what is paid, and who says that it was. */

import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Long from 'long';
import type { Operation } from '../../src/inputs/backfill';
import { subjectQuery } from '../../src/ledger/messages';
import { leadSubject } from '../../src/paying/subject';
import { auditProjectId, convertLeadId } from '../../src/runs/run-ids';
import type { backfill, convertLead } from '../../workflows';
import * as messages from '../../workflows/backfill/batch-messages';
import { decideUpdate } from '../../workflows/shared/asker';
import { progressQuery } from '../../workflows/shared/status';
import { until } from '../support/until';
import { raiseBudget, SMALL, start } from './support/batch';
import { inScene, type Scene } from './support/scene';

/** A batch of leads. */
async function batchOf(scene: Scene, operation: Operation, ...leads: string[]) {
  await mkdir(join(scene.stage.folder, 'storage'), { recursive: true });
  await writeFile(join(scene.stage.folder, 'storage', 'leads.csv'), `leadId\n${leads.join('\n')}\n`);
  return start(scene, 'batch', { operation, file: { ref: 'leads.csv' } });
}

const conversionOf = ({ stage }: Scene, leadId: string) =>
  stage.temporal.client.workflow.getHandle<typeof convertLead>(convertLeadId('default', leadId));

const says = (scene: Scene, leadId: string, what: RegExp) =>
  until(() =>
    conversionOf(scene, leadId)
      .query(progressQuery)
      .then(
        ({ waiting }) => what.test(waiting ?? ''),
        () => false,
      ),
  );

/** Both of its requests come to nothing, so that the conversion asks a person. */
async function asksPerson(scene: Scene, leadId: string, begin: () => Promise<unknown>): Promise<void> {
  scene.stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'cutBeforeCommit', times: 2 });
  await begin();
  await says(scene, leadId, /Two attempts had an unknown outcome/);
}

const WAITS_FOR_BUDGET = /the day/;

test.concurrent('the conversion of an audit that was terminated pays nothing more', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(500);
    const [ended, other] = [scene.lead(), scene.lead()];
    const run = await batchOf(scene, 'auditProject', ended, other);
    for (const leadId of [ended, other]) await says(scene, leadId, WAITS_FOR_BUDGET);
    await scene.stage.temporal.client.workflow.getHandle(auditProjectId('default', ended)).terminate();
    await raiseBudget(scene);
    expect(await conversionOf(scene, other).result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
    expect(await conversionOf(scene, ended).result()).toMatchObject({ outcome: 'skipped', reason: 'withdrawn' });
    expect(scene.stage.figures().spent).toBe(1_000);
    // Its batch is not over: the audit of the other one waits for interviews.
    await until(async () => (await run.query(messages.backfillProgressQuery)).counts.failed === 1);
  }));

test.concurrent('the conversion of an audit that was reset goes on', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    await scene.limitDay(500);
    const leadId = scene.lead();
    await batchOf(scene, 'auditProject', leadId);
    await says(scene, leadId, WAITS_FOR_BUDGET);
    const { client, namespace } = scene.stage.temporal;
    const { runId } = await conversionOf(scene, leadId).describe();
    await client.workflowService.resetWorkflowExecution({
      ...{ namespace, workflowExecution: { workflowId: auditProjectId('default', leadId) } },
      ...{ reason: 'test', requestId: randomUUID(), workflowTaskFinishEventId: Long.fromNumber(4) },
    });
    await raiseBudget(scene);
    const conversion = client.workflow.getHandle<typeof convertLead>(convertLeadId('default', leadId), runId);
    expect(await conversion.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
    expect(scene.stage.figures().spent).toBe(1_000);
  }));

test.concurrent('what the conversion of an audit that was terminated has sent is waited for', () =>
  inScene(SMALL, async (scene) => {
    await scene.stage.startWorker();
    const { workflow } = scene.stage.temporal.client;
    const leadId = scene.lead();
    await asksPerson(scene, leadId, () => batchOf(scene, 'auditProject', leadId));
    // Nor does the ledger wait for it any more.
    await until(async () => !(await scene.ledger().query(subjectQuery, leadSubject(leadId))).open);
    await workflow.getHandle(auditProjectId('default', leadId)).terminate();
    const run = workflow.getHandle<typeof backfill>('batch');
    await until(async () => {
      const { raw, status } = await run.describe();
      const follows = raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'awaitRun');
      return follows === true || status.name !== 'RUNNING';
    });
    await conversionOf(scene, leadId).executeUpdate(decideUpdate, { args: [{ decision: 'itHappened', by: 'Ada' }] });
    expect(await run.result()).toMatchObject({ credits: 1_000, counts: { waiting: 1, failed: 0 } });
  }));
