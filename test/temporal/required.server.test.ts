/** `encryption.require`: what is not encrypted, or was encrypted for something else, is refused where it arrives, and nothing is spent. */
import { randomBytes } from 'node:crypto';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload, type PayloadCodec, type Workflow } from '@temporalio/common';
import { ENCODED_FAILURES_PATH, EncryptionCodec } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { convertLead, leadPipeline } from '../../workflows';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { progressQuery } from '../../workflows/shared/status';
import { detailsOf } from '../support/details';
import { sealedBefore } from '../support/earlier';
import { completedLeads, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

const key = randomBytes(32);
const taskQueue = 'audit-runner';
const MINUTE_MS = 60_000;
const ASKS = { scoring: { minReadiness: 0 }, maxConversions: 1, approval: 'all' } as const;

let stage: Stage;
let codec: EncryptionCodec;
beforeAll(async () => {
  process.env[ENCRYPTION_VARIABLE] = key.toString('base64');
  stage = await startStage({ sandbox: { leads: 30 }, file: { encryption: { require: true } } });
  codec = new EncryptionCodec([key], stage.temporal.namespace);
  await stage.startWorker();
});
afterAll(async () => {
  await stage.close();
  delete process.env[ENCRYPTION_VARIABLE];
});

/** Somebody who reads as all do, and sends these data in place of what the client is given. */
function sends(encode: (payload: Payload) => Payload): Client {
  const { connection, namespace } = stage.temporal;
  const own: PayloadCodec = {
    encode: async (payloads) => payloads.map(encode),
    decode: (payloads, context) => codec.decode(payloads, context),
  };
  return new Client({
    ...{ connection, namespace },
    dataConverter: { payloadCodecs: [own], failureConverterPath: ENCODED_FAILURES_PATH },
  });
}
const plainly = () => sends((payload) => payload);
const bound = (binding: object) =>
  sends((payload) => codec.seal(payload, { namespace: stage.temporal.namespace, ...binding }));

const causeOf = (said: Promise<unknown>) =>
  said.then(
    (answer) => `taken: ${JSON.stringify(answer)}`,
    (error) => String(error.cause?.message ?? error.message),
  );
const begin = (client: Client, workflowId: string, args: object[] = [{ dryRun: true }]) =>
  client.workflow.start<Workflow>('leadPipeline', { workflowId, taskQueue, args });

let asking = 0;
/** A pipeline that waits for an approval. */
async function waiting(): Promise<WorkflowHandle> {
  const workflowId = `asks-${++asking}`;
  const run = await stage.temporal.client.workflow.start(leadPipeline, { workflowId, taskQueue, args: [ASKS] });
  await until(async () => (await run.query(pipelineProgressQuery)).waiting?.includes('Approval') === true);
  return run;
}
/** @param said null: nothing at all */
const say = (client: Client, { workflowId }: WorkflowHandle, name: string, said: object | null = { by: 'Ann' }) => {
  const handle = client.workflow.getHandle(workflowId);
  return causeOf(said === null ? handle.executeUpdate(name) : handle.executeUpdate(name, { args: [said] }));
};

/** What stands in the history of the last update that was taken. */
async function lastTaken(run: WorkflowHandle): Promise<Payload> {
  const { events = [] } = await run.fetchHistory();
  const all = events?.flatMap(
    ({ workflowExecutionUpdateAcceptedEventAttributes: taken }) => taken?.acceptedRequest?.input?.args?.payloads ?? [],
  );
  return all?.at(-1) ?? {};
}

test('a run begins with data that are encrypted for it, also those of a form', async () => {
  expect(await causeOf((await begin(stage.temporal.client, 'own')).result())).toContain('"ended":"planned"');
  const form = await begin(bound({ at: Date.now() }), 'form');
  expect(await causeOf(form.result())).toContain('"ended":"planned"');
});

test.each<[string, () => Client, string]>([
  ['not encrypted', plainly, 'it is not encrypted, and encryption is required here since'],
  ['encrypted by 0.2.0', () => sends((payload) => sealedBefore(key, payload)), 'encrypted by an earlier version'],
  ['encrypted for another run', () => bound({ workflow: 'other' }), 'encrypted for another run'],
  [
    'encrypted as an update',
    () => bound({ workflow: 'begun', as: 'update approve', at: Date.now() }),
    'as another message',
  ],
  [
    'encrypted for an earlier run of this ID',
    () => bound({ workflow: 'begun', as: 'start leadPipeline', at: Date.now() - 6 * MINUTE_MS }),
    'it is a copy, or the clock',
  ],
  ['those of a form some time ago', () => bound({ at: Date.now() - 6 * MINUTE_MS }), 'it is a copy, or the clock'],
  ['no message', () => bound({}), 'it was not encrypted as a message'],
])('a run whose data are %s ends with a sentence', async (_, client, why) => {
  const run = await begin(client(), 'begun');
  expect(await causeOf(run.result())).toMatch(
    new RegExp(`^the input of this run (is refused|cannot be read): .*${why}`),
  );
});

test('whoever has no key reads why', async () => {
  const { connection, namespace } = stage.temporal;
  const stranger = new Client({ connection, namespace });
  const run = await begin(stranger, 'stranger');
  expect(await causeOf(run.result())).toContain('the input of this run is refused: it is not encrypted');
});

test('nor does one begin without any data; what needs none does', async () => {
  const run = await begin(plainly(), 'nothing', []);
  expect(await causeOf(run.result())).toContain('there is none that is encrypted');
  expect(await stage.spentByLedger()).toBe(0);
});

test('an approval that is not encrypted for this run spends nothing; one that is, is taken once', async () => {
  const run = await waiting();
  const { workflowId } = run;
  expect(await say(plainly(), run, 'approve')).toContain('the update approve is refused: it is not encrypted');
  expect(await say(plainly(), run, 'approve', null)).toContain(`send it with {"run": "${workflowId}"} at least`);
  const before = sends((payload) => sealedBefore(key, payload));
  expect(await say(before, run, 'approve')).toContain('encrypted by an earlier version');
  expect(await say(bound({ workflow: 'own' }), run, 'approve')).toContain('for another run');
  expect(await say(bound({ workflow: workflowId, activity: '1' }), run, 'approve')).toContain('another part of this');
  const late = { workflow: workflowId, as: 'update approve', at: Date.now() - 6 * MINUTE_MS };
  expect(await say(bound(late), run, 'approve')).toContain('it is a copy, or the clock');

  // The very message of another run, and another message of this one.
  const other = await waiting();
  const { client } = stage.temporal;
  expect(await say(client, other, 'pause')).toContain('taken: ');
  const copied = await lastTaken(other);
  expect(
    await say(
      sends(() => copied),
      run,
      'approve',
    ),
  ).toContain('for another run');
  expect(await say(client, run, 'pause')).toContain('taken: ');
  expect(await say(client, run, 'resume')).toContain('taken: ');
  const resumed = await lastTaken(run);
  expect(
    await say(
      sends(() => resumed),
      run,
      'approve',
    ),
  ).toContain('encrypted as another message (update resume)');
  expect(await say(client, run, 'pause')).toContain('taken: ');
  expect(
    await say(
      sends(() => resumed),
      run,
      'resume',
    ),
  ).toContain('has been taken already, so this is a copy');

  expect(stage.figures()).toMatchObject({ converts: 0, spent: 0 });
  expect(await say(client, run, 'resume')).toContain('taken: ');
  expect(await say(client, run, 'approve')).toContain('taken: "Approved');
  expect(await run.result()).toMatchObject({ ended: 'done', credits: 1_000 });
  expect(await say(client, other, 'reject')).toContain('taken: ');
  expect(stage.figures()).toMatchObject({ converts: 1, spent: 1_000 });
});

test('a form names its run: what it sends is refused with how, by any other run, and a second time', async () => {
  const [run, other] = [await waiting(), await waiting()];
  const form = () => bound({ at: Date.now() });
  const said = { by: 'Ann', run: run.workflowId };
  expect(await say(form(), run, 'approve')).toContain(`add "run": "${run.workflowId}" to it`);
  expect(await say(form(), other, 'approve', said)).toContain(`add "run": "${other.workflowId}" to it`);
  expect(await say(stage.temporal.client, other, 'approve', said)).toContain('meant for another run than this one');
  expect(await say(form(), run, 'pause', said)).toContain('taken: ');
  const paused = await lastTaken(run);
  expect(await say(form(), run, 'resume', said)).toContain('taken: ');
  expect(
    await say(
      sends(() => paused),
      run,
      'pause',
    ),
  ).toContain('has been taken already');
  // It is said with the message, and is nothing that the message changes.
  expect(await say(form(), run, 'changeLimits', { maxConversions: 1, ...said })).toMatch(
    /^taken: \{"maxConversions":1,"maxCredits":\d+,"concurrency":\d+\}$/,
  );
  expect(await say(form(), run, 'reject', said)).toContain('taken: ');
  expect(await say(form(), other, 'reject', { run: other.workflowId })).toContain('taken: ');
});

test('a question that is not encrypted is refused', async () => {
  const ledger = (client: Client) => client.workflow.getHandle(stage.ledgerId);
  expect(await causeOf(ledger(plainly()).query('obstacle', { credits: 1 }))).toContain(
    'the query obstacle is refused: it is not encrypted',
  );
  expect(await causeOf(ledger(bound({ at: 1 })).query('obstacle', { credits: 1 }))).toContain('taken: ');
  expect(await causeOf(ledger(stage.temporal.client).query('obstacle', { credits: 1 }))).toContain('taken: ');
  // Without data there is nothing to forge: its answer is encrypted.
  expect(await causeOf(ledger(plainly()).query('status'))).toContain('taken: ');
});

test('a signal that is not encrypted is not heard', async () => {
  const { client } = stage.temporal;
  const ledger = client.workflow.getHandle(stage.ledgerId);
  const [heard = '', unheard = ''] = completedLeads(stage);
  await ledger.executeUpdate('hold', { args: [{ reason: 'test' }] });
  const [one, other] = await Promise.all(
    [heard, unheard].map((leadId) =>
      client.workflow.start(convertLead, { workflowId: leadId, taskQueue, args: [{ leadId }] }),
    ),
  );
  for (const run of [one, other])
    await until(async () => (await run?.query(progressQuery))?.waiting?.includes('hold') === true);
  await plainly().workflow.getHandle(unheard).signal('withdraw', {});
  await client.workflow.getHandle(heard).signal('withdraw', {});
  expect(await one?.result()).toMatchObject({ outcome: 'skipped', reason: 'withdrawn' });
  await ledger.executeUpdate('release', { args: [{ reason: 'test' }] });
  expect(await other?.result()).toMatchObject({ outcome: 'converted' });
});

test('what a schedule gives is read by its runs, and by no other', async () => {
  const { client } = stage.temporal;
  const schedule = await client.schedule.create({
    ...{ scheduleId: 'audit-runner.planned', spec: {}, state: { paused: true } },
    action: {
      ...{ type: 'startWorkflow', workflowType: 'leadPipeline', workflowId: 'planned', taskQueue },
      ...{ args: [{ dryRun: true }], memo: { pipeline: 'planned' } },
    },
  });
  await schedule.trigger();
  const started = async () => (await schedule.describe()).info.recentActions[0]?.action.workflow.workflowId;
  await until(async () => (await started()) !== undefined);
  const workflowId = (await started()) ?? '';
  expect(workflowId).toMatch(/^planned-\d{4}-/);
  const run = client.workflow.getHandle(workflowId);
  expect(await run.result()).toMatchObject({ ended: 'planned' });
  expect((await run.describe()).memo).toEqual({ pipeline: 'planned' });
  const { events } = await run.fetchHistory();
  const [given = {}] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  expect(
    await causeOf(
      (
        await begin(
          sends(() => given),
          'not-planned',
        )
      ).result(),
    ),
  ).toContain('for another run');
  await schedule.delete();
});

test('a run that continues as new reads what it has handed on', async () => {
  const { client } = stage.temporal;
  const run = await client.workflow.start('startHere', {
    ...{ workflowId: 'continues', taskQueue, args: [{ maxEvents: 20 }] },
  });
  const first = () => client.workflow.getHandle('continues', run.firstExecutionRunId).describe();
  await until(async () => {
    await run.signal('refresh').catch(() => undefined);
    return (await first()).status.name === 'CONTINUED_AS_NEW';
  });
  await until(async () => (await detailsOf(client, 'continues')).includes('leadPipeline'));
  await run.terminate();
});

test.each<[string, Payload[] | undefined, string]>([
  ['in the clear', [defaultPayloadConverter.toPayload({ state: 'converted' })], 'it is not encrypted'],
  ['with nothing', undefined, 'there is none that is encrypted'],
])('what somebody else answers in place of a worker, %s, is no result', async (how, payloads, why) => {
  const { connection, namespace, client } = stage.temporal;
  const [leadId = ''] = completedLeads(stage);
  stage.sandbox.control.addFault({ route: 'leads.get', fault: 'delay', delayMs: 60_000 });
  const workflowId = `answered ${how}`;
  const run = await client.workflow.start(convertLead, { workflowId, taskQueue, args: [{ leadId }] });
  const pending = async () =>
    (await run.describe()).raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'lookAtLead');
  await until(async () => (await pending()) !== undefined);
  const { activityId } = (await pending()) ?? {};
  await connection.workflowService.respondActivityTaskCompletedById({
    ...{ namespace, workflowId, activityId: activityId ?? '', ...(payloads && { result: { payloads } }) },
  });
  expect(await causeOf(run.result())).toContain(`the result of lookAtLead is refused: ${why}`);
  stage.sandbox.control.endDelays();
});

test('a call that somebody else asks for, as a worker of their own, is not made', async () => {
  const { connection, namespace, client } = stage.temporal;
  const [leadId = ''] = completedLeads(stage);
  const { converts } = stage.figures();
  const queue = { name: 'somebody-elses' };
  const ask = { leadId, account: 'default', subject: `lead:${leadId}`, attempt: 'a', run: 'r', runCap: 1_000 };
  await client.workflow.start('convertLead', { workflowId: 'theirs', taskQueue: queue.name, args: [{ leadId }] });
  const { taskToken } = await connection.withDeadline(Date.now() + MINUTE_MS, () =>
    connection.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: queue }),
  );
  await connection.workflowService.respondWorkflowTaskCompleted({
    ...{ namespace, taskToken },
    commands: [
      {
        commandType: 1,
        scheduleActivityTaskCommandAttributes: {
          ...{ activityId: '1', activityType: { name: 'convertLeadOnce' } },
          taskQueue: { name: 'agent-api.default.writes' },
          input: { payloads: [defaultPayloadConverter.toPayload(ask)] },
          scheduleToCloseTimeout: { seconds: 60 as never },
        },
      },
    ],
  });
  const failed = async () => {
    const { events } = await client.workflow.getHandle('theirs').fetchHistory();
    return events?.find(({ activityTaskFailedEventAttributes: failure }) => failure);
  };
  await until(async () => (await failed()) !== undefined);
  expect((await failed())?.activityTaskFailedEventAttributes?.failure?.applicationFailureInfo).toMatchObject({
    type: 'UnreadableData',
    nonRetryable: true,
  });
  expect(stage.figures().converts).toBe(converts);
  await client.workflow.getHandle('theirs').terminate();
});

test('none of it has stopped anything: the ledger has no failing task and answers', async () => {
  const { raw } = await stage.temporal.client.workflow.getHandle(stage.ledgerId).describe();
  expect(raw.pendingWorkflowTask?.attempt ?? 0).toBeLessThanOrEqual(1);
  expect(await stage.spentByLedger()).toBe(stage.figures().spent);
});
