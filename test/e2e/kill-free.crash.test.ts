/** What costs nothing happens once too, whatever is killed in the middle of it: uploads, audits, notes (S1, S2, S6). */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { auditProject, ingestCapture } from '../../workflows';
import { QUICK } from '../support/stage';
import { until } from '../support/until';
import { inScene } from './support/scene';

/** Finding out that a worker is gone takes its heartbeat timeout, 15 s; four scenes with processes of their own go side by side. */
const LIMIT_MS = 240_000;

const account = { timing: { ...QUICK.timing, paidTimeoutMs: 3_000 } };
const durations = {
  ...{ createProject: 20, upload: 50, documentAnalysis: 50, interviewAnalysis: 50, audit: 200, extraction: 100 },
};

test.concurrent.each([
  ['an upload', 'projects.uploadDocument'],
  ['the start of the audit', 'projects.auditAsync'],
  ['the store of the results', 'projects.deliverables'],
] as const)(
  'the worker killed in %s: one project, each document once, one analysis, complete files',
  (_, route) =>
    inScene({ sandbox: { durations }, account }, async (scene) => {
      const { control } = scene.stage.sandbox;
      const storage = fileURLToPath(scene.stage.config.storageUrl);
      mkdirSync(storage, { recursive: true });
      const documents = ['a.pdf', 'b.pdf', 'c.pdf'];
      for (const name of documents) writeFileSync(join(storage, name), name.repeat(1_000));
      control.addFault({ route, fault: 'delayReply', delayMs: 1_500 });
      const worker = await scene.worker();
      const run = await scene.stage.temporal.client.workflow.start(auditProject, {
        workflowId: 'audit',
        taskQueue: 'audit-runner',
        args: [{ project: { clientName: 'Client' }, documents }],
      });
      await until(() => control.stats().faults.some((fault) => fault.route === route));
      await worker.kill();
      await scene.worker();
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
    }),
  LIMIT_MS,
);

test.concurrent(
  'the only worker killed in three submissions of notes: one was not committed yet, one was, one will never be',
  () =>
    inScene({ sandbox: { captures: 0, durations }, account }, async (scene) => {
      const { stage } = scene;
      const { control } = stage.sandbox;
      const sent = () => control.stats().requests.byRoute['captures.submitNote'] ?? 0;
      const worker = await scene.worker();
      control.addFault({ route: 'captures.submitNote', fault: 'delay', delayMs: 700 });
      control.addFault({ route: 'captures.submitNote', fault: 'delayReply', delayMs: 1_500 });
      control.addFault({ route: 'captures.submitNote', fault: 'cutBeforeCommit' });
      const runs = await Promise.all(
        ['one', 'two', 'three'].map((note) =>
          stage.temporal.client.workflow.start(ingestCapture, {
            workflowId: note,
            taskQueue: 'audit-runner',
            args: [{ note }],
          }),
        ),
      );
      await until(() => sent() >= 3);
      await worker.kill();
      await until(() => control.captures().length >= 2);
      await scene.worker();
      for (const run of runs) expect(await run.result()).toMatchObject({ outcome: 'processed', submitted: true });
      const notes = control.captures().map(({ rawContent }) => rawContent);
      expect(notes.sort()).toEqual(['one', 'three', 'two']);
      expect(control.stats().notesDoubled).toEqual([]);
      expect(sent()).toBe(4);
    }),
  LIMIT_MS,
);
