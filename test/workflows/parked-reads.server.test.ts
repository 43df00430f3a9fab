/** S5, S7: a 429 for a read or a poll is waited out to its end, and the runs say so. */

import { auditProject, ingestCapture, leadPipeline } from '../../workflows';
import { onStage, type Stage } from '../support/stage';
import { until } from '../support/until';

/** Longer than a busy machine needs to say so. */
const PAUSE_S = 60;
const SAID_WITHIN_MS = 55_000;
const inPlay = (play: (stage: Stage) => Promise<void>) =>
  onStage(
    { sandbox: { leads: 20, durations: { documentAnalysis: 0, audit: 400, extraction: 600_000 } } },
    async (stage) => {
      await stage.startWorker();
      await play(stage);
    },
  );

const waitingOf = async ({ temporal }: Stage, workflowId: string) =>
  (await temporal.client.workflow.getHandle(workflowId).query<{ waiting?: string }>('progress')).waiting ?? '';
const start = (
  { temporal }: Stage,
  workflow: typeof leadPipeline | typeof auditProject | typeof ingestCapture,
  workflowId: string,
  input: object,
) =>
  temporal.client.workflow.start(workflow as typeof leadPipeline, {
    ...{ workflowId, taskQueue: 'audit-runner', args: [input] },
  });
const asked = ({ sandbox }: Stage, route: 'leads.list' | 'jobs.get' | 'captures.get') =>
  sandbox.control.stats().requests.byRoute[route] ?? 0;
const says = (stage: Stage, workflowId: string) =>
  until(async () => (await waitingOf(stage, workflowId)).includes('asked to wait (429)'), SAID_WITHIN_MS);

test.concurrent('a list that is asked to wait: the run says until when, so does one that comes later, and nothing is sent before', () =>
  inPlay(async (stage) => {
    stage.sandbox.control.addFault({ route: 'leads.list', fault: 'status', status: 429, retryAfter: PAUSE_S });
    const first = await start(stage, leadPipeline, 'first', { dryRun: true });
    await until(() => asked(stage, 'leads.list') === 1);
    const at = Date.now();
    await says(stage, 'first');
    expect(await waitingOf(stage, 'first')).toMatch(
      /^The service asked to wait \(429\): reads go on by themselves at \d{4}-.* UTC\.$/,
    );
    const second = await start(stage, leadPipeline, 'second', { dryRun: true });
    await says(stage, 'second');
    expect(asked(stage, 'leads.list')).toBe(1);
    for (const run of [first, second]) expect(await run.result()).toMatchObject({ ended: 'planned' });
    expect(Date.now() - at).toBeGreaterThan(PAUSE_S * 1_000 - 500);
    expect(asked(stage, 'leads.list')).toBe(3);
  }));

test.concurrent('the question who the token belongs to, before which no ledger is there that could say so', () =>
  onStage({ sandbox: { leads: 20 } }, async (stage) => {
    stage.sandbox.control.addFault({ route: 'account.user', fault: 'status', status: 429, retryAfter: PAUSE_S });
    await stage.startWorker();
    const run = await start(stage, leadPipeline, 'first', { dryRun: true });
    await until(
      async () => (await waitingOf(stage, 'first')).includes('asked to wait (429): reads go on'),
      SAID_WITHIN_MS,
    );
    expect(await run.result()).toMatchObject({ ended: 'planned' });
  }));

test.concurrent('a poll of a job', () =>
  inPlay(async (stage) => {
    const [project] = stage.sandbox.control.projects();
    const projectId = project?.id ?? '';
    const { control } = stage.sandbox;
    control.addDocument({ projectId, fileName: 'a.pdf', fileType: 'application/pdf', fileSize: 1 });
    await until(() => control.projects().some(({ id, hasAnalysis }) => id === projectId && hasAnalysis));
    control.completeInterviews({ projectId });
    stage.sandbox.control.addFault({ route: 'jobs.get', fault: 'status', status: 429, retryAfter: PAUSE_S });
    const run = await start(stage, auditProject, 'audit', { projectId, again: true });
    await until(() => asked(stage, 'jobs.get') === 1, 30_000);
    await says(stage, 'audit');
    expect(await waitingOf(stage, 'audit')).toContain('polls go on');
    expect(await run.result()).toMatchObject({ outcome: 'audited' });
  }));

test.concurrent('a pause of a day ends no later than what the run may take', () =>
  inPlay(async (stage) => {
    const created = await fetch(`${stage.sandbox.baseUrl}/api/nucleus/capture/note`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.sandbox.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'A note' }),
    });
    const { capture } = (await created.json()) as { capture: { id: string } };
    const run = await start(stage, ingestCapture, 'late', { captureId: capture.id, processingDeadline: '60s' });
    await until(async () => (await waitingOf(stage, 'late')) !== '');
    stage.sandbox.control.addFault({ route: 'captures.get', fault: 'status', status: 429, retryAfter: 86_400 });
    await until(async () => (await waitingOf(stage, 'late')).includes('asked to wait (429)'), SAID_WITHIN_MS);
    expect(await run.result()).toMatchObject({ outcome: 'expired', reason: 'processingDeadline' });
  }));
