import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NOT_DONE } from '../../src/runs/lists';
import { convertLeadId } from '../../src/runs/run-ids';
import { variantOverrides } from '../../src/sandbox';
import type { FaultRule } from '../../src/sandbox/options';
import { auditProject, type convertLead } from '../../workflows';
import { documentsUploadedUpdate } from '../../workflows/audit/by-person';
import { progressQuery } from '../../workflows/shared/status';

import { faultsOf, type Part } from '../support/part';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

type Fault = Partial<FaultRule> & Pick<FaultRule, 'fault'>;

/** Faults of a call that must not happen twice; the run ends well after each, and the call has had its effect once. */
const FAULTS: [string, Fault][] = [
  ['the reply is lost', { fault: 'replyLost' }],
  ['the service commits after the connection is gone', { fault: 'cutThenCommit', commitAfterMs: 700 }],
  ['429 with seconds', { fault: 'status', status: 429, retryAfter: 1 }],
  ['the connection is cut before the commit', { fault: 'cutBeforeCommit' }],
  ['the reply takes longer than the time limit', { fault: 'delayReply', delayMs: 2_200 }],
  ['500 after the commit', { fault: 'statusAfterCommit', status: 500 }],
  ['502 with an HTML body', { fault: 'html' }],
  ['a garbage 2xx', { fault: 'garbage' }],
];

/** The service has answered, and done nothing. */
const ANSWERED: readonly string[] = ['status', 'instead'];

const ONCE = ['projects.create', 'projects.uploadDocument', 'projects.auditAsync'];

/** Calls that may be repeated: each of them meets each of these once. */
const REPEATED = [
  ...(['projects.get', 'projects.update', 'jobs.get', 'projects.analysis'] as const),
  ...(['projects.opportunities', 'projects.deliverables'] as const),
];
const PASSING: [string, Fault][] = [
  ['500', { fault: 'status', status: 500 }],
  ['429', { fault: 'status', status: 429, retryAfter: 1 }],
  ['a garbage 2xx', { fault: 'garbage' }],
  ['502 with an HTML body', { fault: 'html' }],
  ['an empty 2xx', { fault: 'empty' }],
];

const QUICKLY = {
  convert: 50,
  createProject: 20,
  upload: 50,
  documentAnalysis: 50,
  interviewAnalysis: 50,
  audit: 200,
} as const;

let runs = 0;
let clients = 0;

/** Files for each variant of the undocumented shapes and each part run this, so that they run side by side. */
export function auditProjectSuite(variant: 'a' | 'b', part: Part): void {
  const faults = faultsOf(part, FAULTS);
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage({
      sandbox: { variant, leads: 10, credits: 100_000, projects: 0, durations: QUICKLY, convertCheck: 'atArrival' },
      ...(variant === 'b' && { account: { undocumented: { ...variantOverrides } } }),
    });
    await stage.startWorker();
  });
  afterAll(() => stage.close());

  const put = (ref: string, content: string) => {
    const file = join(fileURLToPath(stage.config.storageUrl), ref);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return ref;
  };
  const read = (ref: string) => readFileSync(join(fileURLToPath(stage.config.storageUrl), ref), 'utf8');
  const start = (input: Parameters<typeof auditProject>[0]) =>
    stage.temporal.client.workflow.start(auditProject, {
      workflowId: `audit-${++runs}`,
      taskQueue: 'audit-runner',
      args: [input],
    });
  const project = (clientName: string) =>
    stage.sandbox.control.projects().filter((one) => one.clientName === clientName);
  const stats = () => stage.sandbox.control.stats();
  /** A new project of its own and two documents, so that tests do not meet. */
  const fresh = () => {
    const name = `Client ${++clients}.`;
    const documents = ['a.pdf', 'b.txt'].map((file) => put(`in/${clients}/${file}`, `${name} ${file}`));
    return { name, input: { project: { clientName: name, industry: 'Logistics' }, documents } };
  };

  test('S1 S3 S6: from documents to a report: one project, each document once, one audit, the ledger right', async () => {
    const { name, input } = fresh();
    const before = stage.figures().spent;
    const result = await (await start(input)).result();
    expect(result).toMatchObject({
      outcome: 'audited',
      project: 'created',
      credits: 1_000,
      documents: { uploaded: ['a.pdf', 'b.txt'], found: [], byPerson: [] },
      analysis: { how: 'run', starts: 1 },
      // Sizes of `b` are in another unit: told, and no reason to send a document again.
      notes:
        variant === 'a'
          ? []
          : [expect.stringContaining("another size than was uploaded, in another unit perhaps: 'a.pdf' (1,")],
    });
    expect(stage.figures().spent - before).toBe(1_000);
    expect(await stage.spentByLedger()).toBe(stage.figures().spent);
    const [made, ...more] = project(name);
    expect(more).toEqual([]);
    expect(made?.documents.map(({ fileName }) => fileName).sort()).toEqual(['a.pdf', 'b.txt']);
    expect(made?.description).toContain('[audit-runner ');
    expect(result.results?.files).toHaveLength(8);
    expect(read(result.results?.report.html ?? '')).toContain(name);
    expect(read(result.results?.report.markdown ?? '')).toContain(name);
    expect(result.results?.opportunities).toBeGreaterThan(0);
  });

  test.concurrent.each(faults)('S1 S2 S3: the project is created once when %s', async (_, fault) => {
    const { name, input } = fresh();
    stage.sandbox.control.addFault({ route: 'projects.create', about: name, ...fault });
    const result = await (await start({ ...input, documents: [], prerequisites: 'fail' })).result();
    expect(result).toMatchObject({ credits: 1_000, project: 'created', reason: 'prerequisitesMissing' });
    expect(project(name)).toHaveLength(1);
  });

  test.concurrent.each(faults)(
    'S1 S2: each document is there once and the audit started once when %s',
    async (_, fault) => {
      const { name, input } = fresh();
      stage.sandbox.control.addFault({ route: 'projects.uploadDocument', about: name, ...fault });
      stage.sandbox.control.addFault({ route: 'projects.auditAsync', about: name, ...fault });
      const result = await (await start(input)).result();
      expect(result).toMatchObject({
        outcome: 'audited',
        documents: { found: [], byPerson: [] },
        analysis: { starts: 1 },
      });
      const [made] = project(name);
      expect(made?.documents.map(({ fileName }) => fileName).sort()).toEqual(['a.pdf', 'b.txt']);
      expect(stats().runningAnalyses[made?.id ?? '']).toBe(1);
    },
  );

  test.concurrent.each(faultsOf(part, PASSING))(
    'S6: nothing is lost and nothing is noted when each read is once answered with %s',
    async (_, fault) => {
      const { name, input } = fresh();
      for (const route of REPEATED) stage.sandbox.control.addFault({ route, about: name, ...fault });
      const result = await (await start({ ...input, keepReference: false })).result();
      expect(result).toMatchObject({ outcome: 'audited', credits: 1_000, analysis: { how: 'run', starts: 1 } });
      expect(result.results?.files).toHaveLength(8);
      expect(result.notes.filter((note) => !note.includes('in another unit perhaps'))).toEqual([]);
      expect(project(name)).toHaveLength(1);
      expect(project(name)[0]?.description).not.toContain('audit-runner');
      expect(stats().faults.filter(({ about }) => about === name)).toHaveLength(REPEATED.length);
    },
  );

  // Before the books are looked at: they run beside those above.
  if (part !== 'faults') {
    test.concurrent('a synchronous audit that takes too long goes on as a job', async () => {
      const { name, input } = fresh();
      stage.sandbox.control.addFault({ route: 'projects.audit', about: name, fault: 'status', status: 504 });
      expect(await (await start({ ...input, mode: 'sync' })).result()).toMatchObject({ outcome: 'audited' });
      expect(await (await start({ ...fresh().input, mode: 'sync' })).result()).toMatchObject({ outcome: 'audited' });
    });

    test.concurrent('where the token may not upload, a person is asked, and it is noticed when the files are there', async () => {
      const { name, input } = fresh();
      stage.sandbox.control.addFault({
        ...{ route: 'projects.uploadDocument', about: name, fault: 'status', status: 403, times: 8 },
      });
      const run = await start(input);
      await until(async () => (await run.query(progressQuery)).waiting?.includes('documentsUploaded') === true);
      const [made] = project(name);
      const add = (fileName: string) =>
        stage.sandbox.control.addDocument({
          ...{ projectId: made?.id ?? '', fileName, fileType: 'text/plain', fileSize: `${name} ${fileName}`.length },
        });
      const wrong = run.executeUpdate<string, [unknown]>('documentsUploaded', { args: [{ by: ['Ada'] }] });
      await expect(wrong).rejects.toMatchObject({ cause: { message: expect.stringContaining('by was given') } });
      add('a.pdf');
      expect(await run.executeUpdate(documentsUploadedUpdate, { args: [{ by: 'Ada' }] })).toContain('b.txt');
      add('b.txt');
      const result = await run.result();
      expect(result).toMatchObject({ outcome: 'audited', documents: { uploaded: [], byPerson: ['a.pdf', 'b.txt'] } });
      expect(project(name)[0]?.documents).toHaveLength(2);
    });

    test.concurrent('S1: the same project started twice is created and audited once', async () => {
      const { name, input } = fresh();
      const results = await Promise.all((await Promise.all([start(input), start(input)])).map((run) => run.result()));
      const ends = results.map(({ outcome, sentence }) => (outcome === 'audited' ? outcome : sentence));
      expect(ends).toEqual(['audited', 'audited']);
      expect(results.reduce((sum, { credits }) => sum + credits, 0)).toBe(1_000);
      expect(project(name)).toHaveLength(1);
      expect(project(name)[0]?.documents).toHaveLength(2);
      expect(stats().runningAnalyses[project(name)[0]?.id ?? '']).toBe(1);
    });

    test.concurrent('a lead is converted first, and its own project audited; without the reference where that is wanted', async () => {
      const lead = stage.sandbox.control.leads().find(({ surveyStatus }) => surveyStatus === 'completed');
      const documents = [put('in/lead/x.txt', 'x')];
      const result = await (await start({ leadId: lead?.id, documents })).result();
      expect(result).toMatchObject({ outcome: 'audited', project: 'converted', credits: 1_000 });
      const again = await (await start({ leadId: lead?.id, documents })).result();
      expect(again).toMatchObject({ project: 'alreadyConverted', credits: 0, projectId: result.projectId });
      expect(again.documents).toMatchObject({ uploaded: [], found: ['x.txt'] });
      expect(again.analysis).toMatchObject({ how: 'existing' });
      const { name, input } = fresh();
      await (await start({ ...input, keepReference: false })).result();
      expect(project(name)[0]?.description).not.toContain('audit-runner');
      expect(
        stage.temporal.client.workflow.getHandle<typeof convertLead>(convertLeadId('default', lead?.id ?? ''))
          .workflowId,
      ).toBeDefined();
    });
  }

  test('S1 S3: all of these were paid for once, and the ledger has exactly that', async () => {
    const ofOnce = stats().faults.filter(({ route }) => ONCE.includes(route));
    expect(ofOnce.filter(({ fault }) => !ANSWERED.includes(fault))).toHaveLength(
      3 * faults.filter(([, { fault }]) => !ANSWERED.includes(fault)).length,
    );
    expect(stage.figures()).toMatchObject({ spent: 1_000 * stage.sandbox.control.projects().length, paidTwice: 0 });
    expect(await stage.spentByLedger()).toBe(stage.figures().spent);
  });
  if (part === 'faults') return;

  test('S6: cancelled while the project is created, it says what was spent and on which project', async () => {
    const { name, input } = fresh();
    const happened = () => stats().faults.filter(({ about }) => about === name).length;
    const before = stage.figures().spent;
    stage.sandbox.control.addFault({ route: 'projects.create', about: name, fault: 'delay', delayMs: 1_400 });
    const run = await start(input);
    await until(() => happened() === 1);
    await run.cancel();
    const result = await run.result();
    expect(result).toMatchObject({
      ...{ outcome: 'unresolved', reason: 'cancelled', credits: 1_000, project: 'created' },
      projectId: project(name)[0]?.id,
    });
    expect(result.sentence).toContain(`start auditProject with projectId ${result.projectId}`);
    expect(stage.figures().spent - before).toBe(1_000);
  });

  test('a failed audit is started again; a bounded number of times', async () => {
    const { input } = fresh();
    stage.sandbox.control.failNextJob({ times: 1 });
    expect(await (await start(input)).result()).toMatchObject({ outcome: 'audited', analysis: { starts: 2 } });
    stage.sandbox.control.failNextJob({ times: 2 });
    const failed = await start({ ...fresh().input, maxStarts: 2 });
    expect(await failed.result()).toMatchObject({ outcome: 'failed', reason: 'auditFailed', credits: 1_000 });
    const { client } = stage.temporal;
    const listed = `WorkflowId = "${failed.workflowId}" AND (${NOT_DONE})`;
    await until(async () => (await client.workflow.count(listed)).count === 1);
  });

  test('all that is wrong with an input is told at once, before anything is called', async () => {
    // But for the balance, which the ledger reads by itself.
    const asked = () => stats().requests.total - (stats().requests.byRoute['account.credits'] ?? 0);
    const before = asked();
    const input = JSON.parse(
      `{"project": {"clientName": "${'x'.repeat(201)}", "currency": "EURO"}, "projectId": "p", "documents": ["no/such.pdf", "../x.pdf", "${put('in/empty.pdf', '')}"], "documnts": 1}`,
    );
    const failure = await (await start(input)).result().catch((error) => error);
    expect(failure.cause).toMatchObject({ type: 'BadInput' });
    const { message } = failure.cause;
    for (const part of [
      'clientName',
      'currency',
      'project',
      'field 4',
      'documents[0] is not',
      'documents[1]: ',
      'documents[2] is empty',
    ])
      expect(message).toContain(part);
    expect(asked()).toBe(before);
  });
}
