import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { BackfillJson } from '../../src/inputs/backfill';
import { convertLeadId } from '../../src/runs/run-ids';
import type { FaultRule } from '../../src/sandbox/options';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { backfill, type convertLead } from '../../workflows';
import type { BackfillResult } from '../../workflows/backfill';
import * as messages from '../../workflows/backfill/batch-messages';
import type { Renewal } from '../../workflows/backfill/batch-state';
import { decideUpdate } from '../../workflows/shared/asker';
import { resetToLast } from '../e2e/support/reset';
import { detailsOf } from '../support/details';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

const BUDGET = 1_000_000;
let stage: Stage;
/** Leads that can be converted and that no other test has. */
let free: string[];

beforeAll(async () => {
  stage = await startStage({
    sandbox: { leads: 220, captures: 12, credits: BUDGET, durations: { convert: 50, extraction: 100 } },
  });
  await stage.startWorker();
  free = stage.sandbox.control
    .leads()
    .filter(({ surveyStatus }) => surveyStatus === 'completed')
    .map(({ id }) => id);
});
afterAll(() => stage.close());

const start = (workflowId: string, input: BackfillJson, renewal?: Renewal) =>
  stage.temporal.client.workflow.start(backfill, {
    workflowId,
    taskQueue: 'audit-runner',
    args: [{ maxCredits: BUDGET, ...input }, renewal],
  });

async function store(ref: string, text: string): Promise<{ ref: string }> {
  await mkdir(join(stage.folder, 'storage'), { recursive: true });
  await writeFile(join(stage.folder, 'storage', ref), text);
  return { ref };
}
const csvOf = (ids: readonly string[]) => `leadId\n${ids.join('\n')}\n`;

const stored = async (ref: string | undefined) =>
  (await readFile(join(stage.folder, 'storage', ref ?? ''), 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line): Record<string, unknown> => JSON.parse(line));

/** S6: every item once in the ledger, with the outcome that the counts say; the sums are equal. */
async function accounts({ counts, items, files, credits }: BackfillResult): Promise<Record<string, unknown>[]> {
  const lines = await stored(files.ledger);
  expect(lines).toHaveLength(items);
  expect(Object.values(counts).reduce((a, b) => a + b, 0)).toBe(items);
  for (const [outcome, count] of Object.entries(counts))
    expect([outcome, lines.filter((line) => line.outcome === outcome).length]).toEqual([outcome, count]);
  const ids = lines.flatMap(({ id }) => id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  expect(lines.reduce((sum, line) => sum + Number(line.credits), 0)).toBe(credits);
  return lines;
}

/** A history with its payloads as text. */
const readable = (history: unknown): string =>
  JSON.stringify(history, (key, value) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  );

/** How many of these leads the service has converted. */
const converted = (ids: readonly (string | undefined)[]) =>
  stage.sandbox.control.leads().filter(({ id, surveyStatus }) => ids.includes(id) && surveyStatus === 'converted')
    .length;
/** Lets a conversion of each of these leads go wrong. */
const fail = (ids: readonly (string | undefined)[], fault: Partial<FaultRule> & Pick<FaultRule, 'fault'>) => {
  for (const about of ids) stage.sandbox.control.addFault({ route: 'leads.convert', about, ...fault });
};
const isInTheCall = (ids: readonly string[]) =>
  stage.sandbox.control.stats().faults.filter(({ about = '' }) => ids.includes(about)).length >= ids.length;
const isDone = async (run: Awaited<ReturnType<typeof start>>, done: number) =>
  (await run.query(messages.backfillProgressQuery)).done >= done;
const waiting = async (run: Awaited<ReturnType<typeof start>>) =>
  (await run.query(messages.backfillProgressQuery)).waiting ?? '';

test('plan mode writes nothing to the API, counts, and says what it would cost and take', async () => {
  const before = stage.figures();
  const run = await start('plan', {
    operation: 'convertLead',
    leads: { view: 'all' },
    dryRun: true,
    itemsPerMinute: 2,
  });
  const { ended, counts, items, plan, left, files } = await run.result();
  expect({ ended, skipped: counts.skipped }).toEqual({ ended: 'planned', skipped: items });
  expect(plan).toMatchObject({ items, credits: items * 1_000, calls: { reads: items, writes: items } });
  expect(plan.durationMs).toBe(items * 30_000);
  expect(items + Object.values(left).reduce((a, b) => a + b, 0)).toBe(220);
  expect(await stored(files.quarantine)).toEqual([]);
  expect(stage.figures()).toMatchObject({ converts: before.converts, spent: before.spent });
});

test.concurrent('S6: a CSV file with bad rows: they are in quarantine with line and reason, the rest goes on', async () => {
  const ids = free.splice(0, 3);
  const [a, b, c] = ids;
  const rows = ['Lead;Name', a, 'not an id!;x', `"${b}";"two\nlines"`, `${a};y`, '"open;z', ';nothing', `${c};last`];
  const file = await store('bad.csv', `\uFEFF${rows.join('\r\n').replace(a ?? '', `${a};x`)}\r\n`);
  const input = { operation: 'convertLead', file: { ...file, delimiter: ';', columns: { Lead: 'leadId' } } } as const;
  const result = await (await start('csv', input)).result();
  expect(result.counts).toEqual({ done: 3, alreadyDone: 0, skipped: 0, failed: 0, waiting: 0, quarantined: 4 });
  expect(converted(ids)).toBe(3);
  expect((await accounts(result)).flatMap(({ line, outcome }) => (outcome === 'done' ? line : [])).sort()).toEqual([
    2, 4, 9,
  ]);
  expect(await stored(result.files.quarantine)).toEqual([
    { line: 3, reason: expect.stringContaining('leadId was given text of 10 characters') },
    { line: 6, reason: 'is the same item as line 2' },
    { line: 7, reason: 'has a quotation mark in the wrong place' },
    { line: 8, reason: expect.stringContaining('leadId is missing') },
  ]);

  const again = await (await start('csv-again', input)).result();
  expect(again.counts).toMatchObject({ done: 0, alreadyDone: 3, quarantined: 4 });
  expect(again.credits).toBe(0);
  expect(converted(ids)).toBe(3);
});

test.concurrent('S1: two backfills over the same leads at once: nothing is paid twice, each item is accounted for in both', async () => {
  const ids = free.splice(0, 12);
  const file = await store('twins.csv', csvOf(ids));
  const runs = await Promise.all(['twin-1', 'twin-2'].map((id) => start(id, { operation: 'convertLead', file })));
  const results = await Promise.all(runs.map((run) => run.result()));
  for (const result of results) {
    await accounts(result);
    expect(result.counts.done + result.counts.alreadyDone).toBe(12);
  }
  expect(results.reduce((sum, { counts }) => sum + counts.done, 0)).toBe(12);
  expect(results.reduce((sum, { credits }) => sum + credits, 0)).toBe(12_000);
  expect(converted(ids)).toBe(12);
});

test.concurrent('continues as new with the window: each item once, and short histories', async () => {
  const ids = free.splice(0, 24);
  const file = await store('renew.csv', csvOf(ids));
  const run = await start('renew', { operation: 'convertLead', file, window: 6 }, { renewAfter: 5 });
  const result = await run.result();
  expect(result.counts.done).toBe(24);
  expect(await accounts(result)).toHaveLength(24);
  expect(converted(ids)).toBe(24);
  // Each part of the run begins five items and takes over those under way.
  const parts: string[] = [];
  for await (const { runId } of stage.temporal.client.workflow.list({ query: "WorkflowId = 'renew'" }))
    parts.push(runId);
  expect(parts.length).toBeGreaterThanOrEqual(3);
});

test.concurrent('S6: when an earlier part of it is reset, each item is what its own run came to', async () => {
  const ids = free.splice(0, 24);
  const file = await store('renewed.csv', csvOf(ids));
  const { client } = stage.temporal;
  await (await start('renewed', { operation: 'convertLead', file, window: 6 }, { renewAfter: 5 })).result();
  // What the second one began has numbers that children of later parts have, too.
  const parts: WorkflowExecutionInfo[] = [];
  await until(async () => {
    parts.length = 0;
    for await (const part of client.workflow.list({ query: "WorkflowId = 'renewed'" })) parts.push(part);
    return parts.length >= 4 && parts.some(({ status }) => status.name === 'COMPLETED');
  });
  const [, second] = parts.sort((one, other) => Number(one.startTime) - Number(other.startTime));
  await resetToLast(stage, 'renewed', second?.runId);
  const result = await client.workflow.getHandle<typeof backfill>('renewed').result();
  const lines = await accounts(result);
  const own = ids.map(async (id) => {
    const { projectId } = await client.workflow.getHandle<typeof convertLead>(convertLeadId('default', id)).result();
    return [id, projectId];
  });
  expect(Object.fromEntries(lines.map(({ id, ref }) => [id, ref]))).toEqual(Object.fromEntries(await Promise.all(own)));
  expect(lines.every(({ outcome }) => outcome === 'done')).toBe(true);
  expect(converted(ids)).toBe(24);
});

test.concurrent('a redrive does only what failed in an earlier run', async () => {
  const ids = free.splice(0, 8);
  const file = await store('redrive.csv', csvOf(ids));
  fail(ids.slice(0, 3), { fault: 'status', status: 422 });
  const first = await (await start('faulty', { operation: 'convertLead', file })).result();
  expect(first.counts).toMatchObject({ done: 5, failed: 3 });
  expect(converted(ids)).toBe(5);
  expect(first.reasons).toEqual({ 'failed: http422': 3 });
  // S6: its page names them, with the command for each of the next steps.
  const page = await detailsOf(stage.temporal.client, 'faulty');
  expect(page).toContain('**3 items failed.**');
  for (const id of ids.slice(0, 3))
    expect(page).toMatch(new RegExp(`convert-lead\\.default\\.${id}[^\n]*cannot use what was sent`));
  expect(page).not.toContain(ids[3]);
  for (const next of ['status', 'redrive']) expect(page).toContain(`audit-runner backfill ${next} faulty`);
  const second = await (await start('redriven', { redriveOf: 'faulty' })).result();
  expect(second).toMatchObject({ operation: 'convertLead', items: 3, counts: { done: 3, failed: 0 } });
  const failed = (await stored(first.files.ledger)).filter(({ outcome }) => outcome === 'failed');
  expect((await accounts(second)).map(({ id }) => id).sort()).toEqual(failed.map(({ id }) => id).sort());
  expect(converted(ids)).toBe(8);
});

test.concurrent('retryFailed tries again what has failed so far; its last word counts', async () => {
  const ids = free.splice(0, 6);
  const file = await store('retry.csv', csvOf(ids));
  fail(ids.slice(0, 2), { fault: 'status', status: 422 });
  // One asks a person, so that it is not over before it is paused.
  fail(ids.slice(5), { fault: 'cutBeforeCommit', times: 2 });
  const run = await start('retry', { operation: 'convertLead', file });
  await until(async () => {
    const { counts, asking } = await run.query(messages.backfillProgressQuery);
    return counts.failed === 2 && asking === 1;
  });
  await run.executeUpdate(messages.pauseUpdate, { args: [{ by: 'Ada' }] });
  expect(await run.executeUpdate(messages.retryFailedUpdate, { args: [{ by: 'Ada' }] })).toContain('2 failed items');
  await run.executeUpdate(messages.resumeUpdate, { args: [undefined] });
  const child = stage.temporal.client.workflow.getHandle(`convert-lead.default.${ids[5]}`);
  await child.executeUpdate(decideUpdate, { args: [{ decision: 'sendAgain', by: 'Ada' }] });
  const result = await run.result();
  await accounts(result);
  expect(result.counts).toMatchObject({ done: 6, failed: 0 });
  expect(converted(ids)).toBe(6);
});

test.concurrent('S3: paused while another run has its item, it begins none when that one ends; resumed it does', async () => {
  const { client } = stage.temporal;
  const [leadId = ''] = free.splice(0, 1);
  const file = await store('theirs.csv', csvOf([leadId]));
  // Nobody works on that queue.
  const other = { workflowId: convertLeadId('default', leadId), taskQueue: 'nobody', args: [{ leadId }] };
  const theirs = await client.workflow.start('convertLead', other);
  const run = await start('theirs', { operation: 'convertLead', file });
  await until(async () => (await run.query(messages.backfillProgressQuery)).underWayCount === 1);
  await run.executeUpdate(messages.pauseUpdate, { args: [{ by: 'Ada' }] });
  await theirs.terminate();
  const changes = async () => (await run.describe()).searchAttributes.TemporalChangeVersion;
  await until(async () => String(await changes()).includes('staysPaused'));
  expect((await client.workflow.getHandle(other.workflowId).describe()).status.name).toBe('TERMINATED');
  await run.executeUpdate(messages.resumeUpdate, { args: [undefined] });
  const result = await run.result();
  await accounts(result);
  expect(result.counts).toMatchObject({ done: 1 });
  expect(converted([leadId])).toBe(1);
});

test.concurrent('pause, resume, changeLimits: a wrong argument is answered with a sentence, and the run goes on', async () => {
  const file = await store('pause.csv', csvOf(free.splice(0, 10)));
  const run = await start('pause', { operation: 'convertLead', file, window: 2, itemsPerMinute: 60 });
  await until(() => isDone(run, 1));
  expect(await run.executeUpdate(messages.pauseUpdate, { args: [{ by: 'Ada', reason: 'month end' }] })).toContain(
    'Paused',
  );
  expect(await waiting(run)).toContain('Paused by Ada (month end)');
  const at = (await run.query(messages.backfillProgressQuery)).done;

  const wrong: [string, unknown, string][] = [
    [
      'changeLimits',
      { window: 'fast' },
      'changeLimits: window was given text of 4 characters; allowed is a whole number from 1 to 500.',
    ],
    ['changeLimits', { windw: 5 }, "field 1 of the input is unknown (5 characters); did you mean 'window'?"],
    ['changeLimits', {}, 'at least one of window'],
    ['changeLimits', undefined, 'at least one of window'],
    ['changeLimits', '{"window": 5}', 'text that holds JSON'],
    ['changeLimits', { maxCredits: -1 }, 'maxCredits was given a negative whole number of 1 digit'],
    ['pause', { by: 5 }, 'by was given a whole number of 1 digit'],
    ['pause', {}, 'paused already'],
    ['approve', {}, 'does not wait for an approval'],
    ['retryFailed', {}, 'No item has failed'],
    ['stop', { now: 'yes' }, 'now was given'],
  ];
  for (const [name, argument, sentence] of wrong) {
    const failure: unknown = await run.executeUpdate(name, { args: [argument] }).catch((error) => error.cause?.message);
    expect(failure).toContain(sentence);
  }
  expect(await run.query(messages.backfillProgressQuery)).toMatchObject({ done: expect.any(Number), paused: true });
  expect((await run.query(messages.backfillProgressQuery)).done - at).toBeLessThanOrEqual(2);

  const limits = { window: 20, itemsPerMinute: null, by: 'Ada' };
  expect(await run.executeUpdate(messages.changeLimitsUpdate, { args: [limits] })).toMatchObject({
    window: 20,
    itemsPerMinute: null,
  });
  await run.executeUpdate(messages.resumeUpdate, { args: [{ by: 'Ada' }] });
  const result = await run.result();
  expect(result.counts.done).toBe(10);
  expect(result.answers.map(({ answer, by }) => `${by}: ${answer}`)).toEqual([
    'Ada: pause (month end)',
    'Ada: changeLimits {"window":20,"itemsPerMinute":null}',
    'Ada: resume',
  ]);
});

test.concurrent('a faster pace counts for the very next item', async () => {
  const file = await store('faster.csv', csvOf(free.splice(0, 2)));
  const run = await start('faster', { operation: 'convertLead', file, itemsPerMinute: 0.05 });
  await until(() => isDone(run, 1));
  await run.executeUpdate(messages.changeLimitsUpdate, { args: [{ itemsPerMinute: 600 }] });
  expect((await run.result()).counts.done).toBe(2);
});

test.concurrent('S7: lists do not show that it needs a person when the part before it was answered', async () => {
  const run = await stage.temporal.client.workflow.start(backfill, {
    ...{ workflowId: 'asked-before', taskQueue: 'audit-runner' },
    args: [{ operation: 'convertLead', leads: { view: 'all' }, dryRun: true }],
    // As one has it that has continued as new.
    typedSearchAttributes: [{ key: searchAttributeKeys.needsPerson, value: true }],
  });
  await run.result();
  const { typedSearchAttributes } = await run.describe();
  expect(typedSearchAttributes.get(searchAttributeKeys.needsPerson)).toBe(false);
});

test.concurrent('S6: a terminated conversion that was paid is done, one that was not is failed', async () => {
  const ids = free.splice(0, 2);
  const file = await store('terminated.csv', csvOf(ids));
  // Both replies are late for ever; the second conversion is asked for twice, and then its run waits for a person.
  fail(ids.slice(0, 1), { fault: 'delayReply', delayMs: 60_000 });
  fail(ids.slice(1), { fault: 'delay', delayMs: 60_000, times: 2 });
  const run = await start('terminated', { operation: 'convertLead', file });
  const terminate = (id: string | undefined) =>
    stage.temporal.client.workflow.getHandle(`convert-lead.default.${id}`).terminate('a person ended it');
  await until(() => isInTheCall(ids.slice(0, 1)));
  // Nor can its run look up what became of it: it is still under way when it is terminated, also on a busy machine.
  const about = ids[0] ?? '';
  stage.sandbox.control.addFault({ route: 'leads.get', about, fault: 'status', status: 503, times: 1_000 });
  await until(() => isInTheCall(ids) && converted(ids) === 1);
  await terminate(ids[0]);
  stage.sandbox.control.clearFaults({ about });
  await until(async () => (await waiting(run)).includes('None of those under way has ended lately'));
  await terminate(ids[1]);
  const result = await run.result();
  await accounts(result);
  expect(result.counts).toMatchObject({ done: 1, failed: 1 });
  expect(result.credits).toBe(1_000);
});

test.concurrent('a refusal that concerns the whole account pauses the backfill and asks a person', async () => {
  const ids = free.splice(0, 9);
  const file = await store('refused.csv', csvOf(ids));
  fail(ids.slice(0, 2), { fault: 'status', status: 403 });
  const run = await start('refused', { operation: 'convertLead', file, window: 2 });
  await until(async () => (await waiting(run)).includes('(http403). It would refuse every further item'));
  const { typedSearchAttributes } = await run.describe();
  expect(typedSearchAttributes.getAll()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ value: true, key: expect.objectContaining({ name: 'NeedsPerson' }) }),
    ]),
  );
  expect(await run.executeUpdate(messages.resumeUpdate, { args: [{ by: 'Ada' }] })).toContain('tried again');
  const result = await run.result();
  expect(result.counts).toMatchObject({ done: 9, failed: 0 });
  expect(await accounts(result)).toHaveLength(9);
});

test.concurrent('a look that is refused with a code pauses the backfill at the first, too', async () => {
  const ids = free.splice(0, 4);
  const file = await store('refused-look.csv', csvOf(ids));
  stage.sandbox.control.addFault({
    ...{ route: 'leads.get', about: ids[0], fault: 'status', status: 403, code: 'PAT_ROUTE_NOT_ALLOWED' },
  });
  const run = await start('refused-look', { operation: 'convertLead', file, window: 1 });
  await until(async () => (await waiting(run)).includes('(PAT_ROUTE_NOT_ALLOWED). It would'));
  expect(await run.query(messages.backfillProgressQuery)).toMatchObject({ done: 1, underWayCount: 0 });
  await run.executeUpdate(messages.resumeUpdate, { args: [{ by: 'Ada' }] });
  const result = await run.result();
  expect(result.counts).toMatchObject({ done: 4, failed: 0 });
  await accounts(result);
});

test.concurrent('S7: says how many items wait for a person; one that nobody decides on counts as waiting', async () => {
  const [id] = free.splice(0, 1);
  fail([id], { fault: 'cutBeforeCommit', times: 2 });
  const file = await store('asking.csv', csvOf([id ?? '']));
  const run = await start('asking', { operation: 'convertLead', file });
  await until(async () => (await run.query(messages.backfillProgressQuery)).asking === 1);
  const child = stage.temporal.client.workflow.getHandle(`convert-lead.default.${id}`);
  await child.executeUpdate(decideUpdate, { args: [{ decision: 'giveUp', by: 'Ada' }] });
  const result = await run.result();
  expect(result).toMatchObject({
    credits: 0,
    counts: { waiting: 1 },
    reasons: { 'waiting: person: nobodyDecided': 1 },
  });
  await accounts(result);
});

test.concurrent('S7: what an earlier batch with the same ID has left, and asks, is not counted', async () => {
  const [early, late] = free.splice(0, 2);
  fail([early, late], { fault: 'cutBeforeCommit', times: 2 });
  const asks = (run: Awaited<ReturnType<typeof start>>, count: number) => async () =>
    (await run.query(messages.backfillProgressQuery)).asking === count;
  const asker = (id = '') => stage.temporal.client.workflow.getHandle(`convert-lead.default.${id}`);
  const of = async (id = '') => ({ operation: 'convertLead', file: await store(`${id}.csv`, csvOf([id])) }) as const;
  const first = await start('same-id', await of(early));
  await until(asks(first, 1));
  await first.terminate('a person ended it');
  const second = await start('same-id', await of(late));
  const bothAsk = "ParentWorkflowId = 'same-id' AND NeedsPerson = true";
  await until(async () => (await stage.temporal.client.workflow.count(bothAsk)).count === 2);
  const looks = async () => readable(await second.fetchHistory()).split('itemsAsking').length;
  const before = await looks();
  // The second of them is asked for once the first, which began while both ask, has its answer.
  await until(async () => (await looks()) >= before + 2);
  expect(await asks(second, 1)()).toBe(true);
  await asker(late).executeUpdate(decideUpdate, { args: [{ decision: 'giveUp', by: 'Ada' }] });
  expect(await second.result()).toMatchObject({ counts: { waiting: 1 } });
  await asker(early).executeUpdate(decideUpdate, { args: [{ decision: 'giveUp', by: 'Ada' }] });
});

test.concurrent('S7: the question of a conversion that an audit of the batch needs is the batch’s to tell', async () => {
  const [id = ''] = free.splice(0, 1);
  fail([id], { fault: 'cutBeforeCommit', times: 2 });
  const file = await store('audits.csv', csvOf([id]));
  const run = await start('audits', { operation: 'auditProject', file });
  await until(async () => (await run.query(messages.backfillProgressQuery)).asking === 1);
  const conversion = stage.temporal.client.workflow.getHandle(`convert-lead.default.${id}`);
  const { typedSearchAttributes } = await conversion.describe();
  expect(typedSearchAttributes.get(searchAttributeKeys.runKind)).toBe('backfill');
  await conversion.executeUpdate(decideUpdate, { args: [{ decision: 'giveUp', by: 'Ada' }] });
  expect(await run.result()).toMatchObject({ counts: { waiting: 1 } });
});

test.concurrent('S3: all items share one budget; what it does not allow is skipped and says why', async () => {
  const file = await store('caps.csv', csvOf(free.splice(0, 8)));
  const caps = { maxCredits: 3_000, maxItems: 6 };
  const result = await (await start('caps', { operation: 'convertLead', file, ...caps })).result();
  expect(result).toMatchObject({ ended: 'done', credits: 3_000, counts: { done: 3, skipped: 5 } });
  expect(result.reasons).toEqual({ 'skipped: overMaxCredits': 3, 'skipped: overMaxItems': 2 });
  await accounts(result);
});

test.concurrent('a stop gives up the question of an item, which counts as waiting; a redrive takes it up', async () => {
  const ids = free.splice(0, 6);
  const file = await store('stop.csv', csvOf(ids));
  fail(ids.slice(0, 1), { fault: 'cutBeforeCommit', times: 2 });
  const run = await start('stop', { operation: 'convertLead', file, window: 1 });
  await until(async () => (await run.query(messages.backfillProgressQuery)).asking === 1);
  await run.executeUpdate(messages.stopUpdate, { args: [{ now: true, by: 'Ada' }] });
  const result = await run.result();
  // Others are begun meanwhile: who asks holds no place.
  const { done, skipped } = result.counts;
  expect(result).toMatchObject({ ended: 'stopped', counts: { waiting: 1 } });
  expect(done + skipped).toBe(5);
  expect(result.reasons['waiting: person: nobodyDecided']).toBe(1);
  await accounts(result);
  const again = await (await start('stopped-again', { redriveOf: 'stop' })).result();
  expect(again).toMatchObject({ items: 1 + skipped, counts: { done: 1 + skipped } });
  expect(converted(ids)).toBe(6);
});

test.concurrent('who names no budget is asked first', async () => {
  const run = await start('asks', {
    operation: 'convertLead',
    file: await store('asks.csv', csvOf(free.splice(0, 1))),
    approval: 'all',
  });
  await until(async () => (await waiting(run)).includes('Approval is needed'));
  expect(await run.executeUpdate(messages.rejectUpdate, { args: [{ by: 'Ada' }] })).toContain('Rejected');
  expect(await run.result()).toMatchObject({ ended: 'rejected', credits: 0, reasons: { 'skipped: notApproved': 1 } });
});

test.each([
  ['a project of its own', () => ({ project: { clientName: 'Paid Once' } })],
  ['a lead', () => ({ leadId: free.splice(0, 1)[0] })],
])(
  'S3: an audit that has paid for %s and failed is tried again with what it has paid, which counts once',
  async (_, row) => {
    const file = await store('paid.jsonl', `${JSON.stringify(row())}\n`);
    const { control } = stage.sandbox;
    const refusals = () => control.stats().faults.filter(({ route }) => route === 'projects.analysis').length;
    const before = refusals();
    control.addFault({ route: 'projects.analysis', fault: 'status', status: 403, times: 3 });
    const run = await start(`paid-${before}`, { operation: 'auditProject', file, maxCredits: 1_000 });
    const isRefused = async (times: number) =>
      refusals() === before + times && (await waiting(run)).includes('(http403). It would');
    for (const times of [1, 2]) {
      await until(() => isRefused(times));
      await run.executeUpdate(messages.resumeUpdate, { args: [{ by: 'Ada' }] });
    }
    await until(() => isRefused(3));
    expect(await run.query(messages.backfillProgressQuery)).toMatchObject({ credits: 1_000, counts: { failed: 1 } });
    await run.executeUpdate(messages.stopUpdate, { args: [{ by: 'Ada' }] });
    const result = await run.result();
    await accounts(result);
    expect(result).toMatchObject({ credits: 1_000, counts: { failed: 1 } });
  },
);

test('S6: at maxCredits what was paid for and failed is tried again, as often as that is asked for, past what the budget does not allow', async () => {
  const [dear, paid, never] = free.splice(0, 3);
  const file = await store('unaffordable.csv', csvOf([dear, paid, never].map(String)));
  fail([dear], { fault: 'status', status: 422 });
  stage.sandbox.control.addFault({ route: 'projects.analysis', fault: 'status', status: 403, times: 2 });
  const refusals = () =>
    stage.sandbox.control.stats().faults.filter(({ route }) => route === 'projects.analysis').length;
  const before = refusals();
  const run = await start('unaffordable', {
    ...{ operation: 'auditProject', file, window: 1, maxCredits: 1_000 },
    // The try that is not refused ends at once.
    defaults: { prerequisites: 'fail' },
  });
  for (const nth of [1, 2]) {
    await until(async () => {
      const { counts, waiting: why = '', paused } = await run.query(messages.backfillProgressQuery);
      return paused && why.includes('(http403). It would') && counts.failed === 2 && refusals() === before + nth;
    });
    await run.executeUpdate(messages.resumeUpdate, { args: [{ by: 'Ada' }] });
  }
  const result = await run.result();
  expect(result).toMatchObject({ ended: 'done', credits: 1_000, counts: { failed: 2, skipped: 1 } });
  expect(result.reasons).toEqual({
    ...{ 'failed: http422': 1, 'failed: prerequisitesMissing': 1, 'skipped: overMaxCredits': 1 },
  });
  await accounts(result);
  expect(converted([dear, paid, never])).toBe(1);
});

test('captures: every one that matches is extracted again', async () => {
  const requests = () => stage.sandbox.control.stats().requests.byRoute['captures.reprocess'] ?? 0;
  const before = requests();
  const result = await (await start('captures', { operation: 'reprocessCapture', captures: {} })).result();
  await accounts(result);
  expect(result.items).toBe(12);
  expect(result.counts).toMatchObject({ done: 12 });
  expect(requests() - before).toBeGreaterThanOrEqual(12);
});

test('S4: notes of a JSON Lines file are submitted once each, and are in no history', async () => {
  const notes = Array.from({ length: 5 }, (_, i) => JSON.stringify({ note: `Call ${i} with Wilhelmina Quux` }));
  const file = await store('notes.jsonl', `${[...notes, '{"note": ""}', '{broken', notes[0]].join('\n')}\n`);
  const before = stage.sandbox.control.stats().requests.byRoute['captures.submitNote'] ?? 0;
  const result = await (await start('notes', { operation: 'ingestCapture', file })).result();
  await accounts(result);
  expect(result.counts).toMatchObject({ done: 5, quarantined: 3 });
  expect((stage.sandbox.control.stats().requests.byRoute['captures.submitNote'] ?? 0) - before).toBe(5);
  const { events } = await stage.temporal.client.workflow.getHandle('notes').fetchHistory();
  expect(readable(events)).toContain('noteFile');
  expect(readable(events)).not.toContain('Quux');
});

test.concurrent.each<[string, unknown, string]>([
  ['no source', { operation: 'convertLead' }, 'exactly one source'],
  ['two sources', { operation: 'convertLead', leads: {}, captures: {} }, 'leads and captures were given'],
  ['no operation', { leads: {} }, 'operation is missing'],
  ['a source of something else', { operation: 'convertLead', captures: {} }, 'where the source is captures'],
  [
    'a default that is no field',
    { operation: 'convertLead', leads: {}, defaults: { leadid: 1 } },
    'defaults[field 1] was given',
  ],
  ['a file that is not there', { operation: 'convertLead', file: { ref: 'none.csv' } }, 'no document'],
  ['a redrive of nothing', { redriveOf: 'nothing' }, "no backfill 'nothing'"],
])('a wrong input fails at once with a sentence: %s', async (name, input, sentence) => {
  const wrong: BackfillJson = JSON.parse(JSON.stringify(input));
  const failure = await (await start(`wrong ${name}`, wrong)).result().catch((error) => error);
  expect(failure.cause).toMatchObject({ type: 'BadInput', message: expect.stringContaining(sentence) });
});

test('S1: nothing was paid for twice in all of these', () => expect(stage.figures().paidTwice).toBe(0));
