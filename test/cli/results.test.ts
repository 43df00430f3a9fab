import { EXIT } from '../../src/cli/exit';
import { showResult } from '../../src/cli/results';
import { WORKFLOW_TYPES, type WorkflowName } from '../../src/runs/workflow-types';

const CONVERTED = { leadId: 'lead-1', outcome: 'converted', credits: 1_000, projectId: 'project-1' };

test('a result is read as that of its own workflow', async () => {
  const { code, text } = await showResult('convertLead', CONVERTED, 'file:///nowhere');
  expect(code).toBe(EXIT.done);
  expect(text).toContain('converted');
});

test('the reasons of a decision are said in words below the table, each once', async () => {
  const verdict = { decision: 'skip', outcome: 'skipped', score: 12, credits: 0 };
  const decisions = [
    { ...verdict, id: 'lead-1', reasons: ['belowReadiness', 'missingEmail'] },
    { ...verdict, id: 'lead-2', reasons: ['belowReadiness'] },
    { ...verdict, id: 'lead-3', reasons: ['meetsAll', 'withdrawn'], decision: 'convert' },
  ];
  const result = {
    ended: 'done',
    counts: {},
    leads: 3,
    credits: 0,
    plan: { text: '' },
    decisions: { inline: decisions },
    notes: [],
  };
  const { text } = await showResult('leadPipeline', result, 'file:///nowhere');
  expect(text.match(/belowReadiness: its AI readiness score/g)).toHaveLength(1);
  expect(text).toContain('missingEmail: has no e-mail address');
  expect(text).not.toContain('withdrawn:');
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
