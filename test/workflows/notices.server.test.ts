import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { TypedSearchAttributes } from '@temporalio/common';
import { Webhook } from 'standardwebhooks';
import { holdUpdate, releaseUpdate } from '../../src/ledger/messages';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { backfill, leadPipeline } from '../../workflows';
import { approveUpdate } from '../../workflows/lead-pipeline';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
interface Heard {
  headers: IncomingMessage['headers'];
  body: string;
}

let stage: Stage;
const heard: Heard[] = [];
/** Answers of the receiver, for the next requests; then 204. */
const answers: number[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    heard.push({ headers: request.headers, body });
    response.writeHead(answers.shift() ?? 204).end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  stage = await startStage({
    sandbox: { leads: 10 },
    file: {
      notify: {
        url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
        secretEnv: 'NOTIFY_SECRET',
      },
    },
    env: { NOTIFY_SECRET: SECRET },
    uiUrl: 'http://ui.test',
  });
  await stage.startWorker();
});
afterAll(async () => {
  await stage.close();
  receiver.close();
});

const start = (workflowId: string, input: object, kind?: string) =>
  stage.temporal.client.workflow.start(leadPipeline, {
    workflowId,
    taskQueue: 'audit-runner',
    args: [input],
    ...(kind && {
      typedSearchAttributes: new TypedSearchAttributes([{ key: searchAttributeKeys.runKind, value: kind }]),
    }),
  });
const about = (workflowId: string) => heard.filter(({ body }) => body.includes(`"workflowId":"${workflowId}"`));

test('who is needed is told, signed, once, with a link and without personal data', async () => {
  const run = await start('asks', { scoring: { minReadiness: 0 } });
  await until(() => about('asks').length > 0);
  await run.executeUpdate(approveUpdate, { args: [{ by: 'Ada' }] });
  await run.result();
  const [notice, answer, ...more] = about('asks');
  expect(more).toEqual([]);
  const { type: answered, data: act } = JSON.parse(answer?.body ?? '');
  expect([answered, act]).toMatchObject([
    'audit_runner.person_acted',
    { what: 'approve', by: 'Ada', identity: expect.stringMatching(/^\d+@/) },
  ]);
  const headers = notice?.headers as Record<string, string>;
  expect(() => new Webhook(SECRET).verify(notice?.body ?? '', headers)).not.toThrow();
  expect(() => new Webhook(SECRET).verify(`${notice?.body} `, headers)).toThrow();
  const { type, data } = JSON.parse(notice?.body ?? '');
  expect(type).toBe('audit_runner.person_needed');
  expect(data).toMatchObject({
    what: 'approval',
    about: expect.stringMatching(/^\d+ conversions for [\d,]+ credits \(.*\)$/),
    workflowType: 'leadPipeline',
    link: `http://ui.test/namespaces/${stage.temporal.namespace}/workflows/asks/${data.runId}/user-metadata`,
  });
  expect(Object.keys(data).sort()).toEqual(
    ['about', 'account', 'answers', 'credits', 'left', 'link', 'runId', 'shows', 'title', 'what'].concat([
      ...['workflowId', 'workflowType'],
    ]),
  );
  expect(data.shows[0]).toMatch(
    /^(“.+”, )?lead [0-9a-f-]{36}: meets all rules: score [\d.]+, readiness [\d.]+(, composite [\d.]+)?, 1,000 credits$/,
  );
  expect(data.left).toEqual([
    expect.stringMatching(/^Today \(UTC\): /),
    expect.stringMatching(/^This month: /),
    expect.stringMatching(/^One run: /),
    expect.stringMatching(/^Balance: /),
  ]);
  expect(data.answers.map(({ command }: { command: string }) => command)).toEqual([
    'npx audit-runner approve asks',
    'npx audit-runner reject asks',
  ]);
  // A business may be named; who answered for it is not.
  const persons = stage.sandbox.control
    .leads()
    .flatMap(({ clientName, clientEmail, clientPhone }) => [
      ...[clientName, clientEmail, clientPhone].flatMap((text) => text || []),
    ]);
  expect(persons.length).toBeGreaterThan(10);
  expect(persons.filter((text) => notice?.body.includes(text))).toEqual([]);
});

test('a hold is told when it begins and when it ends, again with the same identity where the receiver failed', async () => {
  const ledger = stage.temporal.client.workflow.getHandle(stage.ledgerId);
  heard.length = 0;
  // Of the hold and of who put it on: each is refused once.
  answers.push(500, 500);
  const holds = () => heard.filter(({ body }) => body.includes('audit_runner.hold_'));
  await ledger.executeUpdate(holdUpdate, { args: [{ reason: 'month end' }] });
  await until(() => heard.length === 4);
  await ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'over' }] });
  await until(() => heard.length === 6);
  const [first, again] = holds();
  const ended = holds().at(-1);
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(ended?.headers['webhook-id']).not.toBe(first?.headers['webhook-id']);
  expect(JSON.parse(again?.body ?? '')).toMatchObject({ type: 'audit_runner.hold_began', data: { what: 'manual' } });
  expect(JSON.parse(ended?.body ?? '')).toMatchObject({ type: 'audit_runner.hold_ended' });
  expect(heard.map(({ body }) => body).join()).not.toContain('month end');
});

test('a scheduled run that fails or expires is told; one that a person started is not', async () => {
  const wrong = { maxCredit: 1 };
  await expect((await start('by-hand', wrong)).result()).rejects.toThrow();
  await expect((await start('failed', wrong, 'schedule')).result()).rejects.toThrow();
  const late = {
    scoring: { minReadiness: 0 },
    surveyStatus: ['pending', 'completed'],
    approval: 'all',
    approvalDeadline: '1s',
  };
  await (await start('late', late, 'schedule')).result();
  await until(() => about('late').length === 2 && about('failed').length === 1);
  expect(about('failed').map(({ body }) => JSON.parse(body).data.what)).toEqual(['BadInput']);
  // Each is sent by itself, and again where the receiver does not answer.
  expect(
    about('late')
      .map(({ body }) => JSON.parse(body).data.what)
      .sort(),
  ).toEqual(['approval', 'expired']);
  expect(about('by-hand')).toEqual([]);
});

test('runs that die of a refused call are told: a scheduled pipeline, and a batch that a person started', async () => {
  const refuse = (code: string) =>
    stage.sandbox.control.addFault({ route: 'leads.list', fault: 'status', status: 403, code });
  refuse('PAT_ROUTE_NOT_ALLOWED');
  await expect((await start('refused', {}, 'schedule')).result()).rejects.toThrow();
  refuse('PAT_ROUTE_NOT_ALLOWED');
  await expect((await start('refused-by-hand', {})).result()).rejects.toThrow();
  refuse('PAT_ROUTE_NOT_ALLOWED');
  const batch = (workflowId: string, leads: object) =>
    stage.temporal.client.workflow.execute(backfill, {
      ...{ workflowId, taskQueue: 'audit-runner' },
      args: [{ operation: 'convertLead', leads, maxCredits: 5_000 }],
    });
  await expect(batch('broken', {})).rejects.toThrow();
  await expect(batch('mistyped', { viw: 'all' })).rejects.toThrow();
  await until(() => about('refused').length === 1 && about('broken').length === 1);
  for (const run of ['refused', 'broken']) {
    const { type, data } = JSON.parse(about(run)[0]?.body ?? '');
    expect({ type, what: data.what }).toEqual({ type: 'audit_runner.run_failed', what: 'Refused' });
  }
  for (const run of ['refused-by-hand', 'mistyped']) expect(about(run)).toEqual([]);
});

test('a batch that has ended is told once, with its counts; a plan is not', async () => {
  const { control } = stage.sandbox;
  const leadId = control.leads().find(({ surveyStatus }) => surveyStatus !== 'converted')?.id ?? '';
  control.setSurveyStatus({ leadId, surveyStatus: 'completed' });
  const ref = 'leads.csv';
  mkdirSync(join(stage.folder, 'storage'), { recursive: true });
  writeFileSync(join(stage.folder, 'storage', ref), `leadId\n${leadId}\nno such lead\n`);
  const batch = (workflowId: string, more: object) =>
    stage.temporal.client.workflow.execute(backfill, {
      ...{ workflowId, taskQueue: 'audit-runner' },
      args: [{ operation: 'convertLead', file: { ref }, maxCredits: 5_000, ...more }],
    });
  await batch('planned', { dryRun: true });
  await batch('ended', {});
  const [notice, ...more] = about('ended').map(({ body }) => JSON.parse(body));
  expect(more).toEqual([]);
  expect(notice).toMatchObject({
    type: 'audit_runner.batch_ended',
    data: {
      ...{ what: 'done', title: 'A backfill has ended: 1 done, 1 quarantined' },
      link: `http://ui.test/namespaces/${stage.temporal.namespace}/workflows/ended/${notice.data.runId}/user-metadata`,
    },
  });
  expect(about('planned')).toEqual([]);
});
