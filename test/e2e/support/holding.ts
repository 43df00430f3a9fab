/** An account on hold (S7): what puts it there, and what must come of it. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { HoldKind } from '../../../src/ledger';
import { type LedgerStatus, statusQuery } from '../../../src/ledger/messages';
import { leadPipeline } from '../../../workflows';
import { pipelineProgressQuery } from '../../../workflows/lead-pipeline';
import { progressQuery } from '../../../workflows/shared/status';
import { QUICK, type Stage, type StageOptions, UNHURRIED } from '../../support/stage';
import { until } from '../../support/until';
import { inScene, type Scene } from './scene';

const { holdProbeMs } = QUICK.timing;
const account = { timing: UNHURRIED };
export const LIMIT_MS = 240_000;

export const ledger = ({ stage }: Scene): Promise<LedgerStatus> =>
  stage.temporal.client.workflow.getHandle(stage.ledgerId).query(statusQuery);
const probes = ({ stage }: Scene) => stage.sandbox.control.stats().requests.byRoute['account.credits'] ?? 0;

/** A scene whose worker is in this process and ready. */
export const inQuickScene = (play: (scene: Scene) => Promise<void>, sandbox?: StageOptions['sandbox']) =>
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

export async function failedRuns({ stage }: Scene): Promise<string[]> {
  const failed: string[] = [];
  for await (const { workflowId } of stage.temporal.client.workflow.list({ query: "ExecutionStatus = 'Failed'" }))
    failed.push(workflowId);
  return failed;
}

/** For the time of ten probes: one hold, of this kind; no other call; and the probes no more often than they may be. */
export async function expectQuietHold(scene: Scene, kind: HoldKind): Promise<void> {
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
export async function newToken({ sandbox }: Stage): Promise<string> {
  const reply = await fetch(`${sandbox.baseUrl}/api/user/api-keys`, {
    method: 'POST',
    headers: { cookie: 'session=sandbox-session', 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'replacement', scopes: ['read', 'write'] }),
  });
  return z.object({ plaintext: z.string() }).parse(await reply.json()).plaintext;
}
export const putToken = ({ folder }: Stage, value: string) => writeFileSync(join(folder, 'token'), value);

interface Cause {
  kind: HoldKind;
  /** @param token the token that the account uses now */
  begin(scene: Scene, token: string): unknown;
  end(scene: Scene, token: string): unknown;
}

export const CAUSES: Readonly<Record<string, Cause>> = {
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

/** One hold, few probes, no run fails, and the pipeline says why it waits and goes on. */
export const passes = ({ begin, end, kind }: Cause) =>
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
  });
