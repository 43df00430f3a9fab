/** S7: an account on hold waits as a whole, says why, is asked seldom, and everything goes on by itself afterwards. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { HoldKind } from '../../src/policy/ledger';
import { auditProject, backfill, ingestCapture, leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/convert-lead';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { type LedgerStatus, statusQuery } from '../../workflows/ledger/messages';
import { QUICK, type Stage, type StageOptions, UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { inScene, type Scene } from './support/scene';

const { holdProbeMs } = QUICK.timing;
const account = { timing: UNHURRIED };
const LIMIT_MS = 240_000;

const ledger = ({ stage }: Scene): Promise<LedgerStatus> =>
  stage.temporal.client.workflow.getHandle(stage.ledgerId).query(statusQuery);
const probes = ({ stage }: Scene) => stage.sandbox.control.stats().requests.byRoute['account.credits'] ?? 0;

/** A scene whose worker is in this process and ready. */
const inQuickScene = (play: (scene: Scene) => Promise<void>, sandbox?: StageOptions['sandbox']) =>
  inScene({ account, sandbox: { leads: 140, credits: 100_000, ...sandbox } }, async (scene) => {
    await scene.stage.startWorker();
    await until(() =>
      ledger(scene).then(
        () => true,
        () => false,
      ),
    );
    await play(scene);
  });

/** A pipeline of eight conversions that take their time, when two of them are done. */
async function pipelineUnderWay({ stage }: Scene, workflowId: string) {
  const { conversions } = stage.figures();
  stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: 300, times: 8 });
  const run = await stage.temporal.client.workflow.start(leadPipeline, {
    workflowId,
    taskQueue: 'audit-runner',
    args: [{ maxConversions: 8, concurrency: 2, scoring: { minReadiness: 0 } }],
  });
  await until(() => stage.figures().conversions >= conversions + 2);
  return run;
}

/** What the conversions that are under way say of themselves. */
async function waitingChildren({ stage }: Scene): Promise<(string | undefined)[]> {
  const { workflow } = stage.temporal.client;
  const said: (string | undefined)[] = [];
  const query = "WorkflowType = 'convertLead' AND ExecutionStatus = 'Running'";
  for await (const { workflowId } of workflow.list({ query }))
    said.push((await workflow.getHandle(workflowId).query(progressQuery)).waiting);
  return said;
}

async function failedRuns({ stage }: Scene): Promise<string[]> {
  const failed: string[] = [];
  for await (const { workflowId } of stage.temporal.client.workflow.list({ query: "ExecutionStatus = 'Failed'" }))
    failed.push(workflowId);
  return failed;
}

/** For the time of ten probes: one hold, of this kind; no other call; and the probes no more often than they may be. */
async function expectQuietHold(scene: Scene, kind: HoldKind): Promise<void> {
  await until(async () => {
    const said = await waitingChildren(scene);
    return said.length > 0 && said.every((waiting) => waiting?.includes('on hold'));
  });
  const begin = { at: Date.now(), probes: probes(scene), leadCalls: scene.stage.figures().leadCalls };
  await until(async () => {
    expect((await ledger(scene)).holds.map((hold) => hold.kind)).toEqual([kind]);
    return Date.now() - begin.at > 10 * holdProbeMs;
  });
  expect(probes(scene) - begin.probes).toBeLessThanOrEqual((Date.now() - begin.at) / holdProbeMs + 1);
  expect(scene.stage.figures().leadCalls).toBe(begin.leadCalls);
}

type Run = Awaited<ReturnType<typeof pipelineUnderWay>>;

async function expectGoesOn(scene: Scene, run: Run, before: number): Promise<void> {
  const { ended, counts, credits } = await run.result();
  expect({ ended, credits, converted: counts.converted }).toEqual({ ended: 'done', credits: 8_000, converted: 8 });
  expect(scene.stage.figures()).toMatchObject({ spent: before + 8_000, paidTwice: 0 });
  await scene.booksAreRight();
  await until(async () => (await ledger(scene)).holds.length === 0);
  expect(await failedRuns(scene)).toEqual([]);
}

/** Another token of the same user, as a person makes it in the web app. */
async function newToken({ sandbox }: Stage): Promise<string> {
  const reply = await fetch(`${sandbox.baseUrl}/api/user/api-keys`, {
    method: 'POST',
    headers: { cookie: 'session=sandbox-session', 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'replacement', scopes: ['read', 'write'] }),
  });
  return z.object({ plaintext: z.string() }).parse(await reply.json()).plaintext;
}
const putToken = ({ folder }: Stage, value: string) => writeFileSync(join(folder, 'token'), value);

interface Cause {
  kind: HoldKind;
  /** @param token the token that the account uses now */
  begin(scene: Scene, token: string): unknown;
  end(scene: Scene, token: string): unknown;
}

const CAUSES: Record<string, Cause> = {
  'the kill switch is off for a while': {
    kind: 'killSwitch',
    begin: ({ stage }) => stage.sandbox.control.setAgentApi({ enabled: false }),
    end: ({ stage }) => stage.sandbox.control.setAgentApi({ enabled: true }),
  },
  'the credits run out and are topped up': {
    kind: 'noCredits',
    begin: ({ stage }) => stage.sandbox.control.setCredits({ credits: 500 }),
    end: ({ stage }) => stage.sandbox.control.setCredits({ credits: 100_000 }),
  },
  'the token is revoked and restored': {
    kind: 'token',
    begin: ({ stage }, token) => stage.sandbox.control.revokeToken({ token }),
    end: ({ stage }, token) => stage.sandbox.control.restoreToken({ token }),
  },
  'the token file is damaged and written again': {
    kind: 'token',
    begin: ({ stage }) => putToken(stage, 'aky_half'),
    end: ({ stage }, token) => putToken(stage, token),
  },
  'the token is revoked and replaced by another one in its file': {
    kind: 'token',
    begin: ({ stage }, token) => stage.sandbox.control.revokeToken({ token }),
    async end({ stage }) {
      putToken(stage, await newToken(stage));
    },
  },
};

test.concurrent.each(Object.entries(CAUSES))(
  '%s: one hold, few probes, no run fails, and the pipeline says why it waits and goes on',
  (_, { begin, end, kind }) =>
    inQuickScene(async (scene) => {
      const { spent } = scene.stage.figures();
      const run = await pipelineUnderWay(scene, 'pipeline');
      const { token } = scene.stage.sandbox;
      begin(scene, token);
      await expectQuietHold(scene, kind);
      // It looks every now and then.
      await until(async () => (await run.query(pipelineProgressQuery)).waiting?.includes('on hold') === true);
      await end(scene, token);
      await expectGoesOn(scene, run, spent);
    }),
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
