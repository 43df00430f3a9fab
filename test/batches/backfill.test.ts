import { LIMITS } from '../../src/agent-api/routes';
import { applyColumns, mapColumns } from '../../src/batches/columns';
import { type Row, readCsv, readJsonl } from '../../src/batches/item-rows';
import { checkAgain, checkRow } from '../../src/batches/items';
import { LONGEST } from '../../src/batches/lines';
import { endedBy, stopsAll, thisTry } from '../../src/batches/outcomes';
import { noNeeds, planBackfill } from '../../src/batches/plan';

/** In pieces that cut characters and line ends in two. */
async function* pieces(text: string | Uint8Array, size = 3): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function csv(text: string | Uint8Array, delimiter = ','): Promise<{ header: readonly string[]; rows: Row[] }> {
  let header: readonly string[] = [];
  const rows: Row[] = [];
  for await (const row of readCsv(pieces(text), delimiter, (columns) => (header = columns))) rows.push(row);
  return { header, rows };
}

async function jsonl(text: string | Uint8Array): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of readJsonl(pieces(text))) rows.push(row);
  return rows;
}

describe('CSV', () => {
  test('byte order mark, quotation marks, CRLF, line ends inside cells, blank lines, empty cells', async () => {
    const { header, rows } = await csv('\uFEFFid, name ,note\r\n1,"Ä ""B"", C","x\r\ny"\r\n\r\n2,,z\r\n3,d,e');
    expect(header).toEqual(['id', 'name', 'note']);
    expect(rows).toEqual([
      { line: 2, values: { id: '1', name: 'Ä "B", C', note: 'x\ny' } },
      { line: 5, values: { id: '2', note: 'z' } },
      { line: 6, values: { id: '3', name: 'd', note: 'e' } },
    ]);
  });

  test.each([
    ['a mark that is not closed', '"open,1'],
    ['a mark inside a cell', 'a 5" pipe,1'],
    ['text behind a closed mark', '"a"b,1'],
  ])('one bad row does not take the others with it: %s', async (_, bad) => {
    const { rows } = await csv(`a,b\n1,2\n${bad}\n3,4\n"5","6"\n${bad}\n7,8\n`);
    const problem = 'has a quotation mark in the wrong place';
    expect(rows.map((row) => ('problem' in row ? [row.line, row.problem] : [row.line, row.values.a]))).toEqual([
      [2, '1'],
      [3, problem],
      [4, '3'],
      [5, '5'],
      [6, problem],
      [7, '7'],
    ]);
  });

  test('too few and too many columns, bytes that are no UTF-8, a line that never ends', async () => {
    const text = Buffer.concat([
      Buffer.from('a,b\n1\n1,2,3\n'),
      Buffer.from([0x61, 0xe4, 0x2c, 0x62, 0x0a]),
      Buffer.from('x'.repeat(LONGEST + 10)),
      Buffer.from('\n5,6\n'),
    ]);
    const rows: Row[] = [];
    for await (const row of readCsv(pieces(text, 65_536), ',', () => undefined)) rows.push(row);
    expect(rows).toEqual([
      { line: 2, problem: 'has 1 columns, the header has 2' },
      { line: 3, problem: 'has 3 columns, the header has 2' },
      { line: 4, problem: 'is not UTF-8' },
      { line: 5, problem: `is longer than ${LONGEST} characters` },
      { line: 6, values: { a: '5', b: '6' } },
    ]);
  });

  test('a file that cannot be read at all says so', async () => {
    await expect(csv(Buffer.from('\uFEFFa,b\n', 'utf16le'))).rejects.toThrow('it is UTF-16; save it as UTF-8');
    await expect(csv('a,b,a\n1,2,3\n')).rejects.toThrow(
      'columns 1 and 3 of its first line, the header, are called the same',
    );
    await expect(csv('a,"b\n')).rejects.toThrow('its first line, the header, has a quotation mark');
  });
});

test('JSON Lines: what is no object has a line and a reason, and the rest goes on', async () => {
  expect(await jsonl('\uFEFF{"a":1}\r\n\n{a:1}\n[1]\n"x"\nnull\n{"b":"\u2028"}')).toEqual([
    { line: 1, values: { a: 1 } },
    { line: 3, problem: 'is not JSON' },
    { line: 4, problem: 'is JSON, but not an object' },
    { line: 5, problem: 'is JSON, but not an object' },
    { line: 6, problem: 'is JSON, but not an object' },
    { line: 7, values: { b: '\u2028' } },
  ]);
});

describe('columns', () => {
  test('cells become what the fields are: numbers, true and false, lists, inner objects', () => {
    const columns = { Client: 'project.clientName', Docs: 'documents', Keep: 'keepReference', Starts: 'maxStarts' };
    const mapping = mapColumns('auditProject', [...Object.keys(columns), 'Phone'], columns);
    expect({ problems: mapping.problems, ignored: mapping.ignored }).toEqual({ problems: [], ignored: ['Phone'] });
    const row = { Client: 'Acme', Docs: 'a.pdf; b.pdf', Keep: 'TRUE', Starts: '2', Phone: '+1 555' };
    expect(applyColumns(mapping, row)).toEqual({
      project: { clientName: 'Acme' },
      documents: ['a.pdf', 'b.pdf'],
      keepReference: true,
      maxStarts: 2,
    });
  });

  test('without a mapping columns are called as fields are; what is wrong is told', () => {
    const row = { leadId: 'a', other: 'b', account: 'c' };
    expect(applyColumns(mapColumns('convertLead', Object.keys(row)), row)).toEqual({ leadId: 'a' });
    expect(mapColumns('convertLead', ['x']).problems).toEqual([expect.stringMatching(/^none of the 1 columns /)]);
    expect(mapColumns('convertLead', ['x'], { y: 'leadId' }).problems).toEqual([
      'file.columns[field 1] is none of the 1 columns that the first line of the file, its header, names.',
    ]);
    expect(mapColumns('convertLead', ['x'], { x: 'lead' }).problems[0]).toContain(
      'file.columns[field 1] was given text of 4 characters, which is no field of convertLead',
    );
  });
});

describe('items', () => {
  const check = (operation: Parameters<typeof checkRow>[0]['operation'], row: Record<string, unknown>, defaults = {}) =>
    checkRow({ account: 'default', operation, defaults }, row);

  test('are called as their runs are called everywhere, and have the defaults under their own fields', () => {
    expect(check('convertLead', { leadId: 'L1', findProject: true }, { findProject: false, askPerson: false })).toEqual(
      {
        id: 'L1',
        workflowId: 'convert-lead.default.L1',
        input: { leadId: 'L1', findProject: true, askPerson: false },
      },
    );
    expect(check('auditProject', { projectId: 'P1' })).toMatchObject({ workflowId: 'audit-project.default.P1' });
    expect(check('reprocessCapture', { captureId: 'C1' })).toMatchObject({
      workflowId: 'ingest-capture.default.C1',
      input: { captureId: 'C1', again: true },
    });
    const [one, other] = ['Acme', 'Apex'].map((clientName) => check('auditProject', { project: { clientName } }));
    expect(one).not.toEqual(other);
    expect(check('auditProject', { project: { clientName: 'Acme' } })).toEqual(one);
  });

  const again = (input: Record<string, unknown>, before: object | undefined, now: Record<string, unknown>) =>
    checkAgain(
      { account: 'default', operation: 'auditProject', defaults: now },
      { n: 0, id: 'P1', workflowId: 'audit-project.default.P1', input },
      before === undefined ? undefined : { ...before },
    );

  test('of a redrive keep values of their own; what all shared may be another', () => {
    const input = { projectId: 'P1', askPerson: false, maxCredits: 500 };
    expect(again(input, { askPerson: false }, { askPerson: true, maxCredits: 900 })).toMatchObject({
      input: { projectId: 'P1', askPerson: true, maxCredits: 500 },
    });
    expect(again(input, { askPerson: false }, {})).toMatchObject({ input });
    // A list of an earlier version does not tell what was shared.
    expect(again(input, undefined, { askPerson: true, personDeadline: '1d' })).toMatchObject({
      input: { ...input, personDeadline: '1d' },
    });
  });

  test('of a redrive are problems where no run would take them, or would work on something else', () => {
    expect(again({ projectId: 'P1' }, undefined, { maxCredits: -1 })).toEqual({
      problem: expect.stringContaining('maxCredits was given'),
    });
    expect(again({ project: { clientName: 'A' } }, undefined, { reference: 'R-1' })).toEqual({
      problem: expect.stringContaining('something else'),
    });
  });

  test('S4: a problem names the field and quotes no note', () => {
    const secret = 'call +49 170 1234567';
    expect(check('convertLead', { leadid: 'x' })).toEqual({
      problem: expect.stringContaining("field 1 of the input is unknown (6 characters); did you mean 'leadId'?"),
    });
    expect(JSON.stringify(check('ingestCapture', { note: secret, projectid: 'p' }))).not.toContain('1234567');
    expect(check('convertLead', { leadId: 'x', account: 'other' })).toEqual({
      problem: "the field 'account' is the backfill's own, not a row's.",
    });
    expect(check('reprocessCapture', { note: 'text' })).toEqual({
      problem: expect.stringContaining('captureId is missing'),
    });
  });
});

test.each([
  [
    'convertLead',
    { outcome: 'converted', credits: 1000, projectId: 'p' },
    { outcome: 'done', credits: 1000, ref: 'p' },
  ],
  ['convertLead', { outcome: 'alreadyConverted', credits: 0 }, { outcome: 'alreadyDone', credits: 0 }],
  [
    'convertLead',
    { outcome: 'unresolved', reason: 'nobodyDecided', credits: 0 },
    { outcome: 'waiting', reason: 'person: nobodyDecided', credits: 0 },
  ],
  [
    'auditProject',
    { outcome: 'audited', credits: 0, analysis: { how: 'existing' } },
    { outcome: 'alreadyDone', credits: 0 },
  ],
  [
    'auditProject',
    { outcome: 'failed', reason: 'auditFailed', credits: 1000 },
    { outcome: 'failed', reason: 'auditFailed', credits: 1000 },
  ],
  [
    'ingestCapture',
    { outcome: 'processed', submitted: false, reprocesses: 0, captureId: 'c' },
    { outcome: 'alreadyDone', credits: 0, ref: 'c' },
  ],
  [
    'reprocessCapture',
    { outcome: 'processed', reprocesses: 1, captureId: 'c' },
    { outcome: 'done', credits: 0, ref: 'c' },
  ],
  ['convertLead', 'nonsense', { outcome: 'failed', reason: 'unreadableResult', credits: 0 }],
] as const)('what a run of %s means for its item: %j', (operation, result, ended) => {
  expect(endedBy(operation, result)).toEqual(ended);
});

test.each([
  ['what an earlier try has told', { paidBefore: true }, 1_000, 0],
  ['what no earlier try has told', { paidBefore: true }, 0, 1_000],
  ['what it has paid once more', {}, 1_000, 1_000],
  ['nothing, where the books have forgotten', { credits: 0 }, 1_000, 0],
])('S3: a try adds to its item, of %s', (_, result, spent, credits) => {
  const ended = endedBy('auditProject', { outcome: 'failed', credits: 1_000, ...result });
  expect(thisTry(ended, spent)).toEqual({ outcome: 'failed', reason: 'failed', credits });
});

test('only refusals of the whole account stop all', () => {
  expect(stopsAll({ outcome: 'failed', reason: 'PAT_SCOPE_INSUFFICIENT', credits: 0 })).toBe(true);
  expect(stopsAll({ outcome: 'failed', reason: 'http404', credits: 0 })).toBe(false);
});

describe('plan', () => {
  const limits = { limits: LIMITS, convertPrice: 1_000, createPrice: 1_000, maxCredits: 100_000_000 };
  const conversions = (items: number) => ({ ...noNeeds(), items, conversions: items });

  test('5,000 conversions take four hours and ten minutes at 20 a minute', () => {
    const plan = planBackfill('convertLead', conversions(5_000), limits);
    expect(plan).toMatchObject({ items: 5_000, credits: 5_000_000, calls: { reads: 5_000, writes: 5_000 } });
    expect(plan.durationMs / 3_600_000).toBeCloseTo(4.17, 2);
    expect(plan.text).toContain('about 4 h 10 min');
  });

  test('caps and a speed of its own count', () => {
    const caps = { ...limits, maxItems: 4_000, maxCredits: 3_000_500, itemsPerMinute: 10 };
    const plan = planBackfill('convertLead', conversions(5_000), caps);
    expect(plan).toMatchObject({ items: 3_000, overMaxItems: 1_000, overMaxCredits: 1_000, credits: 3_000_000 });
    expect(plan.durationMs).toBe(300 * 60_000);
  });

  test('where nothing goes on the time counts from the end of that', () => {
    const standstill = 'The service asked to wait (429): writes go on at 2026-11-21 08:10:00 UTC';
    const held = planBackfill('convertLead', conversions(20), { ...limits, standstill });
    expect(held.text).toMatch(/at the limits of the API\. It cannot begin now, .* 08:10:00 UTC\.$/);
    expect(planBackfill('convertLead', noNeeds(), { ...limits, standstill }).text).not.toContain('as this is planned');
  });

  test('notes leave at 30 an hour', () => {
    const plan = planBackfill('ingestCapture', { ...noNeeds(), items: 300, notes: 300 }, limits);
    expect(plan).toMatchObject({ calls: { notes: 300, writes: 300 }, credits: 0, durationMs: 10 * 3_600_000 });
  });
});
