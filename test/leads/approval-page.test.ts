import { type ApprovalPage, approvalPage, describeChoice, leadTexts } from '../../src/leads/approval-page';
import { describeEnded } from '../../src/leads/ended-page';
import { nearMisses } from '../../src/leads/near-misses';
import type { LeadDecision } from '../../src/leads/selection';
import { code, md } from '../../src/text/md';

const chosen = (n: number, shown: Partial<LeadDecision> = {}): LeadDecision => ({
  ...{ id: `lead-${n}`, decision: 'convert', score: 71, reasons: ['meetsAll'], name: `Business ${n}`, readiness: 64 },
  ...shown,
});
const page: ApprovalPage = {
  ...{ outline: '12 conversions for 12,000 credits.', chosen: 12, eligible: 301, price: 1_000, order: 'score' },
  thresholds: { minReadiness: 60 },
  preview: Array.from({ length: 10 }, (_, n) => chosen(n + 1)),
  left: ['Today: 5,000 of 8,000 credits are left'],
  limits: { maxConversions: 12, maxCredits: 20_000 },
  byDefault: ['maxCredits'],
};
const textOf = (change: Partial<ApprovalPage> = {}) => approvalPage({ ...page, ...change }).source;

test('who approves reads what it costs, for which leads and why these, and what is left', () => {
  const text = textOf();
  expect(text).toContain('12 conversions for 12,000 credits.');
  expect(text).toContain(
    '- **Business 1**: meets all rules: score 71, readiness 64 (at least 60), 1,000 credits, lead `lead-1`',
  );
  expect(text).toContain('- and 2 more');
  expect(text).toContain('12 of the 301 leads that meet all rules, by the limit `maxConversions` (12).');
  expect(text).toContain('- Today: 5,000 of 8,000 credits are left');
  // Without a blank line before it the Web UI makes one line of a list.
  expect(text).toMatch(/To be converted, the highest score first:\n\n- /);
  expect(textOf({ order: 'newest' })).toContain('To be converted, the newest first:');
});

test('each score stands beside its threshold, and what is a default is called one', () => {
  const preview = [chosen(1, { composite: 80 })];
  const thresholds = { minReadiness: 60, minComposite: 50, minScore: 70 };
  const byDefault = ['minReadiness'] as const;
  expect(textOf({ preview, thresholds, byDefault })).toContain(
    'score 71 (at least 70), readiness 64 (at least 60, the default), composite 80 (at least 50), 1,000 credits',
  );
});

test.each([
  [{ byDefault: ['maxConversions'] }, 'by the default limit `maxConversions` (12)'],
  [{ limits: { maxConversions: 50, maxCredits: 12_500 } }, 'by the default limit `maxCredits` (12,500)'],
  [{ limits: { maxConversions: 50, maxCredits: 50_000 } }, 'by the limits of before'],
] as const)('where a limit decided it is said which: %j', (change, expected) => {
  expect(textOf(change)).toContain(expected);
});

test('a lower limit leaves the first of those that were chosen', () => {
  const text = textOf({ chosen: 2, limits: { maxConversions: 2, maxCredits: 20_000 } });
  expect(text).toContain('lead-2');
  expect(text).not.toContain('lead-3');
  expect(text).not.toContain('more');
});

test('where all are taken no limit is named, and a page of an earlier version shows its plan', () => {
  expect(textOf({ eligible: 12 })).not.toContain('limit');
  const { eligible: _, ...before } = page;
  expect(approvalPage({ ...before, preview: [], left: [] }).source).toBe(page.outline);
});

const skipped = (id: string, shown: Partial<LeadDecision>): LeadDecision => ({
  ...{ id, decision: 'skip', score: null, reasons: ['belowReadiness'] },
  ...shown,
});

test('of leads below a threshold it is told how many there are, and of the nearest which rule, and by how much', () => {
  const leads = [
    chosen(1),
    skipped('far', { readiness: 12 }),
    skipped('near', { readiness: 58.35, score: 58.35 }),
    skipped('two', { readiness: 59, composite: 45, reasons: ['belowReadiness', 'belowComposite'] }),
    skipped('other', { readiness: 20 }),
    // A lower threshold would not let these in.
    skipped('no-phone', { readiness: 59.5, reasons: ['belowReadiness', 'missingPhone'] }),
    skipped('unknown', { reasons: ['noScore'] }),
    skipped('unscored', {}),
  ];
  const below = nearMisses(leads, { minReadiness: 60, minComposite: 50 });
  expect(below.count).toBe(4);
  const text = textOf({ below, byDefault: ['minReadiness'] });
  expect(text).toContain(
    [
      'Left out only for a score below its threshold: 4 leads. The nearest:\n',
      '- lead `near`: readiness 58.35 of at least 60 (the default), 1.65 too low',
      '- lead `two`: readiness 59 of at least 60 (the default), 1 too low; composite 45 of at least 50, 5 too low',
      '- lead `other`: readiness 20 of at least 60 (the default), 40 too low',
    ].join('\n'),
  );
  expect(textOf({ below: nearMisses([chosen(1)], { minReadiness: 60 }) })).not.toContain('threshold');
});

test('a business may call itself what it wants, and no link comes of it', () => {
  expect(textOf({ preview: [chosen(1, { name: '**[Sign in](https://evil.example)** # x' })] })).not.toContain(
    '[Sign in](https',
  );
});

test('of a run that has ended it is said what became of the leads and why, and which were left', () => {
  const runs = {
    idOf: (leadId: string) => `convert-${leadId}`,
    linkTo: (id: string, text: string) => md`${text} ${code(id)}`,
    linkToProject: (id: string) => md`all about ${code(id)}`,
  };
  const outcomes = [
    { leadId: 'lead-1', outcome: 'converted', credits: 1_000, projectId: 'p-1', audit: 'audit-1' },
    { leadId: 'lead-2', outcome: 'refused', reason: 'http422', credits: 0 },
    { leadId: 'lead-4', outcome: 'alreadyConverted', credits: 0 },
  ];
  const chosenIds = ['lead-1', 'lead-2', 'lead-3', 'lead-4'];
  const { source } = describeEnded(outcomes, { chosen: chosenIds, preview: page.preview }, runs);
  expect(source).toContain(
    '- **Business 1**, lead `lead-1`: converted, 1,000 credits, all about `p-1`, its run `convert-lead-1`, its audit `audit-1`',
  );
  expect(source).toContain('`lead-2`: refused, 0 credits: the service cannot use what was sent (http422), its run');
  expect(source).toContain('`lead-4`: already converted by somebody else, 0 credits, its run');
  expect(source).toContain('nothing was done with them:\n\n- **Business 3**, lead `lead-3`');
  const many = Array.from({ length: 12 }, (_, n) => ({ leadId: `x-${n}`, outcome: 'converted', credits: 1_000 }));
  expect(describeEnded(many, { chosen: [] }, runs).source).toContain('- and 2 more');
  expect(describeEnded([], { chosen: [] }, runs).source).toBe('');
});

test('a notification names the first few, with their scores and why', () => {
  expect(describeChoice(12, 12_000, page.preview)).toBe(
    '12 conversions for 12,000 credits (“Business 1”, “Business 2”, “Business 3” and 9 more)',
  );
  const { name: _, ...nameless } = chosen(1);
  expect(describeChoice(1, 1_000, [nameless])).toBe('1 conversion for 1,000 credits');
  expect(leadTexts({ ...page, preview: [chosen(1), nameless], chosen: 2 })).toEqual([
    '“Business 1”, lead lead-1: meets all rules: score 71, readiness 64 (at least 60), 1,000 credits',
    'lead lead-1: meets all rules: score 71, readiness 64 (at least 60), 1,000 credits',
  ]);
});
