/** An audit survives its workers: one project, each document once, one analysis, whole files (S1, S2, S6). */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { auditProject } from '../../workflows';
import { QUICK } from '../support/stage';
import { until } from '../support/until';
import { inScene } from './support/scene';

const LIMIT_MS = 120_000;

test(
  'the worker is killed in an upload, in the start of the audit, and while the results are stored',
  () =>
    inScene(
      {
        sandbox: {
          durations: { createProject: 20, upload: 50, documentAnalysis: 50, interviewAnalysis: 50, audit: 200 },
        },
        account: { timing: { ...QUICK.timing, paidTimeoutMs: 3_000 } },
      },
      async (scene) => {
        const { control } = scene.stage.sandbox;
        const storage = fileURLToPath(scene.stage.config.storageUrl);
        mkdirSync(storage, { recursive: true });
        const documents = ['a.pdf', 'b.pdf', 'c.pdf'];
        for (const name of documents) writeFileSync(join(storage, name), name.repeat(1_000));
        for (const route of ['projects.uploadDocument', 'projects.auditAsync', 'projects.deliverables'] as const)
          control.addFault({ route, fault: 'delayReply', delayMs: 1_500 });
        let worker = await scene.worker();
        const run = await scene.stage.temporal.client.workflow.start(auditProject, {
          workflowId: 'audit',
          taskQueue: 'audit-runner',
          args: [{ project: { clientName: 'Client' }, documents }],
        });
        for (const route of ['projects.uploadDocument', 'projects.auditAsync', 'projects.deliverables'] as const) {
          await until(() => control.stats().faults.some((fault) => fault.route === route));
          await worker.kill();
          worker = await scene.worker();
        }
        const result = await run.result();
        expect(result).toMatchObject({ outcome: 'audited', credits: 1_000, notes: [], analysis: { starts: 1 } });
        const [project, ...others] = control.projects();
        expect(others).toEqual([]);
        expect(project?.documents.map(({ fileName }) => fileName).sort()).toEqual(documents);
        expect(Object.values(control.stats().runningAnalyses)).toEqual([1]);
        await scene.booksAreRight();
        const html = readFileSync(join(storage, result.results?.report.html ?? ''), 'utf8');
        expect(html.trimEnd().endsWith('</html>')).toBe(true);
        for (const ref of result.results?.files ?? []) JSON.parse(readFileSync(join(storage, ref), 'utf8'));
        expect(readdirSync(storage, { recursive: true }).filter((name) => String(name).endsWith('.tmp'))).toEqual([]);
      },
    ),
  LIMIT_MS,
);
