import { Undocumented } from '../../../src/agent-api/undocumented';
import { checkNeeds, type Shown } from '../../../src/cli/doctor/needs';
import type { WorkflowName } from '../../../src/runs/workflow-types';
import { exampleInput } from '../../../src/start-here/example-inputs';

const undocumented = Undocumented.parse({});
const check = (workflow: WorkflowName, input: Record<string, unknown>, shown: Shown, guesses = undocumented) =>
  checkNeeds('default', [{ name: 'nightly', workflow, input }], shown, guesses)[0];

const CONVERTS = ['leadPipeline', { maxConversions: 5 }] as const;

test.each<[what: string, shown: Shown, state: string, found: string]>([
  ['a plan too low', { tier: 'lead_generation', mayWrite: true }, 'wrong', "'lead_generation' is none"],
  ['a plan too low, written otherwise', { tier: 'Read Only', mayWrite: true }, 'wrong', "'Read Only' is none"],
  ['a token that only reads', { tier: 'team', mayWrite: false }, 'wrong', 'needs the scope write'],
  ['a plan that nobody knows', { tier: 'gold', mayWrite: true }, 'unknown', "'undocumented.account.auditTiers'"],
  ['no answers', {}, 'unknown', 'was not seen'],
  ['a plan and a token that suffice', { tier: 'Team', mayWrite: true }, 'ok', 'suffice for leads.convert'],
])('conversions with %s', (_, shown, state, found) => {
  expect(check(...CONVERTS, shown)).toMatchObject({ state, found: expect.stringContaining(found) });
});

test('the configuration says what a plan may', () => {
  const said = Undocumented.parse({ account: { auditTiers: ['gold'], lowTiers: ['silver'] } });
  expect(check(...CONVERTS, { tier: 'gold', mayWrite: true }, said)?.state).toBe('ok');
  expect(check(...CONVERTS, { tier: 'silver', mayWrite: true }, said)?.state).toBe('wrong');
});

test('what does not create or convert needs no plan, and a dry run no scope', () => {
  const low = { tier: 'free', mayWrite: true };
  expect(check('captureSweep', {}, low)?.state).toBe('ok');
  expect(check('auditProject', { project: { clientName: 'A' } }, low)?.state).toBe('wrong');
  expect(check('leadPipeline', { dryRun: true }, { tier: 'free', mayWrite: false })?.state).toBe('ok');
  expect(check('callApi', { route: 'contacts.list' }, { mayWrite: false })?.state).toBe('ok');
});

test('without pipelines it is asked whether leads can be converted', () => {
  const [only, ...more] = checkNeeds('default', [], { tier: 'free', mayWrite: true }, undocumented);
  expect(only).toMatchObject({ name: 'workflow leadPipeline', state: 'wrong' });
  expect(more).toEqual([]);
});

test.each<WorkflowName>(['convertLead', 'auditProject', 'ingestCapture', 'backfill'])(
  'a run of %s needs a token that may write',
  (type) => {
    const input = { ...exampleInput(type, 'default'), ...(type === 'backfill' && { dryRun: false }) };
    expect(check(type, input, { tier: 'team', mayWrite: false })?.state).toBe('wrong');
  },
);
