/** S5: the "lower internal limits" of audits: they keep audits, and nothing else for longer than it must be. */

import { randomUUID } from 'node:crypto';
import { auditProject, convertLead } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';

import { QUICK, type Stage, type StageOptions, startStage } from '../support/stage';
import { until } from '../support/until';

const durations = { createProject: 0, upload: 0, documentAnalysis: 0, interviewAnalysis: 0, audit: 50 };
const taskQueue = 'audit-runner';

async function onStage(options: StageOptions, play: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await startStage(options);
  try {
    await stage.startWorker();
    await play(stage);
  } finally {
    await stage.close();
  }
}

/** The audit of a new project, its documents and interviews analysed. */
const start = ({ temporal, sandbox }: Stage, projectId: string) => {
  sandbox.control.addDocument({ projectId, fileName: 'a.txt', fileType: 'text/plain', fileSize: 1 });
  sandbox.control.completeInterviews({ projectId });
  return temporal.client.workflow.start(auditProject, {
    ...{ workflowId: `audit-${randomUUID()}`, taskQueue, args: [{ projectId }] },
  });
};

test.concurrent('a 429 that asks for longer than the limit of the writes could: conversions go on meanwhile', () =>
  onStage({ sandbox: { durations, projects: 1 } }, async (stage) => {
    const { control } = stage.sandbox;
    const [project] = control.projects();
    control.addFault({ route: 'projects.auditAsync', fault: 'status', status: 429, retryAfter: 30 });
    const audit = await start(stage, project?.id ?? '');
    await until(async () => (await audit.query(progressQuery)).waiting?.includes('Rate-limited') === true);
    const lead = control.leads().find(({ surveyStatus }) => surveyStatus === 'completed');
    const converted = await stage.temporal.client.workflow.execute(convertLead, {
      ...{ workflowId: 'convert', taskQueue, args: [{ leadId: lead?.id ?? '' }] },
    });
    expect(converted).toMatchObject({ outcome: 'converted' });
    expect(control.stats().requests.byRoute['projects.auditAsync']).toBe(1);
    expect(await audit.result()).toMatchObject({ outcome: 'audited', analysis: { starts: 1 } });
    expect(control.stats().refused429).toBe(1);
  }));

test.concurrent('with the limit in the configuration the service refuses none', () => {
  const audits = { max: 3, windowMs: 4_000 };
  const free = { reads: 'off', writes: 'off', polls: 'off', notes: 'off' } as const;
  return onStage(
    {
      sandbox: { durations, projects: 8, limits: { ...free, audits } },
      account: { limits: { ...QUICK.limits, audits } },
    },
    async (stage) => {
      const runs = await Promise.all(stage.sandbox.control.projects().map(({ id }) => start(stage, id)));
      for (const run of runs) expect(await run.result()).toMatchObject({ outcome: 'audited', analysis: { starts: 1 } });
      const { refused429, windows } = stage.sandbox.control.stats();
      expect(refused429).toBe(0);
      expect(windows.find(({ rateClass }) => rateClass === 'audits')).toMatchObject({ limit: 3, largest: 3 });
    },
  );
});
