import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { variantOverrides } from '../../src/sandbox';
import type { FaultRule } from '../../src/sandbox/options';
import { ingestCapture } from '../../workflows';
import { acceptUpdate, giveUpUpdate, reprocessUpdate } from '../../workflows/capture/review';
import type { IngestCaptureResult } from '../../workflows/ingest-capture';
import { progressQuery } from '../../workflows/shared/status';
import { leaks, placesOfRuns, readable } from '../e2e/support/leaks';
import { faultsOf, type Part } from '../support/part';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

type Fault = Partial<FaultRule> & Pick<FaultRule, 'route' | 'fault'>;
type Input = Parameters<typeof ingestCapture>[0];

/** What went wrong, and how it must end: one capture, processed. */
const FAULTS: [string, Fault[]][] = [
  ['the reply is lost', [{ route: 'captures.submitNote', fault: 'replyLost' }]],
  [
    'the service commits as late as it may',
    [{ route: 'captures.submitNote', fault: 'cutThenCommit', commitAfterMs: 2_300 }],
  ],
  ['429', [{ route: 'captures.submitNote', fault: 'status', status: 429, retryAfter: 1 }]],
  ['the connection is cut before the commit', [{ route: 'captures.submitNote', fault: 'cutBeforeCommit' }]],
  [
    'the connection is cut while the service commits later',
    [{ route: 'captures.submitNote', fault: 'cutThenCommit', commitAfterMs: 700 }],
  ],
  [
    'the reply takes longer than the time limit',
    [{ route: 'captures.submitNote', fault: 'delayReply', delayMs: 2_200 }],
  ],
  ['the call takes longer than the time limit', [{ route: 'captures.submitNote', fault: 'delay', delayMs: 2_000 }]],
  ['500 after the commit', [{ route: 'captures.submitNote', fault: 'statusAfterCommit', status: 500 }]],
  ['502 with an HTML body', [{ route: 'captures.submitNote', fault: 'html' }]],
  ['a garbage 2xx', [{ route: 'captures.submitNote', fault: 'garbage' }]],
  [
    'a 200 that says success: false',
    [{ route: 'captures.submitNote', fault: 'instead', body: { success: false, error: 'Busy' } }],
  ],
  [
    'the reply is lost after a first try that never arrived',
    [
      { route: 'captures.submitNote', fault: 'cutBeforeCommit' },
      { route: 'captures.submitNote', fault: 'replyLost' },
    ],
  ],
];

/** Reads of any run meet these. */
const READ_FAULTS: Fault[] = [
  { route: 'captures.list', fault: 'html' },
  { route: 'captures.list', fault: 'status', status: 500 },
  { route: 'captures.get', fault: 'cutBeforeCommit' },
  { route: 'captures.get', fault: 'status', status: 429, retryAfter: 1 },
];

/** The same for extractions that are run again, each of another capture. */
const REPROCESS_FAULTS: Fault[] = [
  { route: 'captures.reprocess', fault: 'replyLost' },
  { route: 'captures.reprocess', fault: 'cutBeforeCommit' },
  { route: 'captures.reprocess', fault: 'cutThenCommit', commitAfterMs: 700 },
  { route: 'captures.reprocess', fault: 'garbage' },
  { route: 'captures.reprocess', fault: 'status', status: 503 },
];

/** Files for each variant of the undocumented shapes and each part run this, so that they run side by side. */
export function ingestCaptureSuite(variant: 'a' | 'b', part: Part): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage({
      sandbox: { variant, projects: 2, captures: 120, durations: { extraction: 150 } },
      account: {
        ...(variant === 'b' && { undocumented: { ...variantOverrides } }),
        // The limit of notes has a test of its own.
        limits: { ...QUICK.limits, notes: { max: 1_000, windowMs: 1_000 } },
      },
    });
    await stage.startWorker();
  });
  afterAll(() => stage.close());

  const start = (input: Input, workflowId = `ingest-${randomUUID()}`) =>
    stage.temporal.client.workflow.start(ingestCapture, { workflowId, taskQueue: 'audit-runner', args: [input] });
  const run = async (input: Input): Promise<IngestCaptureResult> => (await start(input)).result();
  const capturesOf = (text: string) =>
    stage.sandbox.control.captures().filter(({ rawContent }) => rawContent.includes(text));
  const write = (name: string, content: string | Uint8Array) => {
    mkdirSync(join(stage.folder, 'storage'), { recursive: true });
    writeFileSync(join(stage.folder, 'storage', name), content);
  };
  const said = async (handle: Awaited<ReturnType<typeof start>>, word: string) =>
    until(async () => (await handle.query(progressQuery)).waiting?.includes(word) === true);

  const submitsOnce = async (text: string) => {
    const result = await run({ note: text });
    expect(result).toMatchObject({
      ...{ outcome: 'processed', submitted: true, reprocesses: 0 },
      items: { byType: { action_item: 1, decision: 1, key_insight: 1, contact_mention: 1 }, total: 4 },
    });
    expect(capturesOf(text.slice(0, 40)).map(({ id }) => id)).toEqual([result.captureId]);
    expect(JSON.stringify(stage.sandbox.control.stats().notesDoubled)).not.toContain(text.slice(0, 40));
  };

  test.concurrent.each(faultsOf(part, FAULTS))(
    'S1 S2: submits a note once and reports its items when %s',
    async (_, faults) => {
      const id = randomUUID();
      for (const fault of faults) stage.sandbox.control.addFault({ about: id, ...fault });
      await submitsOnce(`About ${id}\r\n\r\n  Next: prices. `);
    },
  );

  if (part === 'faults') return;

  test('S1 S2: submits a note once when the list and the capture cannot be read for a while', async () => {
    for (const fault of READ_FAULTS) stage.sandbox.control.addFault(fault);
    await submitsOnce(`About ${randomUUID()}`);
    expect(stage.sandbox.control.stats().faults.slice(-READ_FAULTS.length)).toHaveLength(READ_FAULTS.length);
  });

  test('S1: has each failed capture extracted again once, whatever happens to the request', async () => {
    const { byRoute } = stage.sandbox.control.stats().requests;
    const before = byRoute['captures.reprocess'] ?? 0;
    const results = await Promise.all(
      REPROCESS_FAULTS.map((fault) => {
        const about = randomUUID();
        stage.sandbox.control.addFault({ ...fault, about });
        return run({ note: `[fails 1] ${about}` });
      }),
    );
    for (const result of results) expect(result).toMatchObject({ outcome: 'processed', reprocesses: 1 });
    // Two of them never had an effect: these were sent again.
    expect((byRoute['captures.reprocess'] ?? 0) - before).toBe(REPROCESS_FAULTS.length + 2);
  });

  test.concurrent('what fails more often than it may be tried ends as failed, and what was sent is counted', async () => {
    expect(await run({ note: `[fails 2] ${randomUUID()}` })).toMatchObject({ outcome: 'processed', reprocesses: 2 });
    expect(await run({ note: `[fails 9] ${randomUUID()}`, maxReprocesses: 1 })).toMatchObject({
      ...{ outcome: 'failed', reason: 'extractionFailed', reprocesses: 1 },
    });
  });

  test.concurrent('a person accepts what needs review; the capture and its items are stored', async () => {
    const handle = await start({ note: `[review] ${randomUUID()}` });
    await said(handle, 'accept');
    for (const [wrong, sentence] of [
      ['Ada', 'the input was given text of 3 characters'],
      [{ by: 5 }, 'by was given a whole number of 1 digit'],
      [{ form: 'Ada' }, 'field 1 of the input is unknown'],
    ] as const)
      await expect(handle.executeUpdate<string, [unknown]>('accept', { args: [wrong] })).rejects.toMatchObject({
        cause: { message: expect.stringContaining(sentence) },
      });
    await handle.executeUpdate(acceptUpdate, { args: [{ by: 'Ada' }] });
    const result = await handle.result();
    expect(result).toMatchObject({ outcome: 'accepted', answers: [{ answer: 'accept', by: 'Ada' }] });
    expect(result.files).toEqual({
      capture: `accounts/default/captures/${result.captureId}/capture.json`,
      items: `accounts/default/captures/${result.captureId}/items.json`,
    });
    await expect(handle.executeUpdate(acceptUpdate, { args: [{}] })).rejects.toThrow();
  });

  test.concurrent('a person has it extracted again, then gives up; without an answer in time it ends as expired', async () => {
    const handle = await start({ note: `[review] ${randomUUID()}` });
    await said(handle, 'reprocess');
    const asked = await handle.query(progressQuery);
    await handle.executeUpdate(reprocessUpdate, { args: [undefined] });
    await until(async () => (await handle.query(progressQuery)).since > asked.since);
    await said(handle, 'giveUp');
    await handle.executeUpdate(giveUpUpdate, { args: [{ by: 'Bob' }] });
    expect(await handle.result()).toMatchObject({ outcome: 'unresolved', reason: 'gaveUp', reprocesses: 1 });
    const expired = run({ note: `[review] ${randomUUID()}`, personDeadline: '1s' });
    expect(await expired).toMatchObject({ outcome: 'expired', reason: 'nobodyDecided' });
    const silent = run({ note: `[review] ${randomUUID()}`, askPerson: false });
    expect(await silent).toMatchObject({ outcome: 'unresolved', reason: 'needsReview' });
  });

  test.concurrent('S1: started three times, also with other white space, a note is submitted once', async () => {
    const text = `Twice? ${randomUUID()}`;
    const [one, other] = await Promise.all([run({ note: text }), run({ note: ` ${text}\n` })]);
    const later = await run({ note: text.replace(' ', '\r\n') });
    expect(new Set([one.captureId, other.captureId, later.captureId]).size).toBe(1);
    expect([one, other, later].filter(({ submitted }) => submitted)).toHaveLength(1);
    expect(capturesOf(text)).toHaveLength(1);
  });

  test.concurrent('S2: notes of one text that are two by their references become two captures, both replies lost', async () => {
    const text = `Same words ${randomUUID()}`;
    stage.sandbox.control.addFault({ route: 'captures.submitNote', about: text, fault: 'replyLost', times: 2 });
    const runs = ['monday', 'tuesday'].map((reference) => run({ note: text, reference }));
    const ids = (await Promise.all(runs)).map(({ captureId }) => captureId);
    expect(new Set(ids).size).toBe(2);
    expect(
      capturesOf(text)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids.sort());
  });

  test.concurrent('S2: of two notes of one text the one that never arrived does not take the capture of the other', async () => {
    const text = `Slow and lost ${randomUUID()}`;
    const about = { route: 'captures.submitNote', about: text } as const;
    stage.sandbox.control.addFault({ ...about, fault: 'delayReply', delayMs: 1_000 });
    stage.sandbox.control.addFault({ ...about, fault: 'cutBeforeCommit' });
    const first = run({ note: text, reference: 'slow' });
    await until(() => capturesOf(text).length === 1);
    const second = run({ note: text, reference: 'lost' });
    const ids = (await Promise.all([first, second])).map(({ captureId }) => captureId);
    expect(new Set(ids).size).toBe(2);
    expect(capturesOf(text)).toHaveLength(2);
  });

  test.concurrent('a file of the storage is a note as well, for a project', async () => {
    const text = `From a file ${randomUUID()}`;
    write('minutes.txt', text);
    const [project] = stage.sandbox.control.projects();
    const result = await run({ noteFile: 'minutes.txt', projectId: String(Reflect.get(project ?? {}, 'id')) });
    expect(result).toMatchObject({ outcome: 'processed' });
    expect(capturesOf(text)).toMatchObject([{ id: result.captureId, projectId: Reflect.get(project ?? {}, 'id') }]);
  });

  test('a capture that is there is taken as it is; one that is not ends the run as refused', async () => {
    const [capture] = stage.sandbox.control.captures();
    expect(await run({ captureId: capture?.id ?? '' })).toMatchObject({ outcome: 'processed', submitted: false });
    expect(await run({ captureId: randomUUID() })).toMatchObject({ outcome: 'refused', reason: 'http404' });
  });

  test('all that is wrong with an input is told at once, before any call, and no note is quoted (S4)', async () => {
    const before = stage.sandbox.control.stats().requests.byRoute['captures.list'];
    write('empty.txt', ' \n');
    write('latin.txt', Buffer.from([0x63, 0xe9]));
    const wrong = async (input: object) => {
      const failure = await run(JSON.parse(JSON.stringify(input))).catch((error) => error);
      expect(failure.cause.type).toBe('BadInput');
      return String(failure.cause.message);
    };
    const two = await wrong({ note: 'Anna owes us money', noteFile: 'missing.txt', maxReprocesses: -1 });
    for (const part of ['exactly one of', 'maxReprocesses', 'noteFile is not in']) expect(two).toContain(part);
    expect(two).not.toContain('Anna');
    expect(await wrong({})).toContain('exactly one of');
    expect(await wrong({ note: ' ' })).toContain('characters');
    expect(await wrong({ note: 'Anna '.repeat(30_000) })).not.toContain('Anna');
    expect(await wrong({ noteFile: 'empty.txt' })).toContain('is empty');
    expect(await wrong({ noteFile: 'latin.txt' })).toContain('UTF-8');
    expect(await wrong({ noteFile: '../token' })).toContain('..');
    expect(await wrong({ noteFile: 'empty.txt', processingDeadline: 'soon' })).toContain('processingDeadline');
    expect(stage.sandbox.control.stats().requests.byRoute['captures.list']).toBe(before);
  });

  test("S4: a note's text is in the run's own input and in no other event, description, detail or failure", async () => {
    const secret = `Carla Example ${randomUUID()}`;
    stage.sandbox.control.addFault({ route: 'captures.submitNote', fault: 'garbage' });
    write('secret.txt', `${secret} in a file`);
    const inline = await start({ note: `${secret} said [fails 1] [review]` });
    await said(inline, 'accept');
    const filed = await start({ noteFile: 'secret.txt' });
    await filed.result();
    const history = await inline.fetchHistory();
    const [input, ...rest] = history.events ?? [];
    expect(readable(input)).toContain(secret);
    expect(readable(rest)).not.toContain(secret);
    await inline.executeUpdate(giveUpUpdate, { args: [undefined] });
    await inline.result();
    const places = (await placesOfRuns(stage.temporal.client)).filter(
      ({ where }) => !where.includes(inline.workflowId) || where.startsWith('details'),
    );
    expect(places.some(({ where }) => where === `history of ${filed.workflowId}`)).toBe(true);
    expect(leaks(places, new Map([[secret, 'the note']]))).toEqual([]);
  });
}
