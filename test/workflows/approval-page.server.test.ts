/** What a person reads who is to approve something, or to answer a question: on the page, which says what holds now. */
import { marked } from 'marked';
import { progressQuery } from '../../workflows/shared/status';
import { pagesOf } from '../support/pages';
import { completedLeads, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { faultsIn } from '../text/hostile-texts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({
    sandbox: { leads: 60, credits: 60_000 },
    account: { budget: { perRun: 30_000, perMonth: 50_000 } },
  });
  await stage.startWorker();
});
afterAll(() => stage.close());

const { handle, pageOf, start, after } = pagesOf(() => stage);
const asking = async (workflowId: string) => {
  await until(async () => /Answer with the update/.test(await pageOf(workflowId).catch(() => '')));
  return pageOf(workflowId);
};
/** The items of the list below a heading. */
const listOf = (page: string, heading: RegExp): string[] => {
  const at = page.split('\n\n').findIndex((part) => heading.test(part));
  return at < 0 ? [] : (page.split('\n\n')[at + 1]?.split('\n') ?? []);
};
const readiness = () =>
  stage.sandbox.control
    .leads()
    .filter(({ surveyStatus }) => surveyStatus === 'completed')
    .map(({ aiReadinessScore }) => aiReadinessScore);

const LEAD =
  /^- (\*\*.+\*\*: )?meets all rules: score [\d.]+, readiness [\d.]+ \(at least 60, the default\)(, composite [\d.]+)?, 1,000 credits, lead `[0-9a-f-]{36}`$/;

test('a pipeline says for each lead why, who is left by a threshold, what is left of each cap, and how to answer', async () => {
  await start('leadPipeline', 'asks', { maxConversions: 4, approval: 'all' });
  const page = await asking('asks');
  const scores = readiness();
  const eligible = scores.filter((score) => (score ?? 0) >= 60).length;
  const low = scores.filter((score) => score != null && score < 60);
  expect(page).toContain('A person is asked to approve 4 conversions for 4,000 credits');
  expect(page).toContain(`4 of the ${eligible} leads that meet all rules, by the limit \`maxConversions\` (4).`);
  const leads = listOf(page, /^To be converted, the highest score first:$/);
  expect(leads).toHaveLength(4);
  for (const lead of leads) expect(lead).toMatch(LEAD);
  const near = listOf(
    page,
    new RegExp(`^Left out only for a score below its threshold: ${low.length} leads. The nearest:$`),
  );
  const highest = Math.max(...low.map((score) => score ?? 0));
  expect(near).toHaveLength(3);
  expect(near[0]).toMatch(/^- lead `[0-9a-f-]{36}`: readiness [\d.]+ of at least 60 \(the default\), [\d.]+ too low$/);
  expect(near[0]).toContain(`readiness ${highest} of`);
  expect(listOf(page, /^What may be spent now:$/)).toEqual([
    '- Today (UTC): 0 credits spent; there is no daily limit',
    '- This month: 50,000 of 50,000 credits are left; 0 credits spent',
    '- One run: 30,000 credits at most, whatever its input says (the ceiling `budget.perRun`)',
    expect.stringMatching(/^- Balance: /),
  ]);
  expect(listOf(page, /^To answer, press \*More Actions\*/)).toEqual([
    '- **Yes**: `approve`, `{}`, or `npx audit-runner approve asks`; it begins, and spends up to 4,000 credits',
    '- **No**: `reject`, `{}`, or `npx audit-runner reject asks`; it ends, and spends nothing',
  ]);
});

test('when its limits are changed meanwhile, all of its page is about what holds now', async () => {
  await handle('asks').describe();
  const page = await after('asks', 'changeLimits', { maxConversions: 2, by: 'Ops' });
  expect(page).toContain('A person is asked to approve 2 conversions for 2,000 credits');
  expect(page).toMatch(/^2 conversions for 2,000 credits: 2 writes/m);
  expect(page).toMatch(/^2 of the \d+ leads that meet all rules, by the limit `maxConversions` \(2\)\.$/m);
  expect(listOf(page, /^To be converted/)).toHaveLength(2);
  expect(page).toContain('spends up to 2,000 credits');
  expect(page).toContain('**Waiting since');
  expect(await handle('asks').query(progressQuery)).toMatchObject({
    doing: 'A person is asked to approve 2 conversions for 2,000 credits',
    total: 2,
    answers: [{ update: 'approve', command: 'npx audit-runner approve asks' }, { update: 'reject' }],
  });
  const less = await after('asks', 'changeLimits', { maxCredits: 1_500, by: 'Ops' });
  expect(less).toContain('A person is asked to approve 1 conversion for 1,000 credits');
  expect(less).toMatch(/by the limit `maxCredits` \(1,500\)\.$/m);
  const more = await after('asks', 'changeLimits', { maxConversions: 4, maxCredits: 9_000, by: 'Ops' });
  expect(listOf(more, /^To be converted/)).toHaveLength(4);
  await after('asks', 'changeLimits', { maxConversions: 3, by: 'Ops' });
  await handle('asks').executeUpdate('approve', { args: [{ by: 'Ops' }] });
  expect(await handle('asks').result()).toMatchObject({ ended: 'done', credits: 3_000, plan: { conversions: 3 } });
});

test('once it has ended it says why the service refused a lead, in words, and links the projects', async () => {
  stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'status', status: 422 });
  await start('leadPipeline', 'refused', { maxConversions: 2 });
  await handle('refused').result();
  const page = await pageOf('refused');
  expect(page).toMatch(/^Done: (1 refused, 1 converted|1 converted, 1 refused), \d+ skipped; 1,000 credits spent$/m);
  const ended = listOf(page, /^What became of them:$/);
  expect(ended.join('\n')).toMatch(
    /lead `[0-9a-f-]{36}`: refused, 0 credits: the service cannot use what was sent \(http422\), \[its run\]\(/,
  );
  expect(ended.join('\n')).toMatch(
    /converted, 1,000 credits, \[project [0-9a-f-]{36}\]\(namespaces\/[^/)]*\/workflows\?query=ProjectId\+%3D\+%22[0-9a-f-]{36}%22\), \[its run\]\(/,
  );
});

test('a batch says what it does, which items come first and why, what is left, and how to answer', async () => {
  const input = { operation: 'convertLead', leads: {}, approval: 'all' };
  await start('backfill', 'batch-asks', input);
  const page = await asking('batch-asks');
  const listed = completedLeads(stage).filter((_, i) => (readiness()[i] ?? 0) >= 60).length;
  expect(listed).toBeGreaterThan(10);
  expect(page).toContain(`A person is asked to approve 10 items for 10,000 credits`);
  expect(page).toContain(`10 of the ${listed} items in the list, by the default limit \`maxCredits\` (10,000).`);
  const items = listOf(page, /^To be done, in this order:$/);
  expect(items).toHaveLength(10);
  for (const item of items) expect(item).toMatch(LEAD);
  expect(listOf(page, /^Left out of the list:$/).join('\n')).toMatch(
    /^- \d+: its AI readiness score is below `scoring\.minReadiness`$/m,
  );
  expect(listOf(page, /^What may be spent now:$/)).toHaveLength(4);
  expect(page).toContain('`npx audit-runner approve batch-asks`; it begins, and spends up to 10,000 credits');

  const less = await after('batch-asks', 'changeLimits', { maxItems: 2, by: 'Ops' });
  expect(less).toContain('A person is asked to approve 2 items for 2,000 credits');
  expect(less).toContain(`2 of the ${listed} items in the list, by the limit \`maxItems\` (2).`);
  expect(listOf(less, /^To be done/)).toHaveLength(2);
  expect(less).toContain('spends up to 2,000 credits');
  await handle('batch-asks').executeUpdate('reject', { args: [{ by: 'Ops' }] });
  expect(await handle('batch-asks').result()).toMatchObject({ ended: 'rejected', credits: 0 });
  expect(await pageOf('batch-asks')).toContain('Not approved: ');
});

test('a question says what each answer means and costs, with what is pasted and the command', async () => {
  stage.sandbox.control.addFault({ route: 'leads.convert', fault: 'cutBeforeCommit', times: 2 });
  const leadId = stage.sandbox.control.leads().findLast(({ surveyStatus }) => surveyStatus === 'completed')?.id ?? '';
  await start('convertLead', 'asks-one', { leadId, maxCredits: 1_000 });
  const page = await asking('asks-one');
  expect(page).toContain(`Look in the web app whether lead ${leadId} is converted. Answer with the update`);
  const command = (decision: string) =>
    `\`npx audit-runner answer asks-one decide --input '{ "decision": "${decision}" }'\``;
  expect(listOf(page, /^To answer, press \*More Actions\*, \*Send an Update\*, choose the name/)).toEqual([
    `- **It happened**: \`decide\`, \`{ "decision": "itHappened" }\`, or ${command('itHappened')}; it is never sent again; 1,000 credits are booked if this run sent it`,
    `- **It did not happen, and is to be sent again**: \`decide\`, \`{ "decision": "sendAgain" }\`, or ${command('sendAgain')}; it is looked up once more and sent, which costs 1,000 credits`,
    `- **Nobody can tell**: \`decide\`, \`{ "decision": "giveUp" }\`, or ${command('giveUp')}; the run ends as unresolved and sends nothing more; what it has sent may have cost 1,000 credits`,
  ]);
  const [data = ''] = /\{ "decision": "giveUp" \}/.exec(page) ?? [];
  expect(await after('asks-one', 'decide', JSON.parse(data))).not.toContain('To answer');
  await handle('asks-one').result();
});

test('whatever people call themselves and runs, their page is ours alone', async () => {
  const id = '`[Sign in](https://evil.example)```';
  await start('leadPipeline', id, { maxConversions: 1, approval: 'all' });
  await asking(id);
  const by = '`[Sign in](https://evil.example)``` \n\n # Your session has expired \u202e {workflowId}';
  await after(id, 'pause', { by, reason: by });
  const page = await after(id, 'changeLimits', { maxCredits: 5_000, by, reason: `- ${by}` });
  expect(page).not.toContain('\u202e');
  const html = marked.parse(page.replaceAll('{workflowId}', id), { async: false });
  const links = [...html.matchAll(/<a href="([^"]*)"/g)].map(([, address = '']) => address);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((address) => !address.startsWith('namespaces/'))).toEqual([]);
  expect(faultsIn(html).filter((tag) => !/^<\/?(?:a\b.*|ul|li)>$/.test(tag))).toEqual([]);
  await handle(id).executeUpdate('reject', { args: [{ by }] });
  await handle(id).result();
});
