import { type ApprovalPage, approvalPage, describeChoice, describeEnded } from '../../src/leads/approval-page';
import type { LeadDecision } from '../../src/leads/selection';

const chosen = (n: number, shown: Partial<LeadDecision> = {}): LeadDecision => ({
  ...{ id: `lead-${n}`, decision: 'convert', score: 71, reasons: ['meetsAll'], name: `Business ${n}`, readiness: 64 },
  ...shown,
});
const page: ApprovalPage = {
  ...{ outline: '12 conversions for 12,000 credits.', chosen: 12, eligible: 301, price: 1_000, minReadiness: 60 },
  preview: Array.from({ length: 10 }, (_, n) => chosen(n + 1)),
  left: ['5000 of 8000 credits a day are left'],
  limits: { maxConversions: 12, maxCredits: 20_000 },
  byDefault: ['maxCredits'],
};

const runs = {
  idOf: (leadId: string) => `convert-${leadId}`,
  linkTo: (id: string, text: string) => `[${text}](${id})`,
};

test('who approves reads what it costs, for which leads and why these, and what is left', () => {
  const text = approvalPage(page);
  expect(text).toContain('12 conversions for 12,000 credits.');
  expect(text).toContain('**Business 1**: score 71, readiness 64 (at least 60), 1,000 credits, lead `lead-1`');
  expect(text).toContain('- and 2 more');
  expect(text).toContain('12 of the 301 leads that meet all rules, by the limit `maxConversions` (12).');
  expect(text).toContain('- 5000 of 8000 credits a day are left');
  // Without a blank line before it the Web UI makes one line of a list.
  expect(text).toMatch(/To be converted:\n\n- /);
});

test.each([
  [{ byDefault: ['maxConversions'] }, 'by the default limit `maxConversions` (12)'],
  [{ limits: { maxConversions: 50, maxCredits: 12_500 } }, 'by the default limit `maxCredits` (12,500)'],
] as const)('where a default decided it is said: %j', (change, expected) => {
  expect(approvalPage({ ...page, ...change })).toContain(expected);
});

test('where all are taken no limit is named, and a page of an earlier version shows its plan', () => {
  expect(approvalPage({ ...page, eligible: 12 })).not.toContain('limit');
  const { eligible: _, ...before } = page;
  expect(approvalPage({ ...before, preview: [], left: [] })).toBe(page.outline);
});

test('a business may call itself what it wants, and no link comes of it', () => {
  const text = approvalPage({ ...page, preview: [chosen(1, { name: '**[Sign in](https://evil.example)** # x' })] });
  expect(text).not.toContain('[Sign in](https');
});

test('of a run that has ended it is said what became of the leads, and which were left', () => {
  const outcomes = [{ leadId: 'lead-1', outcome: 'converted', credits: 1_000, projectId: 'p-1' }];
  const text = describeEnded(outcomes, { chosen: ['lead-1', 'lead-2'], preview: page.preview }, runs);
  expect(text).toContain('[its run](convert-lead-1)');
  expect(text).toContain('- **Business 1**, lead `lead-1`: converted, 1,000 credits, project p-1');
  expect(text).toContain('nothing was done with them:\n\n- **Business 2**, lead `lead-2`');
  const many = Array.from({ length: 12 }, (_, n) => ({ leadId: `x-${n}`, outcome: 'converted', credits: 1_000 }));
  expect(describeEnded(many, { chosen: [] }, runs)).toContain('- and 2 more');
  expect(describeEnded([], { chosen: [] }, runs)).toBe('');
});

test('a notification names the first few', () => {
  expect(describeChoice(12, 12_000, page.preview)).toBe(
    '12 conversions for 12,000 credits (“Business 1”, “Business 2”, “Business 3” and 9 more)',
  );
  const { name: _, ...nameless } = chosen(1);
  expect(describeChoice(1, 1_000, [nameless])).toBe('1 conversion for 1,000 credits');
});
