/** S7: an account on hold waits as a whole, says why, is asked seldom, and everything goes on by itself afterwards. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { HoldKind } from '../../src/policy/ledger';
import { convertLead, leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/convert-lead';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { type LedgerStatus, releaseUpdate, statusQuery } from '../../workflows/ledger/messages';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { inScene } from './support/scene';

const { holdProbeMs } = QUICK.timing;
let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ sandbox: { leads: 140, credits: 100_000, projects: 0 } });
  await stage.startWorker();
  await until(() =>
    ledger().then(
      () => true,
      () => false,
    ),
  );
});
afterAll(() => stage.close());

const control = () => stage.sandbox.control;
const workflows = () => stage.temporal.client.workflow;
const ledger = (): Promise<LedgerStatus> => workflows().getHandle(stage.ledgerId).query(statusQuery);
const probes = () => control().stats().requests.byRoute['account.credits'] ?? 0;

/** A pipeline of eight conversions that take their time, when two of them are done. */
async function pipelineUnderWay(workflowId: string) {
  const { conversions } = stage.figures();
  control().addFault({ route: 'leads.convert', fault: 'delay', delayMs: 300, times: 8 });
  const run = await workflows().start(leadPipeline, {
    workflowId,
    taskQueue: 'audit-runner',
    args: [{ maxConversions: 8, concurrency: 2, scoring: { minReadiness: 0 } }],
  });
  await until(() => stage.figures().conversions >= conversions + 2);
  return run;
}

/** What the conversions that are under way say of themselves. */
async function waitingChildren(): Promise<(string | undefined)[]> {
  const said: (string | undefined)[] = [];
  for await (const { workflowId } of workflows().list({
    query: "WorkflowType = 'convertLead' AND ExecutionStatus = 'Running'",
  }))
    said.push((await workflows().getHandle(workflowId).query(progressQuery)).waiting);
  return said;
}

async function failedRuns(): Promise<string[]> {
  const failed: string[] = [];
  for await (const { workflowId } of workflows().list({ query: "ExecutionStatus = 'Failed'" })) failed.push(workflowId);
  return failed;
}

/** For the time of ten probes: one hold, of this kind; no other call; and the probes no more often than they may be. */
async function expectQuietHold(kind: HoldKind): Promise<void> {
  await until(async () => {
    const said = await waitingChildren();
    return said.length > 0 && said.every((waiting) => waiting?.includes('on hold'));
  });
  const begin = { at: Date.now(), probes: probes(), leadCalls: stage.figures().leadCalls };
  await until(async () => {
    expect((await ledger()).holds.map((hold) => hold.kind)).toEqual([kind]);
    return Date.now() - begin.at > 10 * holdProbeMs;
  });
  expect(probes() - begin.probes).toBeLessThanOrEqual((Date.now() - begin.at) / holdProbeMs + 1);
  expect(stage.figures().leadCalls).toBe(begin.leadCalls);
}

async function expectGoesOn(run: Awaited<ReturnType<typeof pipelineUnderWay>>, before: number): Promise<void> {
  const { ended, counts, credits } = await run.result();
  expect({ ended, credits, converted: counts.converted }).toEqual({ ended: 'done', credits: 8_000, converted: 8 });
  expect(stage.figures()).toMatchObject({ spent: before + 8_000, paidTwice: 0 });
  expect(await stage.spentByLedger()).toBe(stage.figures().spent);
  await until(async () => (await ledger()).holds.length === 0);
  expect(await failedRuns()).toEqual([]);
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
let token: () => string;
beforeAll(() => {
  token = () => stage.sandbox.token;
});

interface Cause {
  kind: HoldKind;
  begin(): void;
  end(): void | Promise<void>;
}

const CAUSES: [string, Cause][] = [
  [
    'the kill switch is off for a while',
    {
      kind: 'killSwitch',
      begin: () => control().setAgentApi({ enabled: false }),
      end: () => void control().setAgentApi({ enabled: true }),
    },
  ],
  [
    'the credits run out and are topped up',
    {
      kind: 'noCredits',
      begin: () => control().setCredits({ credits: 500 }),
      end: async () => {
        await until(async () => (await ledger()).holds[0]?.kind === 'noCredits');
        control().setCredits({ credits: 100_000 });
      },
    },
  ],
  [
    'the token is revoked and restored',
    {
      kind: 'token',
      begin: () => control().revokeToken({ token: token() }),
      end: () => void control().restoreToken({ token: token() }),
    },
  ],
  [
    'the token file is damaged and written again',
    { kind: 'token', begin: () => putToken(stage, 'aky_half'), end: () => putToken(stage, token()) },
  ],
  [
    'the token is revoked and replaced by another one in its file',
    {
      kind: 'token',
      begin: () => control().revokeToken({ token: token() }),
      end: async () => {
        const replacement = await newToken(stage);
        putToken(stage, replacement);
        token = () => replacement;
      },
    },
  ],
];

test.each(CAUSES)(
  '%s: one hold, few probes, no run fails, and the pipeline goes on',
  async (what, { begin, end, kind }) => {
    const { spent } = stage.figures();
    const run = await pipelineUnderWay(what);
    begin();
    await expectQuietHold(kind);
    await end();
    await expectGoesOn(run, spent);
  },
);

test('the pipeline itself says that it waits, and for what', async () => {
  const { spent } = stage.figures();
  const run = await pipelineUnderWay('says why');
  control().setAgentApi({ enabled: false });
  await expectQuietHold('killSwitch');
  const { waiting } = await run.query(pipelineProgressQuery);
  control().setAgentApi({ enabled: true });
  await expectGoesOn(run, spent);
  expect(waiting).toContain('on hold');
});

const convert = (workflowId: string) => {
  const fresh = control()
    .leads()
    .filter(({ surveyStatus }) => surveyStatus === 'completed');
  const leadId = fresh.at(-1)?.id ?? '';
  return workflows().start(convertLead, { workflowId, taskQueue: 'audit-runner', args: [{ leadId }] });
};

test('credits that are topped up before the first probe end the hold as well', async () => {
  control().addFault({ route: 'account.credits', fault: 'delay', delayMs: 1_000 });
  control().setCredits({ credits: 500 });
  const run = await convert('topped up at once');
  await until(async () => (await ledger()).holds.length === 1);
  control().setCredits({ credits: 100_000 });
  await until(async () => (await ledger()).holds.length === 0).catch(() => undefined);
  const { holds } = await ledger();
  if (holds.length > 0)
    await workflows()
      .getHandle(stage.ledgerId)
      .executeUpdate(releaseUpdate, { args: [{ reason: 'the next test' }] });
  expect(await run.result()).toMatchObject({ outcome: 'converted' });
  expect(holds).toEqual([]);
});

test('a token that is replaced while the project of a converted lead is looked for: the project is found', () =>
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

test('a worker that starts while the API is switched off waits with its runs, which say why', () =>
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
