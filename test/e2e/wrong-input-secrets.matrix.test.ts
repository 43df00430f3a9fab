/** S4: personal data in the wrong place are refused, and the refusal repeats nothing of them, wherever it can be read later. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { WRONG, withField } from '../inputs/wrong-inputs';
import { until } from '../support/until';
import { leaks, type Place, placesOfFiles, readable } from './support/leaks';
import { Scene } from './support/scene';
import type { WorkerProcess } from './support/worker-process';

const NAME = 'Zebulon Quirk';
const STREET = 'Nightingale Lane';
const MAIL = 'zeb.quirk@private.example';
const PHONE = '0171 5550 199';
const NUMBER = 491715550199;
const SECRETS = new Map(
  [NAME, 'Zebulon', 'Quirk', STREET, 'Nightingale', 'private.example', '5550 199', '1715550199'].map((text) => [
    text,
    text,
  ]),
);
const TEXT = `${NAME}, ${STREET} 12, ${MAIL}, ${PHONE}`;
/** Wrong for almost every field, each in its own way. */
const VALUES: readonly unknown[] = [
  ...[TEXT, JSON.stringify({ name: TEXT }), NAME.replace(' ', '')],
  ...[NUMBER, [TEXT], { [TEXT]: TEXT }],
];

let scene: Scene;
let worker: WorkerProcess;
let client: Client;
const started: string[] = [];
beforeAll(async () => {
  scene = await Scene.open({ sandbox: { leads: 30 } });
  worker = await scene.worker({ LOG_LEVEL: 'trace' });
  ({ client } = scene.stage.temporal);
});
afterAll(() => scene.close());

async function start(type: string, input: unknown): Promise<string> {
  const workflowId = `wrong-${started.length}`;
  started.push(workflowId);
  await client.workflow.start(type, {
    workflowId,
    taskQueue: 'audit-runner',
    args: [input],
  });
  return workflowId;
}

/** The inputs of one type: every field wrong at once, and fields that nobody knows, at the top and in each object. */
function inputsOf(valid: Record<string, unknown>, fields: readonly string[]): unknown[] {
  const top = fields.filter((field) => !field.includes('.') && field !== 'body');
  const inner = fields.filter((field) => field.includes('.'));
  const all = (value: unknown, names: readonly string[]) =>
    names.reduce((input, name) => withField(input, name.split('.'), value), {});
  return VALUES.flatMap((value) => [
    all(value, top),
    all(value, inner),
    { ...valid, [TEXT]: value, [NAME]: value },
    ...top
      .map((name) => name.split('.')[0] ?? '')
      .filter((name) => inner.some((one) => one.startsWith(`${name}.`)))
      .map((name) => withField(valid, [name, TEXT], value)),
    value,
    [value],
  ]);
}

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED: COMPLETED } = temporal.api.enums.v1.EventType;

/**
 * A wrong input ends a run in its first workflow task, or in its second, when an activity has told what the rest of it is
 * checked against. One that goes on is ended.
 */
async function ended(workflowId: string): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  await until(async () => {
    if ((await handle.describe()).status.name !== 'RUNNING') return true;
    const { events } = await handle.fetchHistory();
    return (events ?? []).filter(({ eventType }) => eventType === COMPLETED).length >= 2;
  });
  // It may end meanwhile.
  await handle.terminate().catch(() => undefined);
}

/** What a run ended with. */
async function failureOf(workflowId: string): Promise<string> {
  const error: unknown = await client.workflow
    .getHandle(workflowId)
    .result()
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  return readable(
    error instanceof Error
      ? {
          message: error.message,
          cause: error.cause instanceof Error ? { ...error.cause, message: error.cause.message } : undefined,
        }
      : undefined,
  );
}

/** Histories and descriptions, without the input, which is there because a person wrote it there, and what is handed on of it. */
async function placesOf(ids: readonly string[]): Promise<Place[]> {
  return Promise.all(
    ids.map(async (workflowId) => {
      const handle = client.workflow.getHandle(workflowId);
      const [{ events = [] }, { raw }] = await Promise.all([handle.fetchHistory(), handle.describe()]);
      const rest = (events ?? []).map(
        ({
          workflowExecutionStartedEventAttributes: run,
          activityTaskScheduledEventAttributes: activity,
          ...event
        }) => ({
          ...event,
          ...(run && { run: { ...run, input: undefined } }),
          ...(activity && { activity: { ...activity, input: undefined } }),
        }),
      );
      return { where: `history of ${workflowId}`, text: `${readable(rest)}\n${readable(raw)}` };
    }),
  );
}

/** Each starts hundreds of runs, or sends hundreds of updates. */
jest.setTimeout(600_000);

const found = (places: readonly Place[]) => leaks([...places, { where: 'log', text: worker.output }], SECRETS);

test('in the input of every workflow', async () => {
  const ids: string[] = [];
  for (const [type, { valid, fields }] of Object.entries(WRONG))
    for (const input of inputsOf(valid, Object.keys(fields))) ids.push(await start(type, input));
  for (const input of [
    { route: TEXT },
    { route: 'contacts.create', body: { [TEXT]: TEXT, name: NUMBER, email: TEXT, phone: [TEXT] } },
    { route: 'contacts.create', body: TEXT },
    { route: 'contacts.list', query: { [TEXT]: TEXT, limit: TEXT } },
    { route: 'contacts.get', id: TEXT },
    { route: 'projects.update', id: 'x', body: { clientName: NUMBER, [NAME]: TEXT, status: TEXT } },
    {
      route: 'assessmentConfigs.update',
      id: 'x',
      body: { scoringWeights: { [NAME]: TEXT }, questionOrder: TEXT, [NAME]: 1 },
    },
  ])
    ids.push(await start('callApi', input));
  const files = ['../', '/', '', 'a/'].map((before) => `${before}${NAME} ${STREET}.pdf`);
  for (const ref of files) {
    ids.push(
      await start('auditProject', { projectId: 'p-1', documents: [ref, ref, { ref, fileName: `${TEXT}.exe` }] }),
    );
    ids.push(await start('ingestCapture', { noteFile: ref }));
    ids.push(await start('backfill', { operation: 'convertLead', maxItems: 1, file: { ref, format: 'csv' } }));
    ids.push(await start('leadPipeline', { then: 'audit', maxCredits: 2000, audit: { documents: [ref, ref] } }));
  }
  await Promise.all(ids.map(ended));
  const failures = await Promise.all(ids.map(failureOf));
  // What cannot be wrong (a note of any text) goes on; most of it is wrong.
  expect(failures.filter((text) => text.includes('cannot start with this input')).length).toBeGreaterThan(
    ids.length * 0.8,
  );
  expect(found(await placesOf(ids))).toEqual([]);
  const said = (text: string) => worker.output.includes(text);
  expect([said('"error":{"type":"BadInput"}'), said('was given'), said('is unknown')]).toEqual([true, false, false]);
});

/** Forms of a file whose rows, header or mapping hold what does not belong there. */
const ROW = [NAME, STREET, MAIL, PHONE];
const FILES: Record<string, { text: string; file?: Record<string, unknown> }> = {
  'no header.csv': { text: [ROW, ROW].map((row) => row.join(';')).join('\n'), file: { delimiter: ';' } },
  'no header, mapped.csv': { text: ROW.join(','), file: { columns: { Lead: 'leadId' } } },
  'twice.csv': { text: [NAME, NAME, STREET].join(',') },
  'header damaged.csv': { text: `"${NAME}" x,${STREET}\n` },
  'mapped to a name.csv': { text: `Lead\n1`, file: { columns: { Lead: NAME } } },
  'mapped from a name.csv': { text: `Lead\n1`, file: { columns: { [TEXT]: 'leadId' } } },
  'wrong cells.csv': { text: `leadId,priority,personDeadline\n"${TEXT}","${PHONE}","${NAME}"\nx,1,${NAME}\n` },
  'too many cells.csv': { text: `leadId\n${ROW.join(',')}\n"${NAME}\n` },
  'UTF-16.csv': { text: `\uFEFF${NAME}` },
  'wrong rows.jsonl': {
    text: [
      { [NAME]: 1 },
      { leadId: TEXT, [PHONE]: NAME },
      { leadId: NUMBER, priority: TEXT },
      { leadId: 'x', run: { [NAME]: 1 } },
      [NAME],
      TEXT,
    ]
      .map((row) => JSON.stringify(row))
      .concat(`{"leadId": "${NAME}`, NAME)
      .join('\n'),
  },
  'mapped.jsonl': { text: JSON.stringify({ Lead: TEXT }), file: { columns: { Lead: 'leadId', [NAME]: TEXT } } },
};

test('in every form of a file', async () => {
  const folder = join(scene.stage.folder, 'storage');
  const ids: string[] = [];
  const sources: string[] = [];
  for (const [name, { text, file = {} }] of Object.entries(FILES)) {
    // The file itself may be called after a person.
    const ref = `lists/${NAME}/${name}`;
    const path = join(folder, ref);
    sources.push(path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, name.startsWith('UTF-16') ? 'utf16le' : 'utf8');
    // A plan: what is right in them is not done.
    for (const operation of ['convertLead', 'auditProject', 'ingestCapture', 'reprocessCapture'])
      ids.push(await start('backfill', { operation, dryRun: true, file: { ref, ...file } }));
  }
  await Promise.all(ids.map(failureOf));
  for (const path of sources) expect(existsSync(path)).toBe(true);
  // Without what a batch was started with, which is kept for a redrive.
  const given = [...sources, '/notes/', '/latest.json', '/backfill.json'];
  const own = placesOfFiles(folder).filter(({ where }) => !given.some((part) => where.includes(part)));
  expect(own.some(({ where }) => where.includes('quarantine'))).toBe(true);
  expect(found([...(await placesOf(ids)), ...own])).toEqual([]);
});

test('in every update of every run that waits for one', async () => {
  await client.workflow.start('convertLead', {
    workflowId: 'one',
    taskQueue: 'audit-runner',
    args: [{ leadId: scene.lead() }],
  });
  await client.workflow.getHandle('one').result();
  for (const [workflowId, type, input] of [
    ['asks-pipeline', 'leadPipeline', { approval: 'all' }],
    ['asks-batch', 'backfill', { operation: 'convertLead', leads: {}, approval: 'all' }],
  ] as const)
    await client.workflow.start(type, { workflowId, taskQueue: 'audit-runner', args: [input] });
  const runs = ['asks-pipeline', 'asks-batch', scene.stage.ledgerId, 'start-here'];
  interface Metadata {
    definition?: { updateDefinitions?: { name: string }[] };
  }
  const updatesOf = async (workflowId: string) =>
    (
      await client.workflow.getHandle(workflowId).query<Metadata>('__temporal_workflow_metadata')
    ).definition?.updateDefinitions?.map(({ name }) => name) ?? [];
  const answers: Place[] = [];
  for (const workflowId of runs) {
    const names = await updatesOf(workflowId).catch(() => []);
    if (workflowId !== 'start-here') expect(names.length).toBeGreaterThan(3);
    for (const update of names)
      for (const said of [TEXT, [TEXT], NUMBER, { [TEXT]: TEXT }, { by: [NAME], reason: NUMBER }, ...fieldsWrong()]) {
        const answer = await client.workflow
          .getHandle(workflowId)
          .executeUpdate(update, { args: [said] })
          .then(
            (value) => JSON.stringify(value) ?? '',
            (error: Error) => `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`,
          );
        answers.push({ where: `${workflowId} ${update} ${JSON.stringify(said)}`, text: answer });
      }
  }
  expect(answers.length).toBeGreaterThan(100);
  expect(found([...answers, ...(await placesOf(runs.filter((run) => run !== 'start-here')))])).toEqual([]);
});

/** Each field that any update has, with what does not belong there. */
function fieldsWrong(): Record<string, unknown>[] {
  const fields = [
    'decision',
    'projectId',
    'captureId',
    'now',
    'parks',
    'credits',
    'perDay',
    'balanceFloor',
    'timeZone',
    'window',
    'maxCredits',
    'maxItems',
    'maxConversions',
    'subject',
    'attempt',
    'run',
    'kind',
    'until',
    'rateClass',
  ];
  return [TEXT, NUMBER * 1e9, { [NAME]: NAME }].map((value) =>
    Object.fromEntries(fields.map((field) => [field, value])),
  );
}

test('negative control: a name in a reason that a person gave is found', async () => {
  const handle = client.workflow.getHandle('asks-pipeline');
  await handle.executeUpdate('pause', { args: [{ reason: NAME }] });
  await until(async () => found(await placesOf(['asks-pipeline'])).length > 0);
});
