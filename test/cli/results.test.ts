import { EXIT } from '../../src/cli/exit';
import { showResult } from '../../src/cli/results';
import { WORKFLOW_TYPES, type WorkflowName } from '../../src/policy/workflow-types';

const CONVERTED = { leadId: 'lead-1', outcome: 'converted', credits: 1_000, projectId: 'project-1' };

test('a result is read as that of its own workflow', async () => {
  const { code, text } = await showResult('convertLead', CONVERTED, 'file:///nowhere');
  expect(code).toBe(EXIT.done);
  expect(text).toContain('converted');
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
