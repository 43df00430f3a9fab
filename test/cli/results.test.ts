import { EXIT } from '../../src/cli/exit';
import { showResult } from '../../src/cli/results';
import { WORKFLOW_TYPES, type WorkflowName } from '../../src/runs/workflow-types';

const CONVERTED = { leadId: 'lead-1', outcome: 'converted', credits: 1_000, projectId: 'project-1' };

test('a result is read as that of its own workflow', async () => {
  const { code, text } = await showResult('convertLead', CONVERTED, 'file:///nowhere');
  expect(code).toBe(EXIT.done);
  expect(text).toContain('converted');
});

describe('the leads of a pipeline', () => {
  const verdict = { decision: 'skip', outcome: 'skipped', score: 12, credits: 0 };
  const result = {
    ...{ ended: 'done', counts: {}, leads: 3, credits: 0, plan: { text: '' }, notes: [] },
    thresholds: { minReadiness: 60 },
    decisions: {
      inline: [
        { ...verdict, id: 'lead-3', name: 'Acme Ltd', reasons: ['meetsAll', 'withdrawn'], decision: 'convert' },
        { ...verdict, id: 'lead-1', readiness: 24, reasons: ['belowReadiness', 'missingEmail'] },
        { ...verdict, id: 'lead-2', reasons: ['belowReadiness'] },
      ],
    },
  };

  test('those to convert stand in a table, and of the others how many there are for each reason, in words', async () => {
    const { text } = await showResult('leadPipeline', result, 'file:///nowhere');
    expect(text).toMatch(/lead-3 +Acme Ltd/);
    expect(text).not.toContain('lead-1');
    expect(text).toContain('Skipped, 2 of 3 leads');
    expect(text).toContain('2 belowReadiness: its AI readiness score is below scoring.minReadiness');
    expect(text).toContain('1 missingEmail: has no e-mail address');
    expect(text).not.toContain('withdrawn:');
  });

  test('with --all each of them, and by how much it falls short', async () => {
    const { text } = await showResult('leadPipeline', result, 'file:///nowhere', { all: true });
    expect(text).toMatch(/lead-1 .*readiness 24 of at least 60; has no e-mail address/);
    expect(text).toMatch(/lead-2 .*its AI readiness score is below scoring\.minReadiness/);
  });

  test('of a lead that was chosen and then refused, why: in words, with the code', async () => {
    const refused = {
      ...verdict,
      id: 'lead-4',
      outcome: 'refused',
      reasons: ['meetsAll', 'http422'],
      decision: 'convert',
    };
    const { text } = await showResult(
      'leadPipeline',
      { ...result, decisions: { inline: [refused, { ...refused, id: 'lead-5', reasons: ['meetsAll', 'http404'] }] } },
      'file:///nowhere',
    );
    expect(text).toMatch(/lead-4 .*meets all rules; the service cannot use what was sent \(http422\) +refused/);
    expect(text).toMatch(/lead-5 .*meets all rules; no lead has this ID \(http404\) +refused/);
    expect(text).not.toContain('meetsAll');
  });

  test('of a plan, how many would be converted', async () => {
    const planned = { ...result, ended: 'planned', plan: { conversions: 1, text: '' } };
    const { text } = await showResult('leadPipeline', planned, 'file:///nowhere');
    expect(text).toContain('planned: 1 to convert, 2 skipped');
  });
});

test.each(Object.keys(WORKFLOW_TYPES) as WorkflowName[])(
  'one that cannot be read as that of %s is shown as it is, names what is wrong, and does not count as done',
  async (type) => {
    const { code, text, json } = await showResult(type, { outcome: 7, ended: 7 }, 'file:///nowhere');
    expect(code).toBe(EXIT.notAllDone);
    expect(text).toMatch(/cannot read \(.*\b(outcome|ended)\b.*\)/);
    expect(json).toEqual({ outcome: 7, ended: 7 });
  },
);
