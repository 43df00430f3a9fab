/**
 * Changes that would break runs under way, each as somebody could make it in good faith: the kept histories show every one.
 * What they cannot show: arguments of a call, how long a timer runs, and what is read from a message.
 */
import { readFileSync } from 'node:fs';
import { workflowBundlePath } from '../../src/temporal/bundle';
import { failuresOf, keptRuns } from './support/recorded';

/** What is changed, in whose runs it shows, and the text of the bundle before and after. */
type Change = [what: string, runs: string, from: string, to: string];

const CHANGES: Change[] = [
  ['a run says no more which lead it is about', 'convert-lead', '(0, workflow_1.upsertSearchAttributes)(about);', ''],
  [
    'the facts of the account are asked for once more',
    'convert-lead',
    '{ facts: await (0, calls_1.factsOf)(account) }',
    '{ facts: await (0, calls_1.factsOf)(account).then(() => (0, calls_1.factsOf)(account)) }',
  ],
  ['an activity has another name', 'convert-lead', '.lookAtLead({', '.seeLead({'],
  [
    'every step comes after a pause',
    'convert-lead',
    'if (wait > 0) {\n            if (plan',
    'if (wait > -1e9) {\n            if (plan',
  ],
  [
    'no timer runs beside a send',
    'convert-lead',
    'quiet.run(() => (0, workflow_1.sleep)(quietMs(facts))).catch(() => undefined);',
    '',
  ],
  [
    'the books are not asked whose payment it was',
    'convert-lead',
    'const { settled } = await calls_1.control.subjectState({ account, subject });\n    const { workflowId }',
    'const settled = undefined;\n    const { workflowId }',
  ],
  [
    'a hold is waited for at once',
    'convert-lead.held',
    'exports.control.clearance(asked)',
    'exports.control.awaitClearance(asked)',
  ],
  [
    'a question has no deadline',
    'convert-lead.asks',
    '(() => this.#cancelled || done(), personDeadline)',
    '(() => this.#cancelled || done())',
  ],
  [
    'all runs look at once',
    'convert-lead',
    "const saves = (0, workflow_1.patched)('savesActions');",
    'const saves = true;',
  ],
  ['no send has a timer beside it', 'convert-lead', "if (!(0, workflow_1.patched)('savesActions'))", 'if (false)'],
  ['a patch is taken out too soon', 'convert-lead.budget', "(0, workflow_1.patched)('asksForOwnTry')", 'true'],
  [
    'a pipeline begins other runs',
    'lead-pipeline',
    '(0, workflow_1.startChild)(convert_lead_1.convertLead, {\n                ...outliving',
    "(0, workflow_1.startChild)('callApi', {\n                ...outliving",
  ],
  ['the runs of leads have other IDs', 'lead-pipeline', '`convert-lead.$', '`convert.$'],
  [
    'an approval has no deadline',
    'lead-pipeline',
    '(() => this.#approved !== undefined, deadline)',
    '(() => this.#approved !== undefined)',
  ],
  ['the decisions are kept by another call', 'lead-pipeline', 'control.concludeLeads({', 'control.keepLeads({'],
  ['an audit begins with its report', 'audit-project', 'await calls_1.control.writeReport({ folder })', "{ url: '' }"],
  ['documents are uploaded one by one', 'audit-project.reply-lost', 'length: AT_ONCE', 'length: 1'],
  [
    'what is free is booked in all runs',
    'audit-project.reply-lost',
    "!(0, workflow_1.patched)('booksWhatIsFree')",
    'false',
  ],
  ['a project is not kept', 'audit-project', 'await search.keep(projectId);', ''],
  ['a note is not kept', 'ingest-capture', 'await search.keep(captureId);', ''],
  ['a note is known by another call', 'ingest-capture', 'control.identifyNote({', 'control.nameNote({'],
  ['a batch ends without its ledger', 'backfill', '.concludeBackfill(concluding)', '.endBackfill(concluding)'],
  ['a sweep judges by another call', 'capture-sweep', 'control.judgeSweep({', 'control.judge({'],
  [
    'a call is planned twice',
    'call-api',
    'await calls_1.control.planCall({ run });',
    'await calls_1.control.planCall({ run }); await calls_1.control.planCall({ run });',
  ],
  [
    'what was made is not kept',
    'call-api.asks',
    'await calls_1.control.keepMade({ account, subject, happened: true',
    'void ({ account, subject, happened: true',
  ],
  ['the page is not renewed by itself', 'start-here', '(() => asked, againInMs)', '(() => asked)'],
  ['a ledger wakes up by messages alone', 'account-ledger', '(wake, due - Date.now())', '(wake)'],
];

const bundle = readFileSync(workflowBundlePath({}), 'utf8');
const kept = keptRuns();

test.each(CHANGES)('%s', async (_, name, from, to) => {
  expect(bundle).toContain(from);
  const runs = kept.filter(({ workflowId }) => workflowId === name || workflowId.startsWith(`${name}.`));
  const failures = await failuresOf({ code: bundle.replaceAll(from, to) }, runs);
  expect(failures.length).toBeGreaterThan(0);
  expect(new Set(failures.map((failure) => failure.split(': ')[1]))).toEqual(new Set(['DeterminismViolationError']));
});
