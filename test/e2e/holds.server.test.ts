/** S7: an account on hold waits as a whole, says why, is asked seldom, and everything goes on by itself afterwards. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditProject, backfill, ingestCapture } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';

import { until } from '../support/until';
import {
  CAUSES,
  expectQuietHold,
  failedRuns,
  inQuickScene,
  LIMIT_MS,
  ledger,
  newToken,
  passes,
  putToken,
} from './support/holding';
import { inScene } from './support/scene';

test.concurrent.each(Object.entries(CAUSES).filter(([, { kind }]) => kind !== 'token'))(
  '%s: one hold, few probes, no run fails, and the pipeline says why it waits and goes on',
  (_, cause) => passes(cause),
  LIMIT_MS,
);

test.concurrent(
  'an audit, a note and a batch in the middle of their work wait as one, say so, and go on',
  () =>
    inQuickScene(
      async (scene) => {
        const { temporal, folder, sandbox } = scene.stage;
        const { workflow } = temporal.client;
        mkdirSync(join(folder, 'storage'), { recursive: true });
        writeFileSync(join(folder, 'storage', 'a.txt'), 'Orders are typed twice.');
        writeFileSync(
          join(folder, 'storage', 'leads.csv'),
          `leadId\n${[1, 2, 3].map(() => scene.lead()).join('\n')}\n`,
        );
        const taskQueue = 'audit-runner';
        const batch = { operation: 'convertLead', file: { ref: 'leads.csv' }, maxCredits: 3_000, window: 1 } as const;
        sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 500, times: 3 });
        const audit = await workflow.start(auditProject, {
          ...{ workflowId: 'audit', taskQueue },
          args: [{ project: { clientName: 'Client' }, documents: ['a.txt'] }],
        });
        const asked = (route: 'projects.auditAsync' | 'jobs.get' | 'captures.get') =>
          until(() => (sandbox.control.stats().requests.byRoute[route] ?? 0) > 0);
        await asked('projects.auditAsync');
        sandbox.control.setBackgroundWork({ stands: true });
        await asked('jobs.get');
        const note = await workflow.start(ingestCapture, {
          ...{ workflowId: 'note', taskQueue },
          args: [{ note: 'Invoices first.' }],
        });
        await asked('captures.get');
        const batched = await workflow.start(backfill, { workflowId: 'batch', taskQueue, args: [batch] });
        const runs = [audit, note, batched];
        await until(() => scene.stage.figures().conversions > 0);
        sandbox.control.setAgentApi({ enabled: false });
        await until(async () => {
          const said = await Promise.all(runs.map((run) => run.query<{ waiting?: string }>('progress')));
          return said.every(({ waiting }) => /hold|PAT_DISABLED/.test(waiting ?? ''));
        });
        await expectQuietHold(scene, 'killSwitch');
        sandbox.control.setAgentApi({ enabled: true });
        sandbox.control.setBackgroundWork({ stands: false });
        expect(await audit.result()).toMatchObject({ outcome: 'audited', analysis: { starts: 1 } });
        expect(await note.result()).toMatchObject({ outcome: 'processed' });
        expect(await batched.result()).toMatchObject({ ended: 'done', counts: { done: 3 } });
        expect(scene.stage.figures()).toMatchObject({ spent: 4_000, paidTwice: 0 });
        await scene.booksAreRight();
        expect(await failedRuns(scene)).toEqual([]);
      },
      { durations: { audit: 1_000, extraction: 200, documentAnalysis: 50, interviewAnalysis: 50, upload: 20 } },
    ),
  LIMIT_MS,
);

test.concurrent(
  'credits that are topped up before the first probe end the hold as well',
  () =>
    inQuickScene(async (scene) => {
      const { control } = scene.stage.sandbox;
      control.addFault({ route: 'account.credits', fault: 'delay', delayMs: 1_000 });
      control.setCredits({ credits: 500 });
      const run = await scene.convert(scene.lead());
      await until(async () => (await ledger(scene)).holds.length === 1);
      control.setCredits({ credits: 100_000 });
      await until(async () => (await ledger(scene)).holds.length === 0);
      expect(await run.result()).toMatchObject({ outcome: 'converted' });
    }),
  LIMIT_MS,
);

test.concurrent('a token that is replaced while the project of a converted lead is looked for: the project is found', () =>
  inScene({}, async (scene) => {
    await scene.worker();
    const service = scene.stage.sandbox.control;
    service.addFault({ route: 'leads.convert', fault: 'replyLost' });
    service.addFault({ route: 'projects.list', fault: 'status', status: 503, times: 50 });
    const run = await scene.convert(scene.lead());
    await until(() => (service.stats().requests.byRoute['projects.list'] ?? 0) > 0);
    putToken(scene.stage, await newToken(scene.stage));
    service.clearFaults();
    expect(await run.result()).toMatchObject({ outcome: 'converted', projectId: expect.any(String) });
  }));

test.concurrent('a worker that starts while the API is switched off waits with its runs, which say why', () =>
  inScene({}, async (scene) => {
    scene.stage.sandbox.control.setAgentApi({ enabled: false });
    await scene.worker({}, 'worker is running');
    const run = await scene.convert(scene.lead());
    await until(async () => {
      const { waiting, status } = await run.query(progressQuery).then(
        async (progress) => ({ ...progress, status: (await run.describe()).status.name }),
        () => ({ waiting: undefined, status: 'RUNNING' }),
      );
      expect(status).toBe('RUNNING');
      return waiting?.includes('PAT_DISABLED') === true;
    });
    scene.stage.sandbox.control.setAgentApi({ enabled: true });
    expect(await run.result()).toMatchObject({ outcome: 'converted' });
  }));
